"""Airflow 3: an operator that makes a release, and a sensor that waits for one.

    DpReleaseOperator(
        task_id="release", job="/srv/dprelease/job.yaml", job_params={"day": "{{ data_interval_start | ds }}"}
    )

A task may be repeated, killed or run twice at a time: the same parameters are the same release, which is charged once.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseOperator, BaseSensorOperator
from airflow.sdk.exceptions import AirflowFailException

import dprelease
from dprelease._program import stop_running

if TYPE_CHECKING:
    from airflow.providers.openlineage.extractors import OperatorLineage
    from airflow.sdk import Context

# Another try cannot mend these: the task fails at once, so that a person looks. An exhausted budget is one of them,
# since it is no reason to skip a data interval silently.
_FINAL = (dprelease.CheckError, dprelease.JobError, dprelease.BudgetError)


class DpReleaseOperator(BaseOperator):
    """Makes the release of a job, as `dprelease run` does.

    job: the path, text or dict of a job.
    job_params: values of its parameters, such as the date of the data interval.
    out: the release folder, instead of the job's `output.dir`.
    metrics, tmp_dir, anchor, sign, memory_limit: the flags of `dprelease run`.

    Exit codes 1, 2 and 4 (a stated check, the job, the budget) fail the task without a retry; all others are retried.
    The task returns the release's folder, status, digest and guarantee, and adds them to the events of its outlets.
    With the OpenLineage provider they are in the events of the run, too. All of these are public.
    """

    template_fields: Sequence[str] = ("job", "job_params", "out", "metrics")

    def __init__(
        self,
        *,
        job: dprelease.Job,
        job_params: Mapping[str, str] | None = None,
        out: str | os.PathLike[str] | None = None,
        metrics: str | None = None,
        tmp_dir: str | None = None,
        anchor: str | None = None,
        sign: str | None = None,
        memory_limit: str | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.job, self.job_params, self.out, self.metrics = job, job_params, out, metrics
        self.tmp_dir, self.anchor, self.sign, self.memory_limit = tmp_dir, anchor, sign, memory_limit
        self.release: dprelease.Release | None = None

    def execute(self, context: Context) -> dict[str, Any]:
        try:
            self.release = dprelease.run(
                self.job, params=self.job_params, out=self.out, metrics=self.metrics, tmp_dir=self.tmp_dir,
                anchor=self.anchor, sign=self.sign, memory_limit=self.memory_limit, progress=False,
            )  # fmt: skip
        except _FINAL as failure:
            raise AirflowFailException(f"not retried (exit code {failure.exit_code}): {failure}") from None
        facts = {
            "folder": str(self.release.path),
            "status": self.release.status,
            "manifest_sha256": self.release.outcome["manifest_sha256"],
            "epsilon": self.release.epsilon,
            "delta": self.release.delta,
        }
        for outlet in self.outlets:
            context["outlet_events"][outlet].extra = facts
        return facts

    def on_kill(self) -> None:
        """Stop the program: an unused reservation is given back, or what is sealed is finished."""
        stop_running()

    def get_openlineage_facets_on_complete(self, task_instance: Any) -> OperatorLineage:
        """Called by the OpenLineage provider."""
        from airflow.providers.openlineage.extractors import OperatorLineage

        from dprelease import lineage

        if self.release is None:
            return OperatorLineage()
        return OperatorLineage(
            inputs=lineage.inputs(self.release),
            outputs=lineage.outputs(self.release),
            run_facets=lineage.run_facets(self.release),
        )


class DpReleaseSensor(BaseSensorOperator):
    """Waits until a data interval of a dated job is published, as `dprelease status` says.

    window: the interval, as the job's date parameter is written. job_params are the values of the job's others.
    """

    template_fields: Sequence[str] = ("job", "window", "job_params")

    def __init__(self, *, job: dprelease.Job, window: str, job_params: Mapping[str, str] | None = None, **kwargs: Any):
        super().__init__(**kwargs)
        self.job, self.window, self.job_params = job, window, job_params

    def poke(self, context: Context) -> bool:
        found = dprelease.status(self.job, params=self.job_params, first=self.window, last=self.window)
        return [w.state for w in found] == ["published"]
