"""Invented rows agree with the released tables."""

import pytest

import dprelease

pytest.importorskip("mbi")


def test_invented_rows_agree_with_the_tables() -> None:
    release = dprelease.run("job.yaml")
    invented = release.synthesize(seed=1)
    assert set(invented.preserves) == set(release) and not invented.ignores
    rows = invented.table.to_pylist()
    for cell in release["trips_by_hour"].rows():
        count = sum(r["hour_from"] == cell["hour_from"] for r in rows)
        # The tables disagree by their noise, so a count can differ by some deviations.
        assert abs(count - max(cell["noisy"], 0)) < 3 * cell["standard_deviation"]
    assert "agree with trips_by_hour" in repr(invented)
    assert release.synthesize(seed=1).table.equals(invented.table)
