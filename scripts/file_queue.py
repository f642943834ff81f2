"""A plugin of pytest: run test files that several processes share, each file in one of them.

    pytest -p scripts.file_queue --queue=FOLDER/NAME

The file NAME lists all files in the order in which this process would take them. Who takes one
leaves a mark in the folder, and the others pass it by.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--queue", type=Path, required=True, help="the list of files to share")


def pytest_configure(config: pytest.Config) -> None:
    """Take the place of pytest's own collection and loop."""
    config.pluginmanager.register(FileQueue(config.getoption("--queue")))


class FileQueue:
    """Reads a file when the one before it is about to run, so that what they share stays up."""

    def __init__(self, queue: Path) -> None:
        self._queue = queue
        self._files: list[pytest.File] | None = None
        self._collected = 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> bool:
        """Find the files, and read none of them yet."""
        session.perform_collect(self._queue.read_text().splitlines(), genitems=False)
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Keep the files from those who choose among tests, such as `-k`."""
        if self._files is None:
            self._files = items[:]
            items.clear()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run file after file until none is left."""
        ahead = self._read(session)
        items = next(ahead, [])
        while items:
            following = next(ahead, [])
            for item, after in zip(items, [*items[1:], *(following[:1] or [None])], strict=True):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
                if session.shouldfail:
                    raise session.Failed(session.shouldfail)
                if session.shouldstop:
                    raise session.Interrupted(session.shouldstop)
            items = following
        return True

    def _read(self, session: pytest.Session) -> Iterator[list[pytest.Item]]:
        """The tests of each file that is this process's, where there are any."""
        for file in self._files or ():
            if not self._take(file.nodeid):
                continue
            failed = session.testsfailed
            session.items = items = list(session.genitems(file))
            if session.testsfailed > failed:
                raise session.Interrupted(f"{file.nodeid} cannot be read")
            config = session.config
            config.hook.pytest_collection_modifyitems(session=session, config=config, items=items)
            self._collected += len(items)
            session.testscollected = self._collected
            if items:
                yield items

    def _take(self, name: str) -> bool:
        """Whether the file is ours now."""
        mark = self._queue.parent / name.replace("/", "+")
        try:
            mark.touch(exist_ok=False)
        except FileExistsError:
            return False
        return True
