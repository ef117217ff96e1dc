package sqlpushtest

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/pipeline/sqlpush"
	"github.com/dprelease/dprelease/pipeline/stabilitytest"
	"github.com/dprelease/dprelease/queries"
	"github.com/dprelease/dprelease/queries/problem"
)

// keyed lists columns for discovered keys, each with values at and next to the limits of databases.
var keyed = []struct {
	name   string
	kind   stabilitytest.Kind
	values []any
}{
	{"c", stabilitytest.Text, []any{
		"", " ", "a", "A", "a ", "b", "é", "e\u0301", "it's", `\`, "a\x00b", "a\x00", "\x00", "\x00\xc2\x80", "a\x01b",
		"\U00010428", strings.Repeat("x", 1024), strings.Repeat("x", 1025), strings.Repeat("é", 512),
		strings.Repeat("é", 513), "00,", "zebra", "Zebra", "ä",
	}},
	{"i", stabilitytest.Int64, []any{int64(0), int64(1), int64(-1), int64(math.MaxInt64), int64(math.MinInt64),
		int64(math.MaxInt64 - 1), int64(math.MinInt64 + 1), int64(256), int64(-256)}},
	{"n", stabilitytest.Int32, []any{int64(0), int64(math.MaxInt32), int64(math.MinInt32), int64(-1)}},
	{"w", stabilitytest.Whole, []any{int64(0), int64(999_999_999_999), int64(-999_999_999_999)}},
	{"b", stabilitytest.Bool, []any{true, false}},
	{"d", stabilitytest.Date, []any{int64(0), int64(-1), int64(15_706), int64(1_000_000), int64(-700_000),
		int64(2_000_000_000)}},
	{"t", stabilitytest.Instant, []any{int64(0), int64(-1), int64(1_357_084_805_123_457), int64(-62_135_596_800_000_001),
		int64(253_402_300_800_000_000)}},
	{"l", stabilitytest.Clock, []any{int64(0), int64(1), int64(1_357_084_805_123_457), int64(-1_000_001)}},
}

// keyedRows returns rows of units with 1 to 30 rows. Many of the keys in them have only one or two units.
func keyedRows() (rows []stabilitytest.Row) {
	n := 0
	for u := range 60 {
		for range 1 + u*u/120 {
			row := stabilitytest.Row{int64(u), float64(n%70) / 3}
			for k := range keyed {
				values := keyed[k].values
				v := values[n*n*(k+3)%(5*len(values))%len(values)] // a number that gives some values rarely
				switch {
				case (n+k)%23 == 0:
					v = nil
				case k == 0 && n%9 == 4: // one byte longer than a key may be
					v = strings.Repeat("x", queries.MaxKeyBytes+1)
				}
				row = append(row, v)
			}
			rows = append(rows, row)
			n++
		}
	}
	row := stabilitytest.Row{nil, math.NaN()}
	for k := range keyed {
		row = append(row, keyed[k].values[0])
	}
	return append(rows, row)
}

func (s *Server) loadKeyed(t *testing.T, layout uint64) {
	t.Helper()
	columns := []stabilitytest.Column{{Name: "u", Kind: stabilitytest.Int64}, {Name: "f", Kind: stabilitytest.Float64}}
	for _, k := range keyed {
		columns = append(columns, stabilitytest.Column{Name: k.name, Kind: k.kind})
	}
	var types []string
	for _, c := range columns {
		types = append(types, s.Type(c.Kind, &stabilitytest.Case{Layout: layout}))
	}
	if err := s.Load("keyed", columns, types, keyedRows()); err != nil {
		t.Fatal(err)
	}
}

const keyedJob = `
version: 1
name: keyed
privacy: {epsilon: 1, delta: 1e-6, unit: %s}
input: {sql: {driver: postgres, dsn: unused, table: keyed}}
queries:
%s
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: keyed, budget: {epsilon: 2, delta: 1e-5}}
`

// Keys compares answers by discovered keys, in columns of all types, alone and with listed dimensions: counts, sums,
// means and variances, for rows as units and for units that exceed their bounds. Some keys have too few units and must
// be dropped. layouts choose the types of texts, as in [Dialect].Keys.
func Keys(t *testing.T, s *Server, layouts ...uint64) {
	t.Helper()
	bounds := []string{"[u], per_unit: {max_groups: 2, max_rows_per_group: 1}", "row",
		"[u, b], per_unit: {max_groups: 3, max_rows_per_group: 1}", "[u], per_unit: {max_groups: 1, max_rows_per_group: 1}"}
	for i, layout := range layouts {
		s.loadKeyed(t, layout)
		if i > 0 {
			s.compareKeys(t, bounds[0], 2)
			continue
		}
		for k, b := range bounds {
			s.compareKeys(t, b, []int{2, 5}[k%2])
		}
	}
}

func (s *Server) compareKeys(t *testing.T, bounds string, minUnits int) {
	t.Helper()
	more := ""
	if bounds != "row" {
		more = ", per_unit: {max_rows_per_group: 3}"
	}
	var list []string
	add := func(text string) { list = append(list, fmt.Sprintf("  - {name: q%d, %s", len(list), text)) }
	for i, k := range keyed {
		by := "{column: " + k.name + ", keys: discover}"
		add(fmt.Sprintf("histogram: {by: [%s], min_units: %d}}", by, minUnits))
		switch i % 3 {
		case 0:
			add("sum: {column: f, clamp: [-1, 20], by: [" + by + "]}" + more + "}")
		case 1:
			add("mean: {column: f, clamp: [0, 20], by: [" + by +
				", {column: n, edges: [-2147483648, 0, 2147483647], null: bin}]}" + more + "}")
		default:
			add("variance: {column: i, clamp: [-5, 300], by: [" + by + "]}" + more + "}")
		}
	}
	by := "{column: b, values: [true, false], null: bin}, {column: c, keys: discover, as: x}, {column: i, values: [0, " +
		"1, -1, 256], other: bin, null: bin}, {column: d, keys: discover}"
	add(fmt.Sprintf("histogram: {by: [%s], min_units: %d}}", by, minUnits))
	add("sum: {column: f, clamp: [0, 20], by: [" + by + ", {column: w, values: [0], other: bin, null: bin}]}" + more + "}")
	add("sum: {columns: [f, n], clamp: [0, 20], by: [" + by + "]}" + more + "}")
	p := Plan(t, fmt.Sprintf(keyedJob, bounds, strings.Join(list, "\n")))
	if same, err := s.Same(t, p, "keyed"); err != nil || same != "" {
		t.Fatalf("%s, of %d units: %v\n%s", bounds, minUnits, err, same)
	}
	d, err := s.Open(t.Context(), p, "keyed")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	answers, err := Answers(t, sqlpush.New(d, make([]byte, 32)), p)
	if err != nil {
		t.Fatal(err)
	}
	keys := 0
	for _, a := range answers {
		keys += len(a.Keys)
		for key, n := range a.Keys {
			if n < int64(minUnits) {
				t.Errorf("%s: the key %q of %d units is there", bounds, key, n)
			}
		}
	}
	if keys < 15 {
		t.Errorf("%s: %d keys of %d units and more", bounds, keys, minUnits)
	}
}

// RefusedKeys checks that the database refuses keys that a single unit may have, also in sums by such keys, with both
// remedies in the error, and keys that are folded texts or bytes. bytes is a layout for which texts have a type of
// bytes.
func RefusedKeys(t *testing.T, s *Server, bytes uint64) {
	t.Helper()
	for name, c := range map[string]struct {
		layout  uint64
		queries string
		both    bool
	}{
		"one unit":       {0, "  - {name: q, histogram: {by: [{column: c, keys: discover}]}}", true},
		"one unit, said": {0, "  - {name: q, histogram: {by: [{column: c, keys: discover}], min_units: 1}}", true},
		"sum of one unit": {0, "  - {name: q, histogram: {by: [{column: c, keys: discover}]}}\n  - {name: q2, sum: " +
			"{column: f, clamp: [0, 1], by: [{column: c, keys: discover}]}}", true},
		"folded": {0, "  - {name: q, histogram: {by: [{column: c, keys: discover, fold: [case]}], min_units: 2}}",
			false},
		"bytes": {bytes, "  - {name: q, histogram: {by: [{column: c, keys: discover}], min_units: 2}}", false},
	} {
		s.loadKeyed(t, c.layout)
		p := Plan(t, fmt.Sprintf(keyedJob, "row", c.queries))
		if _, err := s.Same(t, p, "keyed"); !errors.Is(err, ErrRefused) {
			t.Fatalf("%s: %v", name, err)
		}
		d, err := s.Open(t.Context(), p, "keyed")
		if err != nil {
			t.Fatal(err)
		}
		found := problem.Errors(sqlpush.New(d, nil).Refuses(p))
		_ = d.Close()
		if len(found) != len(p.Queries()) {
			t.Errorf("%s: %d problems", name, len(found))
		}
		for _, e := range found {
			if strings.Contains(e.Hint, "min_units: 2") != c.both || !strings.Contains(e.Hint, "engine: local") ||
				e.Code != sqlpush.CodeNotPushed {
				t.Errorf("%s: %+v", name, e)
			}
		}
	}
}
