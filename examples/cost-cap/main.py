"""Adds up what the model costs, warns before the budget is spent, and stops the agent when it is."""

import asyncio
from collections import Counter
from typing import Any

from hookweave import GenerateEndEvent, GenerateStartEvent, HookClient, HookResponse, ModelRequest

# Millionths of a dollar for a token that goes in and one that comes out. Whole numbers: nothing is rounded.
PRICES = {"small": (1, 5), "large": (3, 15)}
BUDGET = 70_000
WARN_AT = BUDGET * 8 // 10

client = HookClient()
spent: Counter[str] = Counter()


@client.hook("GenerateEnd")
def meter(event: GenerateEndEvent) -> HookResponse | None:
    """Adds up the cost of the session; a model of unknown cost also stops it."""
    cost = cost_of(event)
    if cost is None:
        return HookResponse.stop(f"the cost of the model {event.model} is unknown")
    before = spent[event.session_id]
    now = spent[event.session_id] = before + cost
    if now >= BUDGET:
        return HookResponse.stop(f"the budget of {dollars(BUDGET)} is spent: {dollars(now)}")
    if before < WARN_AT <= now:
        return HookResponse.continue_(message={"text": f"{dollars(now)} of {dollars(BUDGET)}", "level": "warning"})
    return None


@client.hook("GenerateStart", fail_behavior="block")
def cap(event: GenerateStartEvent) -> HookResponse | None:
    """Keeps the model from being called once the budget is spent, also for the next prompt."""
    return HookResponse.stop("the budget is spent") if spent[event.session_id] >= BUDGET else None


def cost_of(event: GenerateEndEvent) -> int | None:
    """What one answer costs; None where the model does not say how many tokens it took."""
    usage: dict[str, int] = event.response.get("usage") or {}
    if event.model not in PRICES or not {"input_tokens", "output_tokens"} <= usage.keys():
        return None
    price_in, price_out = PRICES[event.model]
    return usage["input_tokens"] * price_in + usage["output_tokens"] * price_out


def dollars(cost: int) -> str:
    """Millionths of a dollar, for people."""
    return f"${cost // 1_000_000}.{cost % 1_000_000 // 100:04}"


def model(request: ModelRequest) -> dict[str, Any]:
    """Stands for a model that keeps on searching; each answer takes in all that was said before."""
    usage = {"input_tokens": 1_000 * len(request.messages), "output_tokens": 200}
    if "quickly" in request.prompt:
        return {"text": "Here it is.", "usage": usage}
    return {"text": "I look further.", "tool_calls": [{"name": "Search"}], "usage": usage}


class Screen:
    """Where the user reads."""

    def show_message(self, text: str, level: str, source: str) -> None:
        """Prints the message."""
        print(f"    {level} from {source}: {text}")


async def main() -> None:
    """Two sessions: each has a budget of its own."""
    client.register_tool("Search", lambda args: "nothing found")
    client.register_model(model)
    for name, prompts in {"first": ["Find it.", "Go on."], "second": ["Find it quickly."]}.items():
        session = client.session(name, model="large", display=Screen())
        for prompt in prompts:
            print(f"{name} session: {prompt}")
            answer = await session.generate(prompt)
            print(f"    {answer.status} after {answer.model_calls} calls of the model: {answer.reason or answer.text}")
        print(f"    it cost {dollars(spent[name])}")


asyncio.run(main())
