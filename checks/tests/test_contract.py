"""One line of technique code serves both models: mock and live take, refuse and return the same."""

import asyncio
from typing import Any

import anthropic
import pytest
from anthropic.types import Message, TextBlock, Usage
from querylab import prompts
from querylab.rules.client import MockClient
from querylab.settings import SettingError

from checks import fake_api
from checks.fake_api import FakeAPI
from checks.live_setup import Connect, connect, key

__all__ = ["connect", "key"]  # fixtures

PASSAGE = "年假规定\n结转\n未休完的年假最多结转三天，由部门负责人审批。"
HISTORY = [
    {"role": "user", "content": "年假可以结转吗"},
    {"role": "assistant", "content": "可以，由部门负责人审批。"},
]
GOOD: dict[str, dict[str, Any]] = {
    "rewrite": prompts.rewrite(HISTORY, "最多几天呢"),
    "hyde": prompts.hyde("年假最多结转几天"),
    "multi_query": prompts.multi_query("年假最多结转几天"),
    "step_back": prompts.step_back("年假最多结转几天"),
    "classify": prompts.classify("谢谢"),
    "bridge": prompts.bridge("年假结转由谁审批，这个人叫什么", [PASSAGE]),
    "answer": prompts.answer("年假最多结转几天", [("leave#1", PASSAGE)]),
    "reply": prompts.reply([], "你好"),
    "cut off": prompts.hyde("年假最多结转几天") | {"max_tokens": 3},
    "older model": prompts.hyde("年假最多结转几天") | {"model": "claude-haiku-4-5-20251001"},
    "system left out": {name: value for name, value in prompts.hyde("年假").items() if name != "thinking"},
}
SOUND = prompts.hyde("年假最多结转几天")


def without(name: str) -> dict[str, Any]:
    return {key_: value for key_, value in SOUND.items() if key_ != name}


def said(*messages: Any) -> dict[str, Any]:
    return SOUND | {"messages": list(messages)}


USER = {"role": "user", "content": "年假"}
BAD: dict[str, dict[str, Any]] = {
    "no messages": said(),
    "messages missing": without("messages"),
    "model missing": without("model"),
    "max_tokens missing": without("max_tokens"),
    "model empty": SOUND | {"model": ""},
    "model without a price": SOUND | {"model": "claude-unheard-of"},
    "max_tokens 0": SOUND | {"max_tokens": 0},
    "max_tokens negative": SOUND | {"max_tokens": -1},
    "max_tokens text": SOUND | {"max_tokens": "200"},
    "max_tokens true": SOUND | {"max_tokens": True},
    "temperature": SOUND | {"temperature": 0},
    "top_p": SOUND | {"top_p": 1},
    "top_k": SOUND | {"top_k": 1},
    "temperature by the back door": SOUND | {"extra_body": {"temperature": 0}},
    "unknown argument": SOUND | {"prompt": "年假"},
    "stream": SOUND | {"stream": True},
    "system number": SOUND | {"system": 5},
    "unknown role": said({"role": "system", "content": "年假"}),
    "no role": said({"content": "年假"}),
    "empty content": said({"role": "user", "content": ""}),
    "blank content": said({"role": "user", "content": " \n"}),
    "content missing": said({"role": "user"}),
    "no content blocks": said({"role": "user", "content": []}),
    "empty content later": said(USER, {"role": "assistant", "content": ""}, USER),
    "prefill": said(USER, {"role": "assistant", "content": "好的，"}),
    "message is a text": said("年假"),
    "thinking budget": SOUND | {"thinking": {"type": "enabled", "budget_tokens": 1024}},
    "thinking unknown": SOUND | {"thinking": {"type": "sometimes"}},
}


async def outcome(client: Any, request: dict[str, Any]) -> Any:
    try:
        return await client.messages.create(**request)
    except Exception as error:
        return error


@pytest.mark.parametrize("name", GOOD)
def test_the_same_types_and_the_same_text(name: str, connect: Connect) -> None:
    mock = asyncio.run(outcome(MockClient(), GOOD[name]))
    with FakeAPI(answer=fake_api.by_rule) as api:
        live = asyncio.run(outcome(connect(api), GOOD[name]))
    for message in (mock, live):
        assert type(message) is Message
        assert (message.type, message.role) == ("message", "assistant")
        assert all(type(block) is TextBlock for block in message.content)
        assert type(message.usage) is Usage
        assert message.usage.input_tokens > 0 and message.usage.output_tokens > 0
    assert [block.text for block in live.content] == [block.text for block in mock.content]
    assert live.stop_reason == mock.stop_reason == ("max_tokens" if name == "cut off" else "end_turn")
    assert live.usage.output_tokens == mock.usage.output_tokens <= GOOD[name]["max_tokens"]


@pytest.mark.parametrize("name", BAD)
def test_the_same_refusals(name: str, connect: Connect) -> None:
    mock = asyncio.run(outcome(MockClient(), BAD[name]))
    with FakeAPI() as api:
        client = connect(api)
        live = asyncio.run(outcome(client, BAD[name]))
    assert isinstance(mock, TypeError | SettingError | anthropic.BadRequestError), mock
    assert type(live) is type(mock), live
    if isinstance(mock, anthropic.BadRequestError):
        assert live.status_code == mock.status_code == 400
        assert live.type == mock.type == "invalid_request_error"
        assert live.api_message and mock.api_message
        assert len(api.seen) == 1  # refused once, not tried again
    assert len(client.store) == 0


def test_both_say_whether_their_time_is_modelled(connect: Connect) -> None:
    assert MockClient().modelled is True
    with FakeAPI() as api:
        assert connect(api).modelled is False
