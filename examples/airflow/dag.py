"""A nightly release. Retries are safe: a run that is repeated finds its release and spends nothing, one that was cut short is taken up under
the same charge, and two at a time of one window are one and "try again later" (exit code 75)."""

from datetime import datetime, timedelta

from airflow import DAG
from airflow.exceptions import AirflowException, AirflowFailException
from airflow.hooks.subprocess import SubprocessHook
from airflow.models.baseoperator import BaseOperator

# What another try cannot mend: the task fails at once, so that a person looks. An exhausted budget (4) is one of them: it is no reason to
# skip a window silently.
FINAL = {1: "a stated check is not met", 2: "the job file is wrong", 4: "the budget does not pay for this release"}


class ReleaseOperator(BaseOperator):
    """Runs a dated job for one window."""

    template_fields = ("job", "day")

    def __init__(self, *, job, day, metrics=None, **kwargs):
        super().__init__(**kwargs)
        self.job, self.day, self.metrics = job, day, metrics
        self.hook = SubprocessHook()

    def execute(self, context):
        command = ["release", "run", self.job, "--param", "day=" + self.day, "--log", "json"]
        if self.metrics:
            command += ["--metrics", self.metrics]
        code = self.hook.run_command(command).exit_code
        if code in FINAL:
            raise AirflowFailException(f"not retried: {FINAL[code]} (exit code {code})")
        if code != 0:
            raise AirflowException(f"release run ended with exit code {code}")

    def on_kill(self):
        # SIGTERM: an unused reservation is given back, or what is sealed is finished.
        self.hook.send_sigterm()


with DAG(
    dag_id="dprelease_nightly",
    schedule="@daily",
    start_date=datetime(2026, 11, 1),
    catchup=True,  # every window once; `release status` lists them
    max_active_runs=1,  # windows in order, so that the budget is spent in order
    default_args={"retries": 5, "retry_delay": timedelta(minutes=10), "retry_exponential_backoff": True},
) as dag:
    ReleaseOperator(
        task_id="release",
        job="/srv/dprelease/job.yaml",
        day="{{ ds }}",  # the window's date, the same at every retry
        metrics="/var/lib/node_exporter/dprelease.prom",
    )
