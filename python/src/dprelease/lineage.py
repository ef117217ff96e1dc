"""OpenLineage: what a release was made from, and what it cost. All of it is public: names, columns and the guarantee.

`emit(release)` sends one event of a finished run to the endpoint of OPENLINEAGE_URL; under Airflow the OpenLineage
provider sends the same facts with its own events.
"""

from __future__ import annotations

import json
import logging
import uuid
from datetime import datetime, timezone
from typing import Any

import attr
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import RunFacet, dataset_version_dataset, schema_dataset

from dprelease.release import Release

_SOURCE = "https://github.com/dprelease/dprelease"


@attr.define(kw_only=True)
class PrivacyRunFacet(RunFacet):
    """The guarantee of a release, and its budget as the manifest's scope states it.

    The ledger's live balance is not public: it counts runs that failed. The scope counts published releases alone.
    """

    epsilon: float
    delta: float
    mu: float
    unit: str
    adjacency: str
    dataset: str
    ledgerCap: str | None = None  # noqa: N815 - names of the facet's schema
    ledgerCharged: str | None = None  # noqa: N815

    @staticmethod
    def _get_schema() -> str:
        return "https://raw.githubusercontent.com/dprelease/dprelease/main/python/src/dprelease/PrivacyRunFacet.json"


def inputs(release: Release) -> list[InputDataset]:
    """Return the job's input by name: the files of all tables as the job names them, or its table in a database."""
    source = release.manifest["job"]["input"]
    if sql := source.get("sql"):
        return [InputDataset(namespace=sql["driver"], name=sql["table"])] if "table" in sql else []
    found: list[InputDataset] = []
    tables = source.get("tables", {"": source}).values()
    for name in dict.fromkeys(name for table in tables for name in table.get("files", ())):
        scheme, address, key = name.partition("://")
        if address:
            bucket, _, key = key.partition("/")
            found.append(InputDataset(namespace=f"{scheme}://{bucket}", name=key))
        elif name != "-":
            found.append(InputDataset(namespace="file", name=name))
    return found


def outputs(release: Release) -> list[OutputDataset]:
    """Return the tables of a release, with their columns and the digest of the manifest as their version."""
    columns = _columns(release)
    digest = release.outcome.get("manifest_sha256")
    found: list[OutputDataset] = []
    for name, table in release.items():
        facets: dict[str, Any] = {}
        if name in columns:
            facets["schema"] = schema_dataset.SchemaDatasetFacet(fields=columns[name])
        if digest:
            facets["version"] = dataset_version_dataset.DatasetVersionDatasetFacet(datasetVersion=digest)
        found.append(OutputDataset(namespace="file", name=str(release.path / table.name), facets=facets))
    return found


def run_facets(release: Release) -> dict[str, RunFacet]:
    """Return the facet `dprelease_privacy`."""
    privacy = release.manifest["privacy"]
    scope = privacy.get("scope", {})
    return {
        "dprelease_privacy": PrivacyRunFacet(
            epsilon=release.epsilon,
            delta=release.delta,
            mu=privacy["mu"],
            unit=privacy["unit"] if isinstance(privacy["unit"], str) else ", ".join(privacy["unit"]),
            adjacency=privacy["adjacency"],
            dataset=release.manifest["job"]["ledger"]["dataset"],
            ledgerCap=scope.get("ledger_cap"),
            ledgerCharged=scope.get("ledger_charged"),
        )
    }


def event(release: Release, *, namespace: str = "dprelease") -> RunEvent:
    """Return the event of a finished run. The same release has the same run id."""
    run_id = uuid.uuid5(uuid.NAMESPACE_URL, f"{_SOURCE}#{release.outcome.get('manifest_sha256', release.path)}")
    return RunEvent(
        eventType=RunState.COMPLETE,
        eventTime=datetime.now(timezone.utc).isoformat(),
        run=Run(runId=str(run_id), facets=run_facets(release)),
        job=Job(namespace=namespace, name=release.name),
        inputs=inputs(release),
        outputs=outputs(release),
        producer=_SOURCE,
    )


def emit(release: Release, client: OpenLineageClient | None = None, *, namespace: str = "dprelease") -> bool:
    """Send the event of a finished run, and say whether that worked. Never raises: the release is there already."""
    try:
        (client or OpenLineageClient()).emit(event(release, namespace=namespace))
    except Exception as failure:  # noqa: BLE001 - whatever is wrong with an endpoint, the run is done
        logging.getLogger("dprelease").warning("no OpenLineage event was sent: %s", type(failure).__name__)
        return False
    return True


def _columns(release: Release) -> dict[str, list[schema_dataset.SchemaDatasetFacetFields]]:
    """The columns of each table, as datapackage.json describes them; none if the job turned descriptions off."""
    path = release.path / "datapackage.json"
    if not path.exists():
        return {}
    return {
        resource["path"].rpartition(".")[0]: [
            schema_dataset.SchemaDatasetFacetFields(name=f["name"], type=f["type"], description=f.get("description"))
            for f in resource["schema"]["fields"]
        ]
        for resource in json.loads(path.read_text(encoding="utf-8"))["resources"]
    }
