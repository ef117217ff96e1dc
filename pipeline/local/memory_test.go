package local_test

import (
	"errors"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/enginetest"
	"github.com/dprelease/dprelease/pipeline/local"
)

// The limit counts the names of cells, which are in memory even if the cells are held sparsely.
func TestLimitCountsTheNamesOfCells(t *testing.T) {
	owntest.Slow(t)
	p := enginetest.Plan(t, "/job.yaml", []byte(`
version: 1
name: ids
privacy: {epsilon: 1, delta: 1e-9, unit: row}
input: {files: [ids.parquet]}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: ids, budget: {epsilon: 9, delta: 1e-4}}
queries: [{name: ids, histogram: {by: [{column: id, from: 0, to: 1000000, width: 1}]}}]
`))
	var refused *pipeline.Error
	if err := (local.Limits{Workers: 1, Memory: 160 << 20}).Fits(p); !errors.As(err, &refused) || refused.Code != "memory-limit" {
		t.Errorf("160 MiB: %v", err)
	}
	if err := (local.Limits{Workers: 1, Memory: 200 << 20}).Fits(p); err != nil {
		t.Errorf("200 MiB: %v", err)
	}
}
