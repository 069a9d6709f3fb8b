"""The Messages API as far as the stand-in must keep to it: reading content blocks, and refusing what the API refuses.

In: a request as it came. Out: its blocks and text, or the error that the API would give.
"""

import json
from typing import Any


def blocks(message: Any, kind: str) -> list[dict[str, Any]]:
    """List the content blocks of one kind in a message."""
    content = message.get("content") if isinstance(message, dict) else None
    blocks = [plain_block(block) for block in content] if isinstance(content, list | tuple) else []
    return [block for block in blocks if block.get("type") == kind]


def plain_block(block: Any) -> dict[str, Any]:
    """A content block as plain data; the SDK also takes its own objects back."""
    return block if isinstance(block, dict) else block.model_dump() if hasattr(block, "model_dump") else {}


def text(content: Any) -> str:
    """All text in some content, that of tool calls and their results included."""
    if isinstance(content, str):
        return content
    parts = []
    for block in map(plain_block, content):
        if block.get("type") == "tool_use":
            parts.append(json.dumps(block.get("input"), ensure_ascii=False))
        elif block.get("type") == "tool_result":
            parts.append(text(block.get("content") or ""))
        else:
            parts.append(block.get("text", ""))
    return "\n".join(parts)


def refuse_bad(request: dict[str, Any]) -> None:
    """Raise what the API raises for requests it does not take."""
    messages, system = request["messages"], request.get("system")
    sampling = [name for name in ("temperature", "top_p", "top_k") if name in (request.get("extra_body") or {})]
    fault = ""
    if sampling:
        fault = f"{sampling[0]}: sampling parameters are not supported"
    elif not _whole(request["max_tokens"]) or request["max_tokens"] < 1:
        fault = "max_tokens: must be a whole number from 1"
    elif not messages:
        fault = "messages: at least one message is required"
    elif not _thinking_taken(request.get("thinking"), request["model"]):
        fault = "thinking.type: not supported by this model; the lab's prompts use 'disabled'"
    elif system is not None and not isinstance(system, str | list):
        fault = "system: must be a text or a list of text blocks"
    else:
        for index, message in enumerate(messages):
            if not isinstance(message, dict) or message.get("role") not in ("user", "assistant"):
                fault = f"messages.{index}.role: must be 'user' or 'assistant'"
            elif not message.get("content") or not text(message["content"]).strip():
                fault = f"messages.{index}: content must not be empty"
        fault = fault or _unanswered(messages)
        if not fault and messages[-1]["role"] == "assistant":
            fault = "messages: the conversation must end with a user message (prefill is not supported)"
    if fault:
        raise _bad_request(fault)


def _unanswered(messages: list[dict[str, Any]]) -> str:
    """Say which tool call has no result in the very next message, or which result no call; "" when none."""
    for index, message in enumerate(messages):
        asked = {use.get("id") for use in blocks(message, "tool_use")}
        following = messages[index + 1] if index + 1 < len(messages) else None
        given = {result.get("tool_use_id") for result in blocks(following, "tool_result")}
        if asked - given:
            return f"messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately after"
        if given - asked:
            return f"messages.{index + 1}: unexpected `tool_use_id` found in `tool_result` blocks"
    if messages and blocks(messages[0], "tool_result"):
        return "messages.0: unexpected `tool_use_id` found in `tool_result` blocks"
    return ""


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _thinking_taken(thinking: Any, model: str) -> bool:
    if thinking is None:
        return True
    kind = thinking.get("type") if isinstance(thinking, dict) else None
    return kind in ("disabled", "enabled" if model.startswith("claude-haiku-4-5") else "adaptive")


def _bad_request(fault: str) -> Exception:
    import anthropic
    import httpx2

    body = {"type": "error", "error": {"type": "invalid_request_error", "message": fault}}
    request = httpx2.Request("POST", "mock://messages")
    return anthropic.BadRequestError(fault, response=httpx2.Response(400, request=request, json=body), body=body)
