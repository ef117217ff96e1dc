package local_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/internal/wiring"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
)

// The tables are customers with a region, their orders, and items of orders, which do not name the customer.
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

// planTables returns the plan of a job about files in a folder.
func planTables(t testing.TB, dir, job string) *pipeline.Plan {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "job.yaml"), []byte(job), 0o600); err != nil {
		t.Fatal(err)
	}
	p, diags := wiring.Plan(t.Context(), filepath.Join(dir, "job.yaml"), configs.ParseOptions{})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return p
}

// tablesEngine opens the tables of a plan.
func tablesEngine(t testing.TB, p *pipeline.Plan, l local.Limits) *local.Tables {
	t.Helper()
	var tables []*source.Dataset
	for _, options := range wiring.Sources(p.Job()) {
		d, err := source.Open(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, d)
	}
	return local.NewTables(tables, l)
}

// exactTables returns the exact answers of a job on tables.
func exactTables(t testing.TB, p *pipeline.Plan, l local.Limits, side int64) [][]int64 {
	t.Helper()
	e := tablesEngine(t, p, l)
	defer e.Close()
	local.LimitSides(e, side)
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
	return sums(t, a)
}

// sums returns the exact cells of each query.
func sums(t testing.TB, a *pipeline.Aggregates) (out [][]int64) {
	t.Helper()
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

// want works the answers out of tablesJob by loops over all rows. Each customer has one region: the smallest of its
// rows.
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

// drawWorld draws tables with duplicate keys, orders of two customers, and keys without a match.
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

// Joins give the same answers as loops over all rows, also if the sides of joins take several passes.
func TestTablesAreJoined(t *testing.T) {
	dir := t.TempDir()
	p := planTables(t, dir, tablesJob)
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt)
		files := w.files()
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(files[name]), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want := fmt.Sprint(w.want())
		sides := []int64{0, 1, 500}
		if !owntest.Checking() {
			sides = []int64{rapid.SampledFrom(sides).Draw(rt, "side")}
		}
		for _, side := range sides {
			if got := fmt.Sprint(exactTables(t, p, local.Limits{Workers: 2, Memory: 1 << 30}, side)); got != want {
				rt.Fatalf("sides of %d bytes: %s, want %s\n%v", side, got, want, files)
			}
		}
	})
}

// personsJob is a job on visits with columns of their persons.
const personsJob = `version: 1
name: visits
privacy: {epsilon: 1, delta: 1e-6, unit: [id], per_unit: {max_rows: 10}}
input: {tables: {%s}}
queries: [%s]
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: visits, budget: {epsilon: 9, delta: 1e-4}}
`

type personRow struct {
	ID  string `parquet:"id"`
	Age string `parquet:"age"`
}

type visitRow struct {
	Person string    `parquet:"person"`
	Day    int64     `parquet:"day"`
	Tests  []float64 `parquet:"tests,list"`
}

// writeTables writes persons and visits of two persons, each in CSV and Parquet.
func writeTables(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("persons.csv", "id,age,code\na,30,1.10\nb,40,2.20\na,20,1.10\n")
	put("visits.csv", "person,day\na,1\nb,2\nb,3\n")
	put("codes.csv", "id,of,name\na,1.10,x\nb,2.20,y\n")
	put("strangers.csv", "id,day\nz,1\n")
	if err := parquet.WriteFile(filepath.Join(dir, "persons.parquet"), []personRow{{"a", "30"}, {"b", "40"}}); err != nil {
		t.Fatal(err)
	}
	visits := []visitRow{{"a", 1, nil}, {"b", 2, nil}, {"b", 3, nil}}
	if err := parquet.WriteFile(filepath.Join(dir, "visits.parquet"), visits); err != nil {
		t.Fatal(err)
	}
	return dir
}

// checkTables returns the diagnostics of CheckWith for a job.
func checkTables(t *testing.T, dir, tables, queries string) configs.Diagnostics {
	t.Helper()
	p := planTables(t, dir, fmt.Sprintf(personsJob, tables, queries))
	e := tablesEngine(t, p, local.Limits{Workers: 1, Memory: 1 << 30})
	defer e.Close()
	return p.CheckWith(e)
}

// Whether texts are read as numbers depends on the table from which they come.
func TestJoinedTextsWhereNumbersBelong(t *testing.T) {
	dir := writeTables(t)
	const ages = "{name: ages, from: visits, histogram: {by: [{column: %s, edges: [0, 35, 99]}]}}"
	for _, x := range []struct {
		persons, visits, column string
		fits                    bool
	}{
		{"files: [persons.csv]", "files: [visits.csv]", "age", true},
		{"files: [persons.parquet]", "files: [visits.csv]", "age", false},
		{"files: [persons.csv]", "files: [visits.parquet]", "age", true},
		{"files: [persons.csv], csv: {types: {age: text}}", "files: [visits.csv]", "age", false},
		{"files: [persons.csv], derive: {years: trim(age)}", "files: [visits.csv]", "years", false},
	} {
		found := checkTables(t, dir, "persons: {"+x.persons+", unit: [id]}, visits: {"+x.visits+
			", unit: [person], join: [{table: persons, add: ["+x.column+"]}]}", fmt.Sprintf(ages, x.column))
		if len(found) == 0 != x.fits || len(found) > 0 && found[0].Code != "column-type" {
			t.Errorf("%+v: %v", x, found)
		}
	}
}

// The partner of a row is the smallest by all added columns, whichever of them the job's queries read.
func TestPartnersDoNotDependOnQueries(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"persons.csv": "id,age,sex\na,20,m\na,30,f\n", "visits.csv": "person\na\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const tables = "persons: {files: [persons.csv], unit: [id]}, visits: {files: [visits.csv], unit: [person], " +
		"join: [{table: persons, add: [age, sex]}]}"
	const bySex = `{name: sexes, from: visits, histogram: {by: [{column: sex, values: [f, m]}]}}`
	const byAge = `{name: ages, from: visits, histogram: {by: [{column: age, values: ["20", "30"]}]}}`
	for _, queries := range []string{bySex, bySex + ", " + byAge} {
		p := planTables(t, dir, fmt.Sprintf(personsJob, tables, queries))
		if got := exactTables(t, p, local.Limits{Workers: 1, Memory: 1 << 30}, 0); !slices.Equal(got[0], []int64{0, 1}) {
			t.Errorf("%s: %v", queries, got)
		}
	}
}

// Columns of units come from the table that a query reads: others need not be there.
func TestUnitsOfSeveralTables(t *testing.T) {
	dir := writeTables(t)
	const tables = "persons: {files: [persons.csv], csv: {types: {age: int}}, unit: [id]}, visits: {files: [visits.csv], " +
		"csv: {types: {day: int}}, unit: [person], join: [{table: persons, add: [code]}]}"
	job := strings.Replace(personsJob, "queries:", "units: {visits: {count: {}}, oldest: {max: age}, latest: {max: day}, code: {min: "+
		"code}}\nqueries:", 1)
	p := planTables(t, dir, fmt.Sprintf(job, tables,
		"{name: visits, from: visits, over: units, histogram: {by: [{column: visits, values: [1, 2]}]}}, "+
			"{name: latest, from: visits, over: units, sum: {column: latest, clamp: [0, 9], by: [{column: code, values: "+
			"[\"1.10\", \"2.20\"]}]}}, "+
			"{name: oldest, from: persons, over: units, histogram: {by: [{column: oldest, values: [30, 40]}]}}, "+
			"{name: persons, from: persons, over: units, count: {}}"))
	got := exactTables(t, p, local.Limits{Workers: 2, Memory: 1 << 30}, 0)
	if want := [][]int64{{1, 1}, {1, 3}, {1, 1}, {2}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A decimal column that one join adds can be the key of the next.
func TestJoinedDecimalsAreKeys(t *testing.T) {
	type coded struct {
		ID   string `parquet:"id"`
		Code int64  `parquet:"code,decimal(2:10)"`
		Name string `parquet:"name"`
	}
	dir := writeTables(t)
	for _, name := range []string{"coded.parquet", "names.parquet"} {
		if err := parquet.WriteFile(filepath.Join(dir, name), []coded{{"a", 110, "x"}, {"b", 220, "y"}}); err != nil {
			t.Fatal(err)
		}
	}
	const tables = "persons: {files: [coded.parquet], unit: [id]}, names: {files: [names.parquet], unit: [id]}, " +
		"visits: {files: [visits.csv], unit: [person], join: [{table: persons, add: [code]}, " +
		"{table: names, on: {code: code}, add: [name]}]}"
	p := planTables(t, dir, fmt.Sprintf(personsJob, tables,
		"{name: names, from: visits, histogram: {by: [{column: name, values: [x, y]}]}}"))
	if got := exactTables(t, p, local.Limits{Workers: 1, Memory: 1 << 30}, 0); !slices.Equal(got[0], []int64{1, 2}) {
		t.Error(got)
	}
}

// A table whose keys have no match is distinguished from an empty input. Lists in it are refused once.
func TestTablesWithoutAUnit(t *testing.T) {
	dir := writeTables(t)
	const query = "{name: all, from: visits, count: {}}"
	p := planTables(t, dir, fmt.Sprintf(personsJob, "persons: {files: [strangers.csv], unit: [id]}, visits: {files: "+
		"[visits.csv], join: [{table: persons, on: {person: id}, add: [day], prefix: their_}]}", query))
	e := tablesEngine(t, p, local.Limits{Workers: 1, Memory: 1 << 30, Look: local.LookAll})
	defer e.Close()
	a, err := e.Aggregate(t.Context(), p, pipeline.Silent{})
	if err != nil {
		t.Fatal(err)
	}
	if found := p.Findings(a.Checks); len(found) != 1 || !found[0].Unusable || found[0].Code != "data-empty" ||
		!strings.Contains(found[0].Message, "none of them has a partner in table persons") {
		t.Error(found)
	}
	found := checkTables(t, dir, "persons: {files: [persons.csv], unit: [id]}, codes: {files: [codes.csv], unit: [id]}, "+
		"visits: {files: [visits.parquet], join: [{table: persons, on: {person: id}, add: [age]}, {table: codes, add: [name]}]}",
		"{name: all, from: visits, histogram: {by: [{column: name, values: [x]}]}}, "+
			"{name: tests, from: visits, mean: {column: tests, length: 2, clamp: [0, 1]}}")
	if len(found) != 1 || !strings.Contains(found[0].Message, "holds lists") {
		t.Error(found)
	}
}

// Metadata of files is compared with the rows of all tables that are read, also of the other tables of joins.
func TestMetadataOfSeveralTables(t *testing.T) {
	dir := writeTables(t)
	content := ticks(t)
	greatest, lie := []byte{0x2b, 1, 0, 0, 0, 0, 0, 0}, []byte{0xfa, 0, 0, 0, 0, 0, 0, 0}
	for at := bytes.LastIndex(content, greatest); at > len(content)*2/3; at = bytes.LastIndex(content[:at], greatest) {
		copy(content[at:], lie)
	}
	if err := os.WriteFile(filepath.Join(dir, "ticks.parquet"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	const ticked = "ticks: {files: [ticks.parquet], unit: [note], where: [{column: tick, min: 1}]}, "
	const alone = "visits: {files: [visits.csv], unit: [person]}"
	const joining = "visits: {files: [visits.csv], unit: [person], join: [{table: ticks, add: [x]}]}"
	const count = "{name: visits, from: visits, count: {}}"
	const sum = "{name: visits, from: visits, sum: {column: x, clamp: [0, 1]}}"
	for _, c := range []struct {
		tables, queries string
		want            int
	}{
		{ticked + joining, sum, 1},
		{ticked + joining, count, 0}, // reads visits alone
		{ticked + alone, "{name: ticks, from: ticks, count: {}}", 1},
	} {
		p := planTables(t, dir, fmt.Sprintf(personsJob, c.tables, c.queries))
		e := tablesEngine(t, p, local.Limits{Workers: 1, Memory: 1 << 30})
		wrong, err := e.WrongMetadata(t.Context(), p)
		if err != nil || len(wrong) != c.want || c.want > 0 && wrong[0].File != "table ticks: ticks.parquet" {
			t.Errorf("%s, %s: %v, %v", c.tables, c.queries, wrong, err)
		}
		_ = e.Close()
	}
}

// A join on columns that do not exist names those that do, but for the header of a CSV file, which may be a row.
func TestUnknownColumnsOfJoins(t *testing.T) {
	dir := writeTables(t)
	for _, c := range []struct{ persons, join, message, hint string }{
		{"persons.parquet", "add: [agee]", "table persons has no column agee", "did you mean age?"},
		{"persons.parquet", "on: {dayy: age}, add: [age]", "the table has no column dayy", "did you mean day?"},
		{"persons.parquet", "on: {day: years}, add: [age]", "table persons has no column years", "columns: id, age"},
		{"persons.csv", "add: [agee]", "table persons has no column agee", "column names are compared letter by letter"},
	} {
		added := "age"
		if strings.Contains(c.join, "agee") {
			added = "agee"
		}
		found := checkTables(t, dir, "persons: {files: ["+c.persons+"], unit: [id]}, visits: {files: [visits.parquet], unit: [person], "+
			"join: [{table: persons, "+c.join+"}]}", "{name: ages, from: visits, histogram: {by: [{column: "+added+", values: [x]}]}}")
		if !slices.ContainsFunc(found, func(d configs.Diagnostic) bool {
			return d.Message == c.message && strings.HasPrefix(d.Hint, c.hint)
		}) {
			t.Errorf("%s, %s: %+v", c.persons, c.join, found)
		}
	}
}

// The unusable columns of all tables come before what is only worth a look.
func TestFindingsOfSeveralTablesAreSorted(t *testing.T) {
	p := planTables(t, writeTables(t), fmt.Sprintf(personsJob, "persons: {files: [persons.csv], unit: [id]}, visits: {files: "+
		"[visits.csv], unit: [person]}", "{name: codes, from: persons, histogram: {by: [{column: code, values: [\"1.10\"]}]}}, "+
		"{name: days, from: visits, histogram: {by: [{column: day, values: [\"9\"]}]}}"))
	e := tablesEngine(t, p, local.Limits{Workers: 1, Memory: 1 << 30, Look: local.LookAll})
	defer e.Close()
	a, err := e.Aggregate(t.Context(), p, pipeline.Silent{})
	if err != nil {
		t.Fatal(err)
	}
	if found := p.Findings(a.Checks); len(found) != 2 || !found[0].Unusable || found[1].Unusable {
		t.Errorf("%+v", found)
	}
}
