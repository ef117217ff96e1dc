"""Events of OpenLineage have public facts and fit their schemas; an endpoint that is gone stops nothing."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

import dprelease

pytest.importorskip("openlineage.client")
from openlineage.client import OpenLineageClient  # noqa: E402
from openlineage.client.serde import Serde  # noqa: E402

from dprelease import lineage  # noqa: E402


def test_events_fit_their_schemas(folder: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    event: dict[str, Any] = json.loads(Serde.to_json(lineage.event(dprelease.run("job.yaml"))))
    facet = event["run"]["facets"]["dprelease_privacy"]
    schema = json.loads((Path(lineage.__file__).parent / "PrivacyRunFacet.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(facet)
    scope = json.loads((folder / "out" / "release.json").read_text())["privacy"]["scope"]
    assert facet["_schemaURL"] == schema["$id"] and 0 < float(facet["ledgerCharged"]) < 1
    assert (facet["ledgerCap"], facet["ledgerCharged"]) == (scope["ledger_cap"], scope["ledger_charged"])
    assert event["inputs"] == [{"namespace": "file", "name": "trips.parquet", "facets": {}, "inputFacets": {}}]
    hours = next(o for o in event["outputs"] if o["name"] == str(folder / "out" / "trips_by_hour"))
    assert [f["name"] for f in hours["facets"]["schema"]["fields"]][:3] == ["hour_from", "hour_before", "noisy"]
    assert event["eventType"] == "COMPLETE" and len(hours["facets"]["version"]["datasetVersion"]) == 64


def test_the_files_of_all_tables_are_inputs() -> None:
    class Stated:
        manifest = {
            "job": {"input": {"tables": {"a": {"files": ["a.csv", "s3://b/x.csv"]}, "b": {"files": ["a.csv"]}}}}
        }

    found = [(i.namespace, i.name) for i in lineage.inputs(Stated())]  # type: ignore[arg-type]
    assert found == [("file", "a.csv"), ("s3://b", "x.csv")]


def test_a_dead_endpoint_is_only_said() -> None:
    release = dprelease.run("job.yaml")
    assert not lineage.emit(release, OpenLineageClient(url="http://localhost:9"))
    assert not lineage.emit(release, object())  # type: ignore[arg-type]


def test_events_fit_the_published_schemas(folder: Path) -> None:
    """DPRELEASE_OPENLINEAGE names a checkout of github.com/OpenLineage/OpenLineage: no package ships its schemas."""
    if not (checkout := os.environ.get("DPRELEASE_OPENLINEAGE")):
        pytest.skip("needs DPRELEASE_OPENLINEAGE")
    referencing = pytest.importorskip("referencing")
    validator = pytest.importorskip("jsonschema").Draft202012Validator
    spec = Path(checkout) / "spec"
    core = json.loads((spec / "OpenLineage.json").read_text())
    facets = {f.stem: json.loads(f.read_text()) for f in (spec / "facets").glob("*.json")}
    own = json.loads((Path(lineage.__file__).parent / "PrivacyRunFacet.json").read_text())
    known = referencing.Registry().with_resources(
        [(s["$id"], referencing.Resource.from_contents(s)) for s in (core, *facets.values())]
    )
    event = json.loads(Serde.to_json(lineage.event(dprelease.run("job.yaml"))))
    validator(core, registry=known).validate(event)
    for thing in (event["run"], event["job"], *event["inputs"], *event["outputs"]):
        for name, facet in thing["facets"].items():
            url = facet["_schemaURL"].partition("#")[0]
            if url == own["$id"]:
                continue
            validator({"$ref": facets[Path(url).stem]["$id"]}, registry=known).validate({name: facet})
