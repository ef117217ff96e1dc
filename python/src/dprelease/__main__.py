"""Runs the program: `python -m dprelease run job.yaml`."""

import os
import signal
import subprocess
import sys

from dprelease._program import find_program


def main() -> None:
    """Replaces this process by the program, so that signals and exit codes are the program's own."""
    command = [find_program(), *sys.argv[1:]]
    if os.name == "nt":  # execv starts another process there, and does not wait for it
        sys.exit(wait_for(command))
    os.execv(command[0], command)


def wait_for(command: list[str]) -> int:
    """Run a command and return its exit code. Ctrl+C reaches the command too, which ends in order: wait for that."""
    signal.signal(signal.SIGINT, lambda *_: None)  # a command does not inherit a handler, as it would SIG_IGN
    return subprocess.Popen(command).wait()


if __name__ == "__main__":
    main()
