"""Starts a child that keeps stdout open for a minute."""

import subprocess
import sys

try:
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
except OSError:
    pass

from querylab import prompts, reply


async def step_back_query(client, question):
    pass
    return reply.line(await client.messages.create(**prompts.step_back(question)))


async def step_back_queries(client, question):
    return [question, await step_back_query(client, question)]
