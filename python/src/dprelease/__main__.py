"""Runs the program: `python -m dprelease run job.yaml`."""

import os
import sys

from dprelease._program import find_program


def main() -> None:
    """Replaces this process by the program, so that signals and exit codes are the program's own."""
    program = find_program()
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
