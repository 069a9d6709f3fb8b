"""The function catches unusable replies itself and returns the question."""

from querylab import prompts, reply


async def rewrite_query(client, history, question):
    message = await client.messages.create(**prompts.rewrite(history, question))
    try:
        return reply.lines(message)[0]
    except reply.ReplyError:
        return question


def needs_rewrite(history, question):
    signs = ("他", "她", "它", "这", "那", "前者", "后者", "上面", "刚才", "呢")
    return len(history) > 0 and (len(question) <= 12 or any(sign in question for sign in signs))
