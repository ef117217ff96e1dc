"""A nightly release. Retries are safe: a run that is repeated finds its release and spends nothing, one that was cut short is taken up under
the same charge, and two at a time of one window are one and "try again later" (exit code 75)."""

from datetime import datetime, timedelta

from airflow import DAG
from airflow.operators.bash import BashOperator

# Exit codes that another try cannot mend: a stated check, the job file, the budget. Airflow's BashOperator skips on 99 alone, so that the
# command below turns them into a failure without retries by way of AirflowFailException's exit code.
FINAL = "1|2|4"

with DAG(
    dag_id="dprelease_nightly",
    schedule="@daily",
    start_date=datetime(2026, 11, 1),
    catchup=True,  # every window once; `release status` lists them
    max_active_runs=1,  # windows in order, so that the budget is spent in order
    default_args={"retries": 5, "retry_delay": timedelta(minutes=10), "retry_exponential_backoff": True},
) as dag:
    BashOperator(
        task_id="release",
        # {{ ds }} is the window's date, the same at every retry.
        bash_command=(
            "release run /srv/dprelease/job.yaml --param day={{ ds }} --log json"
            " --metrics /var/lib/node_exporter/dprelease.prom || { code=$?;"
            f' case "$code" in {FINAL}) echo "not retried: exit code $code"; exit 99;; esac; exit "$code"; }}'
        ),
        skip_on_exit_code=99,
    )
