package local_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/internal/wiring"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
)

// The tables are customers with a region, their orders, and items of orders, which do not tell the customer.
const tablesJob = `version: 1
name: orders
privacy: {epsilon: 1, delta: 1e-6, unit: [customer], per_unit: {max_rows: 1000}}
input:
  tables:
    customers: {files: [customers.csv], csv: {null_values: [""]}, unit: [id]}
    orders:
      files: [orders.csv]
      csv: {null_values: [""]}
      unit: [customer]
      join: [{table: customers, add: [region]}]
      where: [{column: region, in: [north, south, ""]}]
    items:
      files: [items.csv]
      csv: {types: {price: int}, null_values: [""]}
      join:
        - {table: bought, on: {order: "key"}, add: [year]}
        - {table: customers, add: [region], prefix: of_}
      derive: {dear: "price > 4 ? year : nil"}
    bought: {files: [orders.csv], csv: {null_values: [""]}, unit: [customer]}
    returns:
      files: [returns.csv]
      csv: {null_values: [""]}
      unit: [customer]
      join: [{table: bought, on: {order: "key"}, add: [year]}]
queries:
  - {name: orders, from: orders, histogram: {by: [{column: region, values: [north, south], null: bin}]}}
  - {name: items, from: items, sum: {column: price, clamp: [0, 9], by: [{column: of_region, values: [north, south], null: bin}, {column: year, values: ["1", "2"], null: bin}]}}
  - {name: dear, from: items, histogram: {by: [{column: dear, values: ["1", "2"], null: bin}]}}
  - {name: returns, from: returns, histogram: {by: [{column: year, values: ["1", "2"], null: bin}]}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: orders, budget: {epsilon: 9, delta: 1e-4}}
`

// A tablesWorld is the rows of the tables, each a list of texts; "" is a null.
type tablesWorld struct{ customers, orders, items, returns [][]string }

func (w *tablesWorld) files() map[string]string {
	out := map[string]string{}
	for name, t := range map[string]struct {
		header string
		rows   [][]string
	}{
		"customers.csv": {"id,region", w.customers}, "orders.csv": {"key,customer,year", w.orders},
		"items.csv": {"order,price", w.items}, "returns.csv": {"order,customer", w.returns},
	} {
		text := t.header + "\n"
		for _, row := range t.rows {
			text += strings.Join(row, ",") + "\n"
		}
		out[name] = text
	}
	return out
}

// exactTables returns the exact answers of a job on tables.
func exactTables(t testing.TB, dir string, l local.Limits, side int64) [][]int64 {
	t.Helper()
	p, diags := wiring.Plan(t.Context(), filepath.Join(dir, "job.yaml"), configs.ParseOptions{})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	var tables []*source.Dataset
	for _, options := range wiring.Sources(p.Job()) {
		d, err := source.Open(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, d)
	}
	e := local.NewTables(tables, l)
	local.LimitSides(e, side)
	defer e.Close()
	if diags := p.CheckWith(e); len(diags) > 0 {
		t.Fatal(diags)
	}
	a, err := e.Aggregate(t.Context(), p, pipeline.Silent{})
	if err != nil {
		t.Fatal(err)
	}
	digest, err := e.Digest(t.Context(), p, pipeline.Silent{})
	if err != nil || !slices.Equal(digest, a.Input) {
		t.Fatalf("digest %x, %v; want %x", digest, err, a.Input)
	}
	var out [][]int64
	for _, exacts := range a.Exacts {
		quantum, cells := mechanismtest.OpenWide(t, exacts[0])
		var sums []int64
		for _, c := range cells {
			sums = append(sums, int64(float64(c.Int64())*quantum))
		}
		out = append(out, sums)
	}
	return out
}

// want works the answers out of tablesJob by loops over all rows. Each customer has one region: the smallest of its rows.
func (w *tablesWorld) want() [][]int64 {
	region := map[string]string{} // absent: no row
	for _, c := range w.customers {
		// a null comes before all texts
		if r, known := region[c[0]]; c[0] != "" && (!known || c[1] < r) {
			region[c[0]] = c[1]
		}
	}
	cell := func(r string) int { return max(slices.Index([]string{"north", "south"}, r), -1) }
	count := make([]int64, 3)
	type claim struct{ key, customer string }
	years := map[claim]string{}
	for _, o := range w.orders {
		r := region[o[1]]
		if at := cell(r); at >= 0 && o[1] != "" {
			count[at]++
		}
		if c := (claim{o[0], o[1]}); o[0] != "" && o[1] != "" {
			if y, known := years[c]; !known || o[2] < y {
				years[c] = o[2]
			}
		}
	}
	sum, dear := make([]int64, 9), make([]int64, 3)
	year := func(y string) int {
		if at := slices.Index([]string{"1", "2"}, y); at >= 0 {
			return at
		}
		if y == "" {
			return 2
		}
		return -1
	}
	for _, item := range w.items {
		for c, y := range years {
			if item[0] == "" || c.key != item[0] {
				continue
			}
			price, err := strconv.ParseInt(item[1], 10, 64)
			if at := year(y); at >= 0 && err == nil {
				r := cell(region[c.customer])
				if region[c.customer] == "" {
					r = 2
				}
				if r >= 0 {
					sum[r*3+at] += min(max(price, 0), 9)
				}
			}
			if err != nil || price <= 4 {
				dear[2]++
			} else if at := year(y); at >= 0 {
				dear[at]++
			}
		}
	}
	returns := make([]int64, 3)
	for _, r := range w.returns {
		y := ""
		if r[0] != "" {
			y = years[claim{r[0], r[1]}]
		}
		if at := year(y); at >= 0 && r[1] != "" {
			returns[at]++
		}
	}
	return [][]int64{count, sum, dear, returns}
}

// drawWorld draws tables with twice the same keys, orders of two customers, and keys that lead nowhere.
func drawWorld(t *rapid.T) *tablesWorld {
	word := func(values ...string) *rapid.Generator[string] { return rapid.SampledFrom(values) }
	customer, key := word("a", "b", "c", "d", ""), word("1", "2", "3", "4", "5", "")
	rows := func(name string, columns ...*rapid.Generator[string]) [][]string {
		return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) []string {
			var row []string
			for i, c := range columns {
				row = append(row, c.Draw(t, strconv.Itoa(i)))
			}
			return row
		}), 0, 12).Draw(t, name)
	}
	return &tablesWorld{rows("customers", customer, word("north", "south", "west", "")),
		rows("orders", key, customer, word("1", "2", "3", "")), rows("items", key, word("1", "5", "12", "", "x")),
		rows("returns", key, customer)}
}

// Joins give the answers of loops over all rows, also if the sides of joins take several passes.
func TestTablesAreJoined(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "job.yaml"), []byte(tablesJob), 0o600); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt)
		files := w.files()
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(files[name]), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want := fmt.Sprint(w.want())
		for _, side := range []int64{0, 1, 500} {
			if got := fmt.Sprint(exactTables(t, dir, local.Limits{Workers: 2, Memory: 1 << 30}, side)); got != want {
				rt.Fatalf("sides of %d bytes: %s, want %s\n%v", side, got, want, files)
			}
		}
	})
}
