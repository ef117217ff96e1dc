"""The exceptions of this package, one for each exit code of the program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Problem:
    """One fault, at its place in the job or in a file of the input."""

    code: str
    """The code, such as `unknown-key`; `dprelease explain CODE` explains it."""
    message: str
    hint: str = ""
    """What to do; may be empty."""
    file: str = ""
    """The file, `<job>` for a job that is a text or a dict, or empty."""
    line: int = 0
    """The line from 1, or 0 if the fault is in no line."""
    column: int = 0

    @property
    def place(self) -> str:
        """file:line:column, as far as they are known."""
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file

    def __str__(self) -> str:
        start = f"{self.place}: " if self.place else ""
        return f"{start}{self.code}: {self.message}" + (f"\n    hint: {self.hint}" if self.hint else "")


class ReleaseError(Exception):
    """The program failed. No message of it holds a private value."""

    def __init__(self, exit_code: int, problems: list[Problem]):
        super().__init__("\n".join(map(str, problems)))
        self.exit_code = exit_code
        """The program's exit code, see docs/reference/cli.md."""
        self.problems = problems
        """All faults; the attributes below are those of the first."""
        self.code = problems[0].code
        self.place = problems[0].place
        self.hint = problems[0].hint

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.exit_code, self.problems)


class CheckError(ReleaseError):
    """Exit code 1: a stated check is not met."""


class JobError(ReleaseError):
    """Exit code 2: the job, or the arguments."""


class InputError(ReleaseError):
    """Exit code 3: the private table."""


class BudgetError(ReleaseError):
    """Exit code 4: the budget does not pay for the release."""


class OutputError(ReleaseError):
    """Exit code 5: the release folder."""


class LedgerError(ReleaseError):
    """Exit code 6: the ledger."""


class BusyError(ReleaseError):
    """Exit code 75: another process works on this run, its folder or its ledger. Try again later."""


BY_EXIT_CODE: dict[int, type[ReleaseError]] = {
    1: CheckError, 2: JobError, 3: InputError, 4: BudgetError, 5: OutputError, 6: LedgerError, 75: BusyError,
}  # fmt: skip
