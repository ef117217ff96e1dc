package local

import (
	"testing"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/partial"
)

// NewTight returns an engine that holds almost no rows in memory, and of pages of Parquet files few rows.
func NewTight(data *source.Dataset, workers int, folder string) *Engine {
	e := NewWithin(data, Limits{Workers: workers, Scratch: folder})
	e.tight = &memory{workers: workers, rows: 1, room: 1 << 12, pages: 1}
	return e
}

// LimitSides sets the memory limit of the side of a join.
func LimitSides(t *Tables, bytes int64) { t.side = bytes }

// LeftOut returns the number of row groups that the statistics of the input's files rule out.
func LeftOut(t *testing.T, e *Engine, p *pipeline.Plan) (skipped int) {
	t.Helper()
	groups, err := e.splitReader(p)
	if err != nil {
		t.Fatal(err)
	}
	for split := range e.data.Splits() {
		if groups.Skips(split) {
			skipped++
		}
	}
	return skipped
}

// OpenPartsTight is OpenParts for an engine that holds almost no rows in memory.
func OpenPartsTight(paths []string, k partial.Key, p *pipeline.Plan, program string, l Limits) (*Merged, error) {
	m, err := OpenParts(paths, k, p, program, l)
	if err == nil {
		m.engine.tight = &memory{workers: l.Workers, rows: 1, room: 1 << 12}
	}
	return m, err
}

// Stores returns how many stores of a worker the limit counts, and how many there are.
func Stores(t *testing.T, p *pipeline.Plan, schema table.Schema) (counted, joined int64) {
	t.Helper()
	spill := newScratch(t.Context(), "", memory{workers: 1})
	if _, err := newWorkers(1, p, schema, spill, Limits{}); err != nil {
		t.Fatal(err)
	}
	return Limits{}.stores(p), spill.joined.Load()
}
