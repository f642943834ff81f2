"""Runs between us and an agent program, so that nothing of the program outlives its call.

It is run as a script of its own, by path and with nothing but the standard library: it starts the
program in a session of its own, and ends it with all its descendants once the program is done, or
once the pipe that we hold closes. The system closes that pipe even where we were killed.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from contextlib import suppress

GRACE = 0.5
"""Seconds that a program has to end by itself after SIGTERM."""
# A second in all: a program that forks faster than it is killed must not keep us here for ever.
SWEEPS = 100
# As shells say it: 127 for a program that cannot be run, 128 + 15 for one ended by SIGTERM.
UNRUNNABLE = 127
STOPPED = 143
_DEATH_SIGNAL, _SUBREAPER = 1, 36  # prctl's numbers on Linux
# Ignored signals stay ignored in a program that is started: Python ignores SIGPIPE and SIGXFSZ,
# and we ignore those that would end us.
_RESET = ("SIGTERM", "SIGINT", "SIGHUP", "SIGPIPE", "SIGXFSZ", "SIGCHLD")


def main(control: int, folder: str, command: list[str]) -> int:
    """Run a command until it ends or `control` closes; return its exit code."""
    os.set_inheritable(control, False)
    _prctl(_SUBREAPER, 1)  # orphans below us become our children
    wake = _wake_pipe()
    child = _start(command)
    _drop_pipes()
    code = _watch(child, control, wake)
    if code is None:
        code = _end(child, wake)
        _sweep(child)
        _remove(folder)  # the process that would have removed it may be gone
    else:
        _sweep(child)
    return code


def _watch(child: int, control: int, wake: int) -> int | None:
    """Return the exit code of the program; None if it is to be stopped."""
    while (code := _reap(child)) is None:
        ready, _, _ = select.select([control, wake], [], [])
        if control in ready:
            return None
        os.read(wake, 4096)
    return code


def _end(child: int, wake: int) -> int:
    """Tell the program to end, and give it a moment for it."""
    _signal(child, signal.SIGTERM)
    until = time.monotonic() + GRACE
    while (code := _reap(child)) is None:
        left = until - time.monotonic()
        if left <= 0:
            return STOPPED
        if select.select([wake], [], [], left)[0]:
            os.read(wake, 4096)
    return code


def _sweep(child: int) -> None:
    """Kill what is left: the program's own group, and the orphans that became our children."""
    # What is killed leaves orphans of its own, which become our children and are killed in turn.
    for _ in range(SWEEPS):
        _signal(child, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                continue
        except ChildProcessError:
            return
        for pid in _children():
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)


def _start(command: list[str]) -> int:
    warden = os.getpid()
    child = os.fork()
    if child:
        return child
    try:
        os.setsid()
        for name in _RESET:
            signal.signal(getattr(signal, name), signal.SIG_DFL)
        _prctl(_DEATH_SIGNAL, signal.SIGKILL)
        # Had the warden died before the line above, nobody would send that signal.
        if os.getppid() == warden:
            os.execvp(command[0], command)  # noqa: S606 - what to run is the caller's decision
    except OSError as e:
        os.write(2, f"{command[0]} cannot be run: {e.strerror}\n".encode())
    finally:
        os._exit(UNRUNNABLE)


def _signal(child: int, number: int) -> None:
    """Signal the program and its group; it may not lead one yet, or be gone."""
    for send in (os.kill, os.killpg):
        with suppress(OSError):
            send(child, number)


def _reap(child: int) -> int | None:
    """Return the program's exit code, once it has ended; other ended children are reaped, too."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return STOPPED
        if pid == 0:
            return None
        if pid == child:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def _children() -> list[int]:
    """Return our child processes, where the system tells."""
    own, children = str(os.getpid()).encode(), []
    with suppress(OSError):
        for name in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208 - no import for this
            with suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123
                # "42 (a) name) S 7 ...": the name may hold blanks and brackets, so it is cut at the
                # last one.
                if file.read().rpartition(b")")[2].split()[1] == own:
                    children.append(int(name))
    return children


def _wake_pipe() -> int:
    """Return a pipe that can be read once a child has ended; ignore signals that would end us."""
    wake, written = os.pipe()
    os.set_blocking(wake, False)
    os.set_blocking(written, False)
    signal.set_wakeup_fd(written, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    return wake


def _drop_pipes() -> None:
    """Close our ends of the program's pipes: they then close when the program closes them."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)
    os.close(nothing)


def _prctl(option: int, value: int) -> None:
    if sys.platform != "linux":
        return
    with suppress(ImportError, OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None).prctl(option, int(value), 0, 0, 0)


def _remove(folder: str) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    os._exit(main(int(sys.argv[1]), sys.argv[2], sys.argv[3:]))
