"""How a task ends, with stand-ins for Airflow. check_airflow.py runs the example under Airflow itself."""

import sys
import types
from pathlib import Path
from typing import Any

import pytest


class FailException(Exception):
    pass


class Operator:
    def __init__(self, *, task_id: str, outlets: tuple[Any, ...] = ()):
        self.task_id, self.outlets = task_id, outlets


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Any:
    for name, members in {
        "airflow": {},
        "airflow.sdk": {"BaseOperator": Operator, "BaseSensorOperator": Operator},
        "airflow.sdk.exceptions": {"AirflowFailException": FailException},
    }.items():
        stand_in = types.ModuleType(name)
        vars(stand_in).update(members)
        monkeypatch.setitem(sys.modules, name, stand_in)
    monkeypatch.delitem(sys.modules, "dprelease.airflow", raising=False)
    import dprelease.airflow

    return dprelease.airflow


# An exhausted budget, a broken job and a check that is not met fail the task at once. Nothing skips it. All else is
# tried again.
@pytest.mark.parametrize("code", [1, 2, 3, 4, 5, 6, 70, 75, 143])
def test_ends_of_the_task(code: int, module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    program = Path("program")
    arguments = "run job.yaml --json --param=day=2026-11-20 --metrics=m.prom --log json"
    program.write_text(f'#!/bin/sh\n[ "$*" = "{arguments}" ] || exit 99\nexit {code}\n')
    program.chmod(0o755)
    monkeypatch.setenv("DPRELEASE_PROGRAM", str(program.resolve()))
    task = module.DpReleaseOperator(
        task_id="release", job="job.yaml", job_params={"day": "2026-11-20"}, metrics="m.prom"
    )
    with pytest.raises(Exception) as failure:
        task.execute({})
    assert isinstance(failure.value, FailException) == (code in (1, 2, 4))
    assert str(code) in str(failure.value)


def test_a_task_returns_public_facts(module: Any) -> None:
    outlet = types.SimpleNamespace(extra=None)
    task = module.DpReleaseOperator(task_id="release", job="job.yaml", outlets=("asset",))
    facts = task.execute({"outlet_events": {"asset": outlet}})
    assert facts["status"] == "released" and facts["epsilon"] == 1 and outlet.extra == facts
    assert task.execute({"outlet_events": {"asset": outlet}})["status"] == "already-released"
