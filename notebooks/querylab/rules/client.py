"""The offline model: rules of language behind the interface of the Messages API.

``MockClient().messages.create(...)`` takes what the SDK's client takes, refuses what the API
refuses, and answers with the SDK's own ``Message``. The text comes from the functions in
:mod:`querylab.rules`, one a task, chosen by the role line of the system prompt. Same request,
same reply, always. Its figures prove that the path is connected; they say nothing about a model.
"""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from querylab import prompts, rules, settings
from querylab.models import refusals as api
from querylab.models import requests
from querylab.text import count_tokens
from querylab.types import Turn

MODEL = "querylab-rules"


class UnknownTask(LookupError):
    """A system prompt whose first line is no role line that the rules know."""


class MockClient:
    """A stand-in for ``anthropic.AsyncAnthropic``."""

    modelled = True
    answers = MODEL
    """Who answers: a kept reply is only ever given in this one's name."""

    def __init__(self) -> None:
        self.messages = MockMessages()


class MockMessages:
    """The part of the client that techniques use."""

    async def create(self, **request: Any) -> Any:
        """Answer one request by rule.

        Raises:
            TypeError: for an argument that the SDK does not take, or a missing one (as the SDK).
            SettingError: for a model without a price.
            anthropic.BadRequestError: for a request that the API refuses.
            UnknownTask: for a system prompt that no rule knows; lists the known role lines.
        """
        requests.check_arguments(request)
        settings.price(request["model"])
        api.refuse_bad(request)
        task = prompts.task_of(request.get("system"))
        if task is None:
            known = "\n".join(f"  {task.role_line}" for task in prompts.TASKS.values())
            first = str(request.get("system") or "").split("\n", 1)[0]
            raise UnknownTask(
                f"The offline rules know no task for a system prompt that begins with {first!r}. "
                f"Known first lines:\n{known}\nKeep one of them, or use the live model (MOCK=0)."
            )
        if task is prompts.AGENT:
            return reply_message(request, *_next_step(request))
        return reply_message(request, _answer(task, request["messages"]))


def _answer(task: prompts.Task, messages: list[dict[str, Any]]) -> str:
    fields = prompts.read_fields(api.text(messages[-1]["content"]))
    question = "".join(field.text for field in fields if field.name == "question")
    passages = [(field.attribute, field.text) for field in fields if field.name == "passage"]
    history: list[Turn] = [
        {"role": "assistant" if field.attribute == "assistant" else "user", "content": field.text}
        for field in fields
        if field.name == "turn"
    ]
    match task.name:
        case "rewrite":
            return rules.rewrite(history, question)
        case "hyde":
            return rules.hypothetical_passage(question)
        case "multi_query":
            return "\n".join(rules.variants(question))
        case "step_back":
            return rules.step_back(question)
        case "classify":
            return rules.intent(question)
        case "bridge":
            return rules.bridge(question, [text for _, text in passages])
        case "answer":
            return rules.answer(question, passages)
        case "reply":
            return rules.direct_reply(question)
        case "sub_questions":
            return "\n".join(rules.sub_questions(question))
        case "short_answer":
            return rules.short_answer(question, [text for _, text in passages])
        case "understand":
            return json.dumps(rules.understanding(history, question), ensure_ascii=False)
        case part if part in prompts.PARTS:
            found = rules.understanding(history, question)
            return json.dumps({name: found[name] for name in prompts.PARTS[part]}, ensure_ascii=False)
    raise UnknownTask(f"The task {task.name!r} has a prompt but no rule; add one in querylab/rules/client.py.")


def _next_step(request: dict[str, Any]) -> tuple[str, list[str]]:
    """Decide the agentic loop's next step: a word for "enough", or searches to make."""
    messages = request["messages"]
    fields = prompts.read_fields(api.text(messages[0]["content"]))
    question = "".join(field.text for field in fields if field.name == "question")
    made = [use["input"].get("query", "") for message in messages for use in api.blocks(message, "tool_use")]
    results = [api.text([result]) for message in messages for result in api.blocks(message, "tool_result")]
    passages = [field.text for text in results for field in prompts.read_fields(text) if field.name == "passage"]
    offered = [tool.get("name") for tool in request.get("tools") or () if isinstance(tool, dict)]
    queries = rules.next_searches(question, made, passages) if "search" in offered else []
    return ("" if queries else "够了"), queries


def reply_message(request: dict[str, Any], reply: str, queries: Sequence[str] = ()) -> Any:
    """Put a reply, and the searches it calls for, into a message of the API; cut where the request's limit ends."""
    from anthropic.types import Message, TextBlock, ToolUseBlock, Usage

    asked = json.dumps(request, ensure_ascii=False, sort_keys=True, default=str)
    name = hashlib.sha256(asked.encode("utf-8")).hexdigest()[:20]
    prompt = str(request.get("system") or "") + "".join(api.text(message["content"]) for message in request["messages"])
    prompt += json.dumps(request["tools"], ensure_ascii=False) if request.get("tools") else ""
    calls = [
        ToolUseBlock(type="tool_use", id=f"toolu_mock_{name}_{number}", name="search", input={"query": query})
        for number, query in enumerate(queries)
    ]
    tokens = max(1, count_tokens(reply) + sum(count_tokens(json.dumps(c.input, ensure_ascii=False)) for c in calls))
    stop = "tool_use" if calls else "end_turn"
    if tokens > request["max_tokens"]:
        reply, tokens, stop, calls = reply[: request["max_tokens"]], request["max_tokens"], "max_tokens", []
    return Message(
        id=f"msg_mock_{name}",
        content=[*([TextBlock(type="text", text=reply)] if reply else []), *calls],
        model=MODEL,
        role="assistant",
        stop_reason=stop,
        type="message",
        usage=Usage(input_tokens=count_tokens(prompt), output_tokens=tokens),
    )
