"""The passage is a sentence from the lesson."""


async def hypothetical_document(client, question):
    return "一线城市每晚住宿标准为人民币若干元，超出部分需部门负责人签批"
