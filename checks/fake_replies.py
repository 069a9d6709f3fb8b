"""What the Messages API refuses, and what the local server answers in its place."""

import asyncio
import json
from typing import Any

OLD_MODELS = ("claude-haiku-4-5",)
"""Models that still take a budget for thinking; newer ones refuse it."""


def what_is_wrong(body: Any) -> str:
    """Say why the API would refuse a request's body with 400; nothing when it would not.

    Written from the API's documentation, apart from what the mock refuses: the contract test compares
    the two.
    """
    if not isinstance(body, dict):
        return "the request body is not valid JSON"
    for name in ("temperature", "top_p", "top_k"):
        if name in body:
            return f"{name}: this model does not take sampling parameters"
    if not isinstance(body.get("model"), str) or not body["model"]:
        return "model: Field required"
    limit = body.get("max_tokens")
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        return "max_tokens: Input should be greater than or equal to 1"
    if "system" in body and not isinstance(body["system"], str | list):
        return "system: Input should be a valid string or list"
    thinking = body.get("thinking")
    if thinking is not None:
        kind = thinking.get("type") if isinstance(thinking, dict) else None
        old = body["model"].startswith(OLD_MODELS)
        if kind not in ("disabled", "enabled" if old else "adaptive"):
            return f"thinking.type: {kind!r} is not supported by this model"
    return _wrong_messages(body.get("messages"))


def _wrong_messages(messages: Any) -> str:
    if not isinstance(messages, list) or not messages:
        return "messages: at least one message is required"
    for index, message in enumerate(messages):
        if not isinstance(message, dict) or message.get("role") not in ("user", "assistant"):
            return f"messages.{index}.role: Input should be 'user' or 'assistant'"
        content = message.get("content")
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        texts = [block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
        if not blocks or any(not isinstance(text, str) or not text.strip() for text in texts):
            return f"messages.{index}: text content blocks must contain non-whitespace text"
    if messages[-1]["role"] != "user":
        return "This model does not support assistant message prefill. The conversation must end with a user message."
    return ""


def message(body: dict[str, Any], text: str, **usage: int) -> dict[str, Any]:
    """Build a good reply to a request."""
    return {
        "id": "msg_local",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 100, "output_tokens": 20} | usage,
    }


def echo(body: dict[str, Any]) -> dict[str, Any]:
    """Answer with the question itself, so that whatever is searched stays the question."""
    from querylab.models import requests

    return message(body, requests.question(body))


def by_rule(body: dict[str, Any]) -> dict[str, Any]:
    """Answer as the offline rules do, under the name of the model that was asked."""
    from querylab.rules.client import MockClient

    reply = asyncio.run(MockClient().messages.create(**body))
    return json.loads(reply.to_json()) | {"model": body["model"]}
