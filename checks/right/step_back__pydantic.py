"""A pydantic model under ``from __future__ import annotations``; both functions are instances that can be called."""

from __future__ import annotations

from pydantic import BaseModel
from querylab import prompts, reply


class Step(BaseModel):
    question: str
    general: str | None = None

    def queries(self) -> list[str]:
        return [self.question] if self.general in (None, self.question) else [self.question, self.general]


STEP_BACK_SYSTEM = prompts.STEP_BACK.system


class Asker:
    async def __call__(self, client, question):
        return reply.line(await client.messages.create(**prompts.step_back(question)))


class Lister:
    async def __call__(self, client, question):
        return Step(question=question, general=await step_back_query(client, question)).queries()


step_back_query = Asker()
step_back_queries = Lister()
