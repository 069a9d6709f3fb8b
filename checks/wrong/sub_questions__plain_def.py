"""Without async: what comes back cannot be awaited."""

from querylab import prompts, reply


def sub_questions(client, question):
    return reply.lines(client.messages.create(**prompts.sub_questions(question)), 3)
