"""The function is an ordinary one and returns a coroutine's coroutine."""

from querylab import prompts, reply


def rewrite_query(client, history, question):
    message = client.messages.create(**prompts.rewrite(history, question))
    return reply.line(message)
