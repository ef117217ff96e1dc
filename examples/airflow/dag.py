"""A nightly release. Retries are safe: a run that is repeated finds its release and spends nothing, one that was
killed continues under the same charge, and the second of two at a time ends with exit code 75 and is tried again."""

import os
from datetime import datetime, timedelta

from airflow.sdk import DAG, Asset, CronDataIntervalTimetable
from dprelease.airflow import DpReleaseOperator, DpReleaseSensor

JOB = os.environ.get("DPRELEASE_JOB", "/srv/dprelease/job.yaml")
DAY = "{{ data_interval_start | ds }}"  # the same at every retry

with DAG(
    dag_id="dprelease_nightly",
    schedule=CronDataIntervalTimetable("0 0 * * *", timezone="UTC"),  # a run at midnight is about the day before
    start_date=datetime(2026, 11, 1),
    catchup=True,  # every data interval once; `dprelease status` lists them
    max_active_runs=1,  # in order, so that the budget is spent in order
    default_args={"retries": 5, "retry_delay": timedelta(minutes=10), "retry_exponential_backoff": True},
) as dag:
    release = DpReleaseOperator(
        task_id="release",
        job=JOB,
        job_params={"day": DAY},
        outlets=[Asset("loans_by_branch")],  # what depends on the release can be scheduled by it
    )
    published = DpReleaseSensor(task_id="published", job=JOB, window=DAY, mode="reschedule")
    release >> published
