package stabilitytest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// catalog lists every column that a random job may use.
var catalog = []Column{
	{Name: "u", Kind: Int64}, {Name: "w", Kind: Text}, {Name: "i", Kind: Int64}, {Name: "n", Kind: Int32}, {Name: "k",
		Kind: Uint64}, {Name: "f", Kind: Float64},
	{Name: "h", Kind: Float64}, {Name: "g", Kind: Float32}, {Name: "s", Kind: Text}, {Name: "c", Kind: Text}, {Name: "b",
		Kind: Bool}, {Name: "d", Kind: Date},
	{Name: "t", Kind: Instant}, {Name: "e", Kind: Instant}, {Name: "l", Kind: Clock}, {Name: "m", Kind: Cents}, {Name: "o",
		Kind: Whole}, {Name: "lat", Kind: Float64},
	{Name: "lon", Kind: Float64}, {Name: "x", Kind: Float64}, {Name: "y", Kind: Float64}, {Name: "z",
		Kind: Float64}, {Name: "v", Kind: List},
}

// csvOptions lists groups of CSV options. A job has at most one option from each group. Some options read numbers and
// letters differently from how they are written: even then no row may make the run fail.
var csvOptions = [][]string{
	{`comment: "#"`}, {`trim_space: true`}, {`decimal: ","`, `decimal: ",", thousands: "."`,
		`thousands: ","`}, {`quote: "'"`, `quote: none`},
	{
		"encoding: utf-8", "encoding: utf-16", "encoding: utf-16le", "encoding: utf-16be", "encoding: windows-1252",
		"encoding: latin-1", "encoding: latin-9",
		"encoding: windows-1250", "encoding: latin-2", "encoding: windows-1251", "encoding: macintosh",
	},
}

// drawing is a random job that is being drawn.
type drawing struct {
	*rand.Rand
	job *Job
	// selected holds the dimensions of the last histogram that discovers keys; nil if there is none.
	selected []string
	// sampled is set if columns choose the rows of units in all queries (sample_by).
	sampled bool
}

// Draw draws a job that has a plan if its columns have the types that they get in Parquet files. refused counts the
// drafts that were thrown away because they had no plan.
func Draw(r *rand.Rand) (j *Job, refused int) {
	for {
		d := &drawing{Rand: r, job: &Job{}}
		d.privacy()
		if d.chance(0.25) {
			d.filtered()
		} else {
			d.input()
			for i := range 1 + r.IntN(3) {
				d.job.Queries = append(d.job.Queries, fmt.Sprintf("name: q%d, %s", i, d.query()))
			}
			if d.job.Distinct != "" {
				d.job.Queries = append(d.job.Queries, "name: apart, "+d.apart())
				if d.chance(0.7) {
					d.job.Where = nil // with few rows, several rows of a unit rarely count
				}
			}
			if len(d.job.Unit) > 0 && d.job.Events == "" && d.chance(0.2) {
				d.tables()
			}
			if d.selected != nil && d.chance(0.7) {
				d.job.Queries = append(d.job.Queries, "name: follower, "+d.follower())
				r.Shuffle(len(d.job.Queries), func(i, j int) {
					d.job.Queries[i], d.job.Queries[j] = d.job.Queries[j],
						d.job.Queries[i]
				})
			}
			d.conditions()
		}
		d.job.Formats = pick(r, []string{"csv", "parquet", "json", "arrow", "csv, parquet, arrow, json"})
		d.columns()
		if d.chance(0.25) { // the noise is then geometric or Laplace, with L1 sensitivities
			d.job.Delta = "0"
		}
		if _, diags := d.job.Plan("job.yaml", "t.parquet"); len(diags) == 0 {
			return d.job, refused
		}
		refused++
	}
}

// use records that the job needs a column, and returns its name.
func (d *drawing) use(name string) string {
	if index(d.job.Columns, name) < 0 {
		c := catalog[index(catalog, name)]
		c.Optional = d.chance(0.6)
		d.job.Columns = append(d.job.Columns, c)
	}
	return name
}

// one picks a column and records that the job needs it.
func (d *drawing) one(names ...string) string { return d.use(pick(d.Rand, names)) }

func (d *drawing) kind(name string) Kind { return catalog[index(catalog, name)].Kind }

func (d *drawing) chance(p float64) bool { return d.Float64() < p }

func (d *drawing) privacy() {
	d.job.Adjacency = pick(d.Rand, []string{"add-remove", replaceOne})
	switch d.IntN(8) {
	case 0, 1:
	case 2, 3, 4:
		d.job.Unit = []string{d.use("u")}
	case 5:
		d.job.Unit = []string{d.use("w")}
	case 6:
		d.job.Unit = []string{d.use("u"), d.use("w")}
	default:
		d.job.Unit = []string{d.one("d", "f", "b", "t", "k", "c", "m", "o")}
	}
	switch {
	case len(d.job.Unit) > 0 && d.chance(0.25):
		d.sampled = true
		d.job.PerUnit = d.bounds() + ", sample_by: [" + d.one("i", "n", "b") + pick(d.Rand, []string{"", ", " +
			"" + d.one("s", "c",
			"d", "t", "l")}) + "]"
	case len(d.job.Unit) > 0:
		d.job.PerUnit = d.bounds()
	case d.chance(0.4):
		d.job.Upstream = 1 + d.IntN(4)
		switch d.IntN(3) {
		case 0:
			d.job.MaxChange = 1 + d.IntN(3)
			d.use(countsColumn)
			if d.chance(0.3) {
				d.job.Distinct = d.one("n", "d")
			} else {
				d.job.Together = d.chance(0.4)
			}
		case 1:
			d.job.Upstream += 2
			d.job.Distinct = d.one("i", "n", "d")
		}
	}
}

// bounds draws contribution bounds that suffice for most queries.
func (d *drawing) bounds() string {
	rows, groups, each := fmt.Sprintf("max_rows: %d", 1+d.IntN(5)), fmt.Sprintf("max_groups: %d",
		1+d.IntN(4)), fmt.Sprintf("max_rows_per_group: %d", 1+d.IntN(4))
	if d.sampled {
		return rows
	}
	return strings.Join(pick(d.Rand, [][]string{{rows}, {rows}, {groups, each}, {rows, groups}, {rows, each},
		{rows, groups, each}}), ", ")
}

func (d *drawing) input() {
	d.job.Timezone = pick(d.Rand, []string{"", "", "America/New_York", "Asia/Kathmandu"})
	if d.chance(0.5) {
		var options []string
		for _, group := range some(d.Rand, 1+d.IntN(3), csvOptions) {
			options = append(options, pick(d.Rand, group))
		}
		d.job.CSV = strings.Join(options, ", ")
	}
	d.job.Nulls = pick(d.Rand, [][]string{nil, nil, {"NULL"}, {"", "-"}})
	if d.job.Upstream == 0 && d.chance(0.15) {
		d.events()
	}
	if d.chance(0.2) {
		d.lookup()
	}
	if d.chance(0.2) {
		d.derive()
	}
	if len(d.job.Unit) > 0 && d.chance(0.15) {
		d.overUnits()
	}
	for range pick(d.Rand, []int{0, 0, 1, 1, 1, 2, 3}) {
		d.job.Where = append(d.job.Where, d.filter())
	}
	if len(d.job.Unit) == 0 && d.job.Upstream == 0 && d.job.Adjacency == replaceOne && d.chance(0.7) {
		d.job.Rows = 1 + d.IntN(12)
	}
	if len(d.job.Columns) == 0 && d.chance(0.3) {
		d.one("i", "f", "s") // a count names no column, but a table needs one
	}
}

// filtered draws one simple query with one condition, so that all faults are in the statistics that a file has for the
// condition's column.
func (d *drawing) filtered() {
	name := d.one("f", "f", "g", "i", "n", "k", "s", "d", "t", "m", "o")
	d.job.Where = []string{"{column: " + name + ", " + d.ranged(d.kind(name)) + "}"}
	d.job.Queries = []string{"name: q0, " + pick(d.Rand, []string{"count: {}", "histogram: {by: [{column: " + name +
		", values: " + d.labels(d.kind(name)) + ", other: bin}]}"})}
}

// conditions gives some queries conditions of their own. Queries by discovered keys have equal ones, or none, so that
// one of them can select the keys of the others.
func (d *drawing) conditions() {
	ofKeys := ""
	if d.chance(0.3) {
		ofKeys = d.condition()
	}
	for i, q := range d.job.Queries {
		switch {
		case strings.Contains(q, "over: units"):
			if d.chance(0.3) {
				q += ", where: [" + pick(d.Rand, []string{"{column: rows, min: 2}", "{column: some, in: [true]}",
					"{column: total, before: 5}", "{column: least, not_null: true}"}) + "]"
			}
		case namesTable(q), strings.HasPrefix(q, "name: apart"): // other columns; few rows
		case strings.Contains(q, "keys: discover"):
			q += ofKeys
		case d.chance(0.3):
			q += d.condition()
		}
		d.job.Queries[i] = q
	}
}

// condition draws the key where of a query.
func (d *drawing) condition() string { return ", where: [" + d.filter() + "]" }

// overUnits draws a query on the table that has one row for each unit.
func (d *drawing) overUnits() {
	number, text, value := d.one("i", "n", "f", "h", "k"), d.one("s", "c"),
		d.one("s", "i", "f", "b", "d", "t", "l", "k", "o")
	d.job.Units = "{rows: {count: {}}, texts: {count_distinct: " + value + "}, total: {sum: " + number + ", clamp: " +
		pick(d.Rand, []string{"[0, 50]", "[-5, 40]", "[-0.5, 0.5]"}) + "}, least: {min: " + number + "}, most: {max: " +
		value +
		"}, some: {any: {" + text + ": red}}, each: {all: {" + text + ": red, b: true}}, before: {first: " + text + ", by: " +
		d.one("i", "f", "t", "d") + "}, after: {last: " + text + ", by: " + d.one("i", "h", "t", "l") + "}}"
	d.use("b")
	for i, q := range some(d.Rand, 1+d.IntN(3), []string{
		"count: {}", "histogram: {by: [{column: rows, edges: [1, 2, 3, 10]" + bin + "}]}",
		"sum: {column: total, clamp: [-9, 90]}",
		"mean: {column: rows, clamp: [0, 5]}", "histogram: {by: [{column: texts, values: [1, 2]" + bin +
			"}, {column: some, values: [true, false]}]}",
		"histogram: {by: [{column: each, values: [true, false]}, {column: after, values: [red, blue, a]" + bin + "}]}",
		"mean: {column: least, clamp: [-5, 40], by: [{column: before, values: [red, blue]" + bin + "}]}",
		"histogram: {by: [{column: after, keys: discover}]}",
	}) {
		d.job.Queries = append(d.job.Queries, fmt.Sprintf("name: people%d, %s, over: units", i, q))
	}
	if d.chance(0.3) {
		d.job.Queries = append(d.job.Queries, "name: again, count: {}, over: rows")
	}
}

// lookup adds columns of a public table, and queries that use them.
func (d *drawing) lookup() {
	d.job.Derived = append(d.job.Derived, "lookups: [{file: codes.csv, on: {"+d.one("i", "n", "k", "f", "g", "s", "c", "m",
		"o")+": key}, add: [area, people, since], types: {people: float, since: date}, prefix: at_}, {file: codes.csv, on: "+
		"{at_area: key}, add: [place]}, "+pick(d.Rand, []string{
		"{file: spans.csv, on: {" + d.one("i", "n", "k") + ": first}, to: last, add: [span]}]",
		"{file: days.csv, on: {" + d.one("d") + ": first}, to: last, add: [span]}]",
	}))
	d.job.Queries = append(d.job.Queries, "name: looked, "+pick(d.Rand, []string{
		"histogram: {by: [{column: at_area, values: [red, blue, a]" + bin + "}]}",
		"sum: {column: at_people, clamp: [-5, 40], by: [{column: place, values: [north, south]}]}",
		"mean: {column: at_people, clamp: [0, 50]}", "histogram: {by: [{column: at_since, part: day_of_week" + bin + "}]}",
		"histogram: {by: [{column: span, values: [low, mid]" + bin + "}]}",
		"crosstabs: {by: [{column: span, values_from: {file: sizes.csv, column: span}, levels: [size, span]}, {column: " +
			"place, values: [north, south]}]}",
		"crosstabs: {by: [{column: at_area, values_from: {file: places.csv, column: place}, levels: [country, region, " +
			"place]}]}",
		"histogram: {by: [{column: place, values: [north]}, {column: at_people, edges: [0, 1, 40]}]}",
	}))
	if d.chance(0.3) {
		d.job.Where = append(d.job.Where, pick(d.Rand, []string{"{column: at_area, in: [red]}",
			"{column: at_since, min: 2012-12-31}", "{column: at_people, not_null: true}", "{column: place, not_in: [north]}"}))
	}
}

// derive adds columns that expressions define, some by other such columns, and queries that use them.
func (d *drawing) derive() {
	number, text, at := d.one("i", "n", "k", "f", "g", "m", "o"), d.one("s", "c"), d.one("t", "l", "d")
	d.job.Derived = append(d.job.Derived, "derive: {number: "+pick(d.Rand, []string{
		number + " / " + d.one("i", "f", "h"), number + " * 4 - " + d.one("i", "n", "g"), "coalesce(" + number + ", 5)",
		number + " > 0 ? " + number + " : len(" + text + ")", "int(" + text + ") ?? 0", "abs(" + number + ") % 7",
	})+", word: '"+pick(d.Rand, []string{"lower(trim(" + text + "))", "substring(" + text + ", 1, 1)", text + " + \"d\"",
		"extract(" + text + ", \"[a-z]+\") ?? \"none\"", text + " matches \"^r\" ? \"red\" : nil", "text(" + number + ")",
	})+"', when: year("+at+") * 12 + month("+at+"), odd: number > 1 and word != \"a\" or "+number+" == nil}")
	d.job.Queries = append(d.job.Queries, "name: derived, "+pick(d.Rand, []string{
		"histogram: {by: [{column: word, values: [red, a, none]" + bin + "}]}",
		"sum: {column: number, clamp: [-5, 40], by: [{column: odd, values: [true, false]" + bin + "}]}",
		"mean: {column: number, clamp: [0, 50]}", "histogram: {by: [{column: when, edges: [0, 23640, 24157, 40000]" + bin +
			"}]}",
	}))
	if d.chance(0.3) {
		d.job.Where = append(d.job.Where, pick(d.Rand, []string{"{column: odd, in: [true]}", "{column: number, min: 1}",
			"{column: word, not_null: true}"}))
	}
}

// events makes rows hold several events: it gives some logical columns one input column for each event. The columns of
// the unit are the same for all events.
func (d *drawing) events() {
	sources := map[string][]string{"f": {"f", "h", "x"}, "s": {"s", "c"}, "t": {"t", "e"}, "lat": {"lat", "y"},
		"lon": {"lon", "z"}}
	var names []string
	for _, n := range some(d.Rand, 1+d.IntN(3), []string{"f", "s", "t", "lat", "lon"}) {
		if !slices.Contains(d.job.Unit, n) {
			names = append(names, n)
		}
	}
	if len(names) == 0 {
		return
	}
	n := 1 + d.IntN(3)
	if len(d.job.Unit) == 0 {
		n = 1
	}
	var events []string
	for range n {
		var pairs []string
		for _, name := range names {
			pairs = append(pairs, name+": "+d.one(sources[name]...))
		}
		events = append(events, "{"+strings.Join(pairs, ", ")+"}")
	}
	d.job.Events = "[" + strings.Join(events, ", ") + "]"
}

// columns adds unused columns to the input, at least one column if it had none, and shuffles them.
func (d *drawing) columns() {
	if len(d.job.Columns) == 0 || d.chance(0.2) {
		d.one("i", "f", "s", "d")
	}
	d.Shuffle(len(d.job.Columns), func(i, j int) {
		d.job.Columns[i], d.job.Columns[j] = d.job.Columns[j], d.job.Columns[i]
	})
}
