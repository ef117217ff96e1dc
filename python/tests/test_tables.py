"""Tables in memory: every kind gives the exact counts of the file, and no row decides how others are read."""

from typing import Any

import pytest

import dprelease

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def tables() -> dict[str, Any]:
    """Makers of the quickstart's table, by the kind of table."""

    def pandas(dtype: str | None = None) -> Any:
        pd = pytest.importorskip("pandas")
        frame = pd.read_parquet("trips.parquet")
        assert isinstance(frame, pd.DataFrame)
        return frame.astype({"borough": dtype}) if dtype else frame

    def polars(categorical: bool = False) -> Any:
        pl = pytest.importorskip("polars")
        frame = pl.read_parquet("trips.parquet")
        return frame.with_columns(pl.col("borough").cast(pl.Categorical)) if categorical else frame

    def duckdb() -> Any:
        return pytest.importorskip("duckdb").sql("SELECT * FROM 'trips.parquet'")

    def arrow() -> Any:
        return pq.read_table("trips.parquet")

    return {
        "arrow": arrow,
        "reader": lambda: arrow().to_reader(500),
        "batch": lambda: arrow().combine_chunks().to_batches()[0],
        "pandas": pandas,
        "pandas-category": lambda: pandas("category"),
        "pandas-object": lambda: pandas("object"),
        "polars": polars,
        "polars-categorical": lambda: polars(categorical=True),
        "duckdb": duckdb,
    }


@pytest.mark.parametrize("kind", list(tables()))
def test_counts_are_those_of_the_table(kind: str, job: dict[str, Any], charges: Any) -> None:
    truth = pq.read_table("trips.parquet").to_pylist()
    release = dprelease.run(job, tables()[kind]())
    assert release.status == "released" and charges() == 1
    for row in release["boroughs"].rows():
        assert round(row["noisy"]) == sum(t["borough"] == row["borough"] for t in truth)
    for row in release["hours"].rows():
        assert round(row["noisy"]) == sum(row["hour_from"] <= t["hour"] < row["hour_to"] for t in truth)
    # The release is there: the table is not looked at, unless it is to be compared.
    assert dprelease.run(job, tables()[kind]()).status == "already-released"
    dprelease.run(job, tables()[kind](), compare_input=True)
    with pytest.raises(dprelease.InputError) as changed:
        dprelease.run(job, pq.read_table("trips.parquet").slice(1), compare_input=True)
    assert changed.value.code == "input-changed" and charges() == 1


def test_rows_are_counted_without_columns(job: dict[str, Any]) -> None:
    job["privacy"] = {"epsilon": 100, "delta": 1e-6, "unit": "row"}
    job["queries"] = [{"name": "all", "count": {}}]
    for i, kind in enumerate(["arrow", "pandas", "polars"]):
        table = tables()[kind]()
        release = dprelease.run(job, table, out=f"out-{kind}", new_release=i > 0)
        assert abs(release["all"].rows()[0]["noisy"] - len(table)) < 5


def test_columns_of_objects_are_text_whatever_they_hold(job: dict[str, Any]) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.read_parquet("trips.parquet").astype({"borough": "object"})
    frame.loc[0, "borough"] = 17
    release = dprelease.run(job, frame)
    truth = [b == "Queens" for b in frame["borough"]]
    assert round(release["boroughs"].rows()[1]["noisy"]) == sum(truth)


def test_a_table_that_fails_in_its_middle_is_not_released(job: dict[str, Any], charges: Any) -> None:
    table = pq.read_table("trips.parquet")

    def batches() -> Any:
        yield from table.slice(0, 100).to_batches()
        raise RuntimeError("the source broke")

    with pytest.raises(RuntimeError, match="the source broke"):
        dprelease.run(job, pa.RecordBatchReader.from_batches(table.schema, batches()))
    assert charges() == 0


def test_a_missing_column_is_named_by_the_job(job: dict[str, Any], charges: Any) -> None:
    for kind in ("arrow", "pandas", "polars", "duckdb"):
        job["queries"][0]["histogram"]["by"][0]["column"] = "hours"
        with pytest.raises(dprelease.JobError) as missing:
            dprelease.run(job, tables()[kind]())
        assert missing.value.code == "unknown-column" and "did you mean hour?" in str(missing.value) and charges() == 0


def test_names_of_columns_must_tell_them_apart(job: dict[str, Any], charges: Any) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.read_parquet("trips.parquet")
    table = pa.Table.from_pandas(frame)
    for twice in (pd.concat([frame, frame], axis=1), table.append_column("hour", table["hour"])):
        with pytest.raises(TypeError, match="several columns are named (cab_id|hour)"):
            dprelease.run(job, twice)
    frame.columns = pd.MultiIndex.from_tuples([("a", name) for name in frame.columns])
    with pytest.raises(TypeError, match="several levels"):
        dprelease.run(job, frame)
    with pytest.raises(TypeError, match="a Series is no table"):
        dprelease.run(job, pd.read_parquet("trips.parquet")["hour"])
    assert charges() == 0


def test_categories_have_the_type_of_their_values(job: dict[str, Any]) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.read_parquet("trips.parquet")
    truth = pq.read_table("trips.parquet").to_pylist()
    release = dprelease.run(job, frame.astype({"hour": "category", "cab_id": "category"}))
    for row in release["hours"].rows():
        assert round(row["noisy"]) == sum(row["hour_from"] <= t["hour"] < row["hour_to"] for t in truth)


def test_a_job_with_files_takes_no_table(job: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="reads its own input"):
        dprelease.run("job.yaml", pq.read_table("trips.parquet"))
    with pytest.raises(TypeError, match="is no table"):
        dprelease.run(job, 17)
