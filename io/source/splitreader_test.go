package source_test

import (
	"math/rand"
	"os"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/textfile"
)

// On random tables, filtered reads give the same passing rows as a full read, whichever row groups are skipped.
func TestRowGroupFiltersLoseNothing(t *testing.T) {
	tables := 20
	switch {
	case os.Getenv("DPRELEASE_LONG") != "":
		tables = 1000
	case testing.Short() || !owntest.Checking():
		tables = 4
	}
	out := map[string]int64{}
	for seed := range tables {
		rng := rand.New(rand.NewSource(int64(seed)))
		rows := pagedRows(rng, 200+rng.Intn(800))
		for name, content := range map[string][]byte{"parquet-go": pagedGo(t, rng, rows), "arrow": pagedArrow(t, rng, rows)} {
			d := open(t, textfile.CSV{}, write(t, "a.parquet", content))
			for range 6 {
				out[name] += filtersRandomly(t, rng, d, rows)
			}
			for split := range d.Splits() {
				if wrong, err := d.WrongMetadata(t.Context(), split, pagedColumns); err != nil || len(wrong) > 0 {
					t.Errorf("%v, %v", wrong, err)
				}
			}
			if t.Failed() {
				t.Fatalf("table %d, %s", seed, name)
			}
		}
	}
	for name, n := range out { // the tables are the same each time
		if n == 0 {
			t.Errorf("%s: no row was left out", name)
		}
	}
	t.Logf("rows left out: %+v", out)
}

// filtersRandomly reads some columns of a table's file under random conditions, and returns how many rows were skipped.
func filtersRandomly(t *testing.T, rng *rand.Rand, d *source.Dataset, rows []paged) int64 {
	t.Helper()
	columns := slices.Clone(pagedColumns)
	rng.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
	conditions := make([]condition, 1+rng.Intn(3))
	all := make([]filter, len(conditions))
	for i := range conditions {
		conditions[i] = drawCondition(rng, len(rows))
		all[i] = conditions[i].filter
	}
	passes := func(i int) bool {
		return !slices.ContainsFunc(conditions, func(c condition) bool { return !c.holds(&rows[i]) })
	}
	got, out, err := filtered(d, columns, all...)
	if err != nil {
		t.Fatal(err)
	}
	if int(out)+len(got) != len(rows) {
		t.Errorf("%d rows and %d left out, of %d", len(got), out, len(rows))
	}
	id := slices.Index(columns, "id")
	got = slices.DeleteFunc(got, func(row []any) bool { return !passes(int(row[id].(int64))) })
	var want [][]any
	for i, row := range read(t, d, columns...) {
		if passes(i) {
			want = append(want, row)
		}
	}
	same(t, want, got)
	return out
}
