package source_test

import (
	"math/rand"
	"os"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/io/source"
)

// pagedFiles writes rows in several ways.
func pagedFiles(t testing.TB, rng *rand.Rand, rows []paged) map[string][]byte {
	t.Helper()
	indexed := pagedGo(t, rng, rows)
	return map[string][]byte{
		"indexed": indexed, "without bounds": unindexed(t, indexed, true, false), "without places": unindexed(t, indexed, false, true),
		"not indexed": unindexed(t, indexed, true, true), "arrow": pagedArrow(t, rng, rows),
	}
}

// Of random tables, selections give the rows that are wanted, the same as a read of all, whatever is passed over.
func TestSelectionsLoseNothing(t *testing.T) {
	tables := 20
	switch {
	case os.Getenv("DPRELEASE_LONG") != "":
		tables = 1000
	case testing.Short():
		tables = 4
	}
	out := map[string]left{}
	for seed := range tables {
		rng := rand.New(rand.NewSource(int64(seed)))
		rows := pagedRows(rng, 200+rng.Intn(800))
		for name, content := range pagedFiles(t, rng, rows) {
			d := open(t, source.CSV{}, write(t, "a.parquet", content))
			for range 6 {
				n := selects(t, rng, d, rows)
				out[name] = left{out[name].groups + n.groups, out[name].pages + n.pages}
			}
			if t.Failed() {
				t.Fatalf("table %d, %s", seed, name)
			}
		}
	}
	for name, n := range out { // of the same tables each time
		if n.pages == 0 {
			t.Errorf("%s: %+v were left out", name, n)
		}
	}
	t.Logf("rows left out: %+v", out)
}

// selects reads some columns of a table's file under random conditions.
func selects(t *testing.T, rng *rand.Rand, d *source.Dataset, rows []paged) left {
	t.Helper()
	columns := slices.Clone(pagedColumns)
	rng.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
	conditions := make([]condition, 1+rng.Intn(3))
	all := make([]wanted, len(conditions))
	for i := range conditions {
		conditions[i] = drawCondition(rng, len(rows))
		all[i] = conditions[i].wanted
	}
	fulfils := func(i int) bool {
		return !slices.ContainsFunc(conditions, func(c condition) bool { return !c.holds(&rows[i]) })
	}
	got, out, err := selected(d, columns, all...)
	if err != nil {
		t.Fatalf("%v: %v", all, err)
	}
	if int(out.groups+out.pages)+len(got) != len(rows) {
		t.Errorf("%d rows and %+v left out, of %d", len(got), out, len(rows))
	}
	id := slices.Index(columns, "id")
	got = slices.DeleteFunc(got, func(row []any) bool { return !fulfils(int(row[id].(int64))) })
	var want [][]any
	for i, row := range read(t, d, columns...) {
		if fulfils(i) {
			want = append(want, row)
		}
	}
	same(t, want, got)
	return out
}
