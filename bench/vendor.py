"""A vendor for the benchmark: streams its answers, as slowly as the model's name says.

Model `m400x50` answers after 400 ms with 50 tokens, all the same. `v400x800` answers after 400 ms
with 50 to 800 tokens that differ from call to call, as real ones do. `p50x400` says 50 tokens a
second, 400 in all, each of which tells the millisecond that it was sent. `w50x20000` says 50 tokens
a second, too, until it has written 20,000 characters of Markdown with tables, code and formulas.
`GET /connections` counts the connections that were ever opened, `GET /first_token` says when the
first token since the last look was sent. With a number as its argument it serves so many calls at
once and refuses further ones; `GET /load` has the times of both. It runs as a process of its own,
so that its work is not measured.
"""

from __future__ import annotations

import asyncio
import math
import re
import sys
import time
from contextlib import suppress
from itertools import count
from random import randint

import orjson
from aiohttp import web
from answers import answer, closing, pieces  # beside this file, which is run as a script

FIRST: list[float] = []
SERVED: list[tuple[float, float]] = []
REFUSED: list[float] = []
AT_ONCE = float(sys.argv[1]) if len(sys.argv) > 1 else math.inf
CLOSING = (
    "\n\nBOTTOM LINE: It is a matter of tokens.\n",
    "CONFIDENCE: 80 %\n",
    "ON THE OTHERS: A agree; B agree; C agree; D agree; E agree\n",
    "CHANGED: nothing",
)
BUSY: set[float] = set()
NAME = re.compile(r"([mpvw])(\d+)x(\d+)")
ANSWERS = 97
VARIED: dict[int, list[list[bytes]]] = {}
"""How many answers there are, and each as its writes; the closing lines are new in every call."""
TURN = count()
TOKEN, PARAGRAPH = 4, 60
"""Characters of a token, about; tokens of a paragraph."""


def chunk(model: str, **choice: object) -> bytes:
    """One event as OpenAI sends it, padded so that its length tells nothing."""
    body = {
        "id": "chatcmpl-CMKBAwIeVPhQ8BzhAgq2hye6j3ewH", "object": "chat.completion.chunk",
        "created": 1759436820, "model": model, "service_tier": "default",
        "system_fingerprint": "fp_cbf1785567", "choices": [{**choice, "logprobs": None}],
        "usage": None, "obfuscation": "xA1TnUUUG9iFSq7"[: randint(2, 15)],
    }  # fmt: skip
    return b"data: " + orjson.dumps(body) + b"\n\n"


def ending(model: str, tokens: int) -> bytes:
    usage = {"prompt_tokens": 100, "completion_tokens": tokens, "total_tokens": 100 + tokens}
    body = {"id": "c", "model": model, "choices": [], "usage": usage}
    return (
        chunk(model, index=0, delta={}, finish_reason="stop")
        + (b"data: " + orjson.dumps(body) + b"\n\n")
        + b"data: [DONE]\n\n"
    )


async def at_once(request, response, model: str, delay: int, tokens: int) -> None:
    await asyncio.sleep(delay / 1000)
    await response.prepare(request)
    FIRST.append(time.time())
    piece = chunk(model, index=0, delta={"content": "token "}, finish_reason=None)
    for start in range(0, tokens, 10):
        await response.write(piece * min(10, tokens - start))
        await asyncio.sleep(0)
    for line in CLOSING:
        await response.write(chunk(model, index=0, delta={"content": line}, finish_reason=None))


async def varied(request, response, model: str, delay: int, most: int) -> None:
    if most not in VARIED:
        VARIED[most] = [writes(answer(seed, most), seed) for seed in range(ANSWERS)]
    await asyncio.sleep(delay / 1000)
    await response.prepare(request)
    FIRST.append(time.time())
    turn = next(TURN)
    for some in (*VARIED[most][turn % ANSWERS], *writes(closing(turn), turn)):
        await response.write(some)
        await asyncio.sleep(0)


def writes(text: str, seed: int) -> list[bytes]:
    """A text as the bytes of its writes: ten chunks each, as a network joins them."""
    said = [
        chunk("varied", index=0, delta={"content": piece}, finish_reason=None)
        for piece in pieces(text, seed)
    ]
    return [b"".join(said[n : n + 10]) for n in range(0, len(said), 10)]


async def paced(request, response, model: str, pace: int, tokens: int) -> None:
    await response.prepare(request)
    begun = time.monotonic()
    for n in range(tokens):
        await asyncio.sleep(max(0.0, begun + n / pace - time.monotonic()))
        end = " " if (n + 1) % PARAGRAPH else "\n\n"
        said = {"content": f"@{time.time() * 1000:.3f}{end}"}
        await response.write(chunk(model, index=0, delta=said, finish_reason=None))


def section(number: int) -> str:
    """A part of a long answer, as models write them."""
    rows = "\n".join(f"| case {n} | {n * 7 % 13} ms | **{n * 31 % 97} %** |" for n in range(24))
    code = "\n".join(f"    total_{n} = weigh(items[{n}], by='size')  # part {n}" for n in range(40))
    return (
        f"## Part {number}\n\nThe cost of $n$ items grows as $O(n \\log n)$, so that a **large** "
        "team pays more; see `weigh` below, and [the notes](https://example.org/notes).\n\n"
        f"| what | time | share |\n|---|---:|---:|\n{rows}\n\n"
        f"```python\ndef part_{number}(items):\n{code}\n    return total_0\n```\n\n"
        "$$\\sum_{i=1}^{n} \\frac{x_i^2}{\\sqrt{1 + x_i}} \\le \\int_0^n f(t)\\,dt$$\n\n"
        "1. first, what nobody contests;\n2. then, what is open:\n   - the size,\n   - the price."
        "\n\n"
    )


async def written(request, response, model: str, pace: int, size: int) -> None:
    text = "".join(section(n) for n in range(1, 2 + size // 2_000))[:size]
    await response.prepare(request)
    begun = time.monotonic()
    for n, at in enumerate(range(0, len(text), TOKEN)):
        await asyncio.sleep(max(0.0, begun + n / pace - time.monotonic()))
        said = {"content": text[at : at + TOKEN]}
        await response.write(chunk(model, index=0, delta=said, finish_reason=None))
    for line in CLOSING:
        await response.write(chunk(model, index=0, delta={"content": line}, finish_reason=None))


async def complete(request: web.Request) -> web.StreamResponse:
    body = orjson.loads(await request.read())
    if len(BUSY) >= AT_ONCE:
        REFUSED.append(time.monotonic())
        error = {"message": "Too many at once", "type": "rate_limit_exceeded"}
        return web.json_response({"error": error}, status=429)
    began = time.monotonic()
    BUSY.add(began)
    try:
        return await served(request, body)
    finally:
        BUSY.discard(began)
        SERVED.append((began, time.monotonic()))


async def served(request: web.Request, body: dict) -> web.StreamResponse:
    model = body["model"]
    kind, number, tokens = NAME.match(model).groups()
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    say = {"m": at_once, "p": paced, "v": varied, "w": written}[kind]
    with suppress(ConnectionError):
        await say(request, response, model, int(number), int(tokens))
        await response.write(ending(model, int(tokens)))
        await response.write_eof()
    return response


def main() -> None:
    connections = 0

    def counted(make):
        def protocol(*args, **kwargs):
            nonlocal connections
            connections += 1
            return make(*args, **kwargs)

        return protocol

    async def connected(_: web.Request) -> web.Response:
        return web.json_response(connections)

    async def first(_: web.Request) -> web.Response:
        at = min(FIRST, default=0.0)
        FIRST.clear()
        return web.json_response(at)

    async def load(_: web.Request) -> web.Response:
        return web.json_response({"served": SERVED, "refused": REFUSED})

    async def serve() -> None:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", complete)
        app.router.add_get("/connections", connected)
        app.router.add_get("/first_token", first)
        app.router.add_get("/load", load)
        runner = web.AppRunner(app, access_log=None, keepalive_timeout=300)
        await runner.setup()
        loop = asyncio.get_running_loop()
        server = await loop.create_server(counted(runner.server), "127.0.0.1", 0, backlog=4096)
        print(server.sockets[0].getsockname()[1], flush=True)
        await asyncio.to_thread(sys.stdin.read)  # the parent's end is ours

    asyncio.run(serve())


if __name__ == "__main__":
    main()
