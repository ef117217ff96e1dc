package protocol_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/internal/csvtest"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
)

const mapJob = `
version: 1
name: map
privacy: {epsilon: 1, delta: 1e-6, unit: row}
input: {files: [points.csv]}
queries:
  - name: map
    histogram:
      by: [{column: x, from: 0, to: SIDE, width: 1}, {column: y, from: 0, to: SIDE, width: 1}]
    denoise: [{method: soft-threshold}, {method: nonnegative}, {method: round}]
    sparse: true
output: {dir: out, formats: [parquet, csv]}
ledger: {store: "sqlite:ledger.db", dataset: points, budget: {epsilon: 3, delta: 1e-5}}
`

// mapEngine answers a histogram of very many cells, most of which are empty.
type mapEngine struct {
	cells int
	at    []int
	count int64
}

func (e *mapEngine) Schema() table.Schema {
	return table.Schema{Fields: []table.Field{{Name: "x", Type: table.Type{Kind: table.Int}},
		{Name: "y", Type: table.Type{Kind: table.Int}}}}
}

func (e *mapEngine) Close() error { return nil }

func (e *mapEngine) Digest(context.Context, *pipeline.Plan, pipeline.Observer) ([]byte, error) {
	return []byte("points"), nil
}

func (e *mapEngine) Aggregate(ctx context.Context, p *pipeline.Plan, o pipeline.Observer) (*pipeline.Aggregates,
	error) {
	s := mechanism.Sparse{Cells: e.cells}
	for _, c := range e.at {
		s.At, s.Answers.High = append(s.At, c), append(s.Answers.High, e.count)
	}
	exact, err := mechanism.HideSparse(1, s)
	if err != nil {
		return nil, err
	}
	input, err := e.Digest(ctx, p, o)
	return &pipeline.Aggregates{Exacts: [][]mechanism.Exact{{exact}}, Input: input}, err
}

// A map of very many cells is drawn, denoised, written, read back and published without being held in memory: 2·10^6
// cells, and 10^9 in the long test, during which the whole process takes less than 1 GiB. The few full cells are
// published; some empty ones may exceed the threshold by little. Counts are 1000 and sigma is 4.2: the probability that
// one is off by 200, or that an empty cell is 100 above the threshold, is below e^-200.
func TestMapIsStreamed(t *testing.T) {
	owntest.Slow(t)
	side := 1415
	if os.Getenv("DPRELEASE_LONG") == "1" {
		side = 31623
	}
	e := &mapEngine{cells: side * side, count: 1000}
	for k := range 50 {
		e.at = append(e.at, k*(e.cells/50)+k)
	}
	b := newBench(t)
	b.open = func() pipeline.Engine { return e }
	o := b.must(func(r *protocol.Request) { r.Plan = b.plan(strings.ReplaceAll(mapJob, "SIDE", fmt.Sprint(side))) })
	if !slices.IsSorted(b.shares) || len(b.shares) < 20 || b.shares[0] != 0 || b.shares[len(b.shares)-1] != 100 {
		t.Errorf("publishing goes on like this: %v", b.shares)
	}
	found := map[int]bool{}
	for _, r := range csvtest.Rows(t, filepath.Join(o.Dir, "map.csv")) {
		if x, y, estimate := number(t, r["x_from"]), number(t, r["y_from"]), number(t, r["estimate"]); estimate > 800 &&
			estimate < 1200 {
			found[int(x)*side+int(y)] = true
		} else if estimate > 100 || estimate < 1 {
			t.Errorf("an estimate of %g", estimate)
		}
	}
	for _, c := range e.at {
		if !found[c] {
			t.Errorf("cell %d is lost", c)
		}
	}
	if len(found) != len(e.at) {
		t.Errorf("%d cells found, want %d", len(found), len(e.at))
	}
	if peak, known := peakMemory(t); known && side > 10_000 && peak > 1<<30 {
		t.Errorf("the process took %d MiB", peak>>20)
	}
}

// peakMemory returns the peak memory of this process in bytes, if the system reports it.
func peakMemory(t *testing.T) (peak int64, known bool) {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(status)) {
		if n, err := fmt.Sscanf(line, "VmHWM: %d kB", &peak); n == 1 && err == nil {
			t.Logf("peak memory %d MiB", peak>>10)
			return peak << 10, true
		}
	}
	return 0, false
}
