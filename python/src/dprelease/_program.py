"""Finds and runs the program that the wheel brings."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Protocol, Union

from dprelease.errors import BY_EXIT_CODE, Problem, ReleaseError

Job = Union[str, "os.PathLike[str]", Mapping[str, Any]]
"""A job: the path of a job file, the text of one (a string with a line end), or a dict of its keys."""

Progress = Callable[[str, int, int], None]
"""Is called with a stage, how many tenths of it are done, and their number."""

_running: list[subprocess.Popen[bytes]] = []

_WINDOWS = os.name == "nt"
_JOB_FILE = ".dprelease-job-"
_NAME = "dprelease.exe" if _WINDOWS else "dprelease"

_PATIENCE = 10  # seconds; the program needs five at most to end after a signal


class Feed(Protocol):
    """Writes a table to the program's standard input."""

    def __call__(self, sink: IO[bytes], /) -> None: ...


def find_program() -> str:
    """Return the path of the program.

    That is the file that `DPRELEASE_PROGRAM` names if the variable is set, such as a build with object stores; else the
    program of this wheel, which installers put beside the scripts of the environment.

    Raises FileNotFoundError if there is none.
    """
    if named := os.environ.get("DPRELEASE_PROGRAM"):
        return named
    package = Path(__file__).resolve().parent.parent
    folders = [
        Path(sysconfig.get_path("scripts")),
        Path(sys.executable).parent,
        Path(sysconfig.get_path("scripts", scheme=sysconfig.get_preferred_scheme("user"))),
        package / "bin",  # pip install --target
        package.parent.parent.parent / "bin",  # an environment on PYTHONPATH, as uv run --with makes it
    ]
    for folder in folders:
        if os.access(folder / _NAME, os.X_OK):
            return str(folder / _NAME)
    raise FileNotFoundError(
        "the program dprelease is not in " + ", ".join(map(str, folders)) + "; install the wheel again, or name the "
        "program with DPRELEASE_PROGRAM"
    )


@contextlib.contextmanager
def job_argument(job: Job) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the program's argument for a job, and the descriptors that the program needs for it.

    A text or a dict goes through a file without a name, so that its relative paths start at the current folder; on
    Windows through a file in that folder.
    """
    if isinstance(job, Mapping):
        text = json.dumps(job, default=str, ensure_ascii=False)
    elif isinstance(job, str) and "\n" in job:
        text = job
    else:
        yield os.fspath(job), ()
        return
    if _WINDOWS:
        named = tempfile.NamedTemporaryFile(dir=".", prefix=_JOB_FILE, suffix=".yaml", delete=False)
        try:
            with named:
                named.write(text.encode())
            yield named.name, ()
        finally:
            os.unlink(named.name)
        return
    with tempfile.TemporaryFile() as file:
        file.write(text.encode())
        file.seek(0)
        yield f"/dev/fd/{file.fileno()}", (file.fileno(),)


def call(
    args: list[str],
    *,
    descriptors: tuple[int, ...] = (),
    feed: Feed | None = None,
    progress: Progress | None = None,
    accept: tuple[int, ...] = (),
) -> Any:
    """Run the program and return the JSON that it prints, if it prints JSON.

    Raises a ReleaseError if it ends with another code than 0 and those of `accept`. An interruption, such as that of a
    notebook's cell, ends the program first: it leaves one release or none, and one charge at most.
    """
    process = subprocess.Popen(
        [find_program(), *args, "--log", "json"],
        stdin=subprocess.PIPE if feed else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=descriptors,
    )
    assert process.stdout and process.stderr
    _running.append(process)
    failures: list[BaseException] = []
    printed: list[bytes] = []
    stdout = process.stdout
    threads = [threading.Thread(target=lambda: printed.append(stdout.read()), daemon=True)]
    if feed:
        threads.append(threading.Thread(target=_feed, args=(process, feed, failures), daemon=True))
    problems: list[Problem] = []
    try:
        for thread in threads:
            thread.start()
        for line in process.stderr:
            problems += _read_line(line, progress)
        code = process.wait()
        for thread in threads:
            thread.join()
    except BaseException:
        _stop(process)
        raise
    finally:
        _running.remove(process)
        process.stderr.close()
        stdout.close()
    if failures:
        raise failures[0]
    text = b"".join(printed)
    if code != 0 and not (code in accept and text):
        fallback = [Problem("stopped", f"the program ended with exit code {code}")]
        raise BY_EXIT_CODE.get(code, ReleaseError)(code, problems or fallback)
    return json.loads(text) if text.startswith(b"{") else None


def stop_running() -> None:
    """Ask all programs that this process has started to end, from a handler of signals or another thread."""
    for process in list(_running):
        process.terminate()


def _feed(process: subprocess.Popen[bytes], feed: Feed, failures: list[BaseException]) -> None:
    """Write the table. If that fails the program is killed: it has seen no end of a table, and has charged nothing."""
    assert process.stdin
    try:
        feed(process.stdin)
        process.stdin.close()
    except BrokenPipeError:  # the program needs no table: its release is there
        pass
    except BaseException as failure:
        failures.append(failure)
        process.kill()
    finally:
        with contextlib.suppress(OSError):
            process.stdin.close()


def _read_line(line: bytes, progress: Progress | None) -> list[Problem]:
    """Read a line of the log: report its progress, return its problems."""
    try:
        entry = json.loads(line)
    except ValueError:
        return [Problem("internal", line.decode(errors="replace").strip())]
    if entry.get("msg") == "progress" and progress:
        progress(entry["stage"], entry["done"], entry["total"])
    found = [Problem(**problem) for problem in entry.get("problems", ())]
    passed = ("/dev/fd/", _JOB_FILE)  # the job had no file of its own
    return [Problem(**{**vars(p), "file": "<job>"}) if any(s in p.file for s in passed) else p for p in found]


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End the program as an operator would, so that it leaves its run in order. On Windows that kills it."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
