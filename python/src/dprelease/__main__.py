"""Runs the program: `python -m dprelease run job.yaml`."""

import os
import subprocess
import sys

from dprelease._program import find_program


def main() -> None:
    """Replaces this process by the program, so that signals and exit codes are the program's own."""
    command = [find_program(), *sys.argv[1:]]
    if os.name == "nt":  # execv starts another process there, and does not wait for it
        sys.exit(subprocess.run(command).returncode)
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
