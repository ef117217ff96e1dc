package stabilitytest

import (
	"context"
	"errors"
	"strings"

	"github.com/dprelease/dprelease/internal/wiring"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/pipeline"
)

// Several tables
//
// A job with several tables reads the files of a case twice, as the tables left and right, so that neighbours differ in
// the rows of one unit in both. A third table, items, is the same for all neighbours and names no unit: its rows belong
// to the unit of the row in left with the same key. If no row of left has the key of an item, the item belongs to no
// unit.

// Tables describes the tables besides left, which is the job's input.
type Tables struct {
	Join  string // the table left's key join in the job
	Right string // the table right's conditions in the job
	Items string // the key join of items, first to left
}

// items is the file name of the table items.
const items = "items.csv"

const itemRows = "i,s,price\n0,a,1\n0,red,50\n1,a\x00b,2\n5,,3\n5,b,-4\n40,red,5.5\n40,red,5.5\n40,é,\n7,b,8\n,a,9\n" +
	"9223372036854775807,zz,1e300\n-9223372036854775808,\"\",0\n1,blue,NaN\n"

// inputs writes the keys of input for all tables.
func (t *Tables) inputs(line func(string, ...any), j *Job, files []string) {
	form := func() {
		line("      files: [%s]\n      csv: {%s}\n      unit: [%s]", strings.Join(files, ", "), j.csv(),
			strings.Join(j.Unit, ", "))
		if len(files) > 0 && strings.HasSuffix(files[0], ".jsonl") {
			line("      jsonl: {columns: {%s}}", strings.Join(j.types(true), ", "))
		}
	}
	line("  tables:\n    left:")
	form()
	for _, key := range j.Derived {
		line("      %s", key)
	}
	if len(j.Where) > 0 {
		line("      where: [%s]", strings.Join(j.Where, ", "))
	}
	line("      join: %s\n    right:", t.Join)
	form()
	if t.Right != "" {
		line("      where: [%s]", t.Right)
	}
	line("    items: {files: [%s], csv: {types: {i: int, price: float}}, join: %s}", items, t.Items)
}

// from adds from: left to a query that names no table.
func from(query string) string {
	if namesTable(query) {
		return query
	}
	return query + ", from: left"
}

// namesTable reports whether a query ends with the table from which it takes rows.
func namesTable(query string) bool {
	return strings.HasSuffix(query, ", from: left") || strings.HasSuffix(query, ", from: items")
}

// tables draws several tables, and queries on one table that use columns of another.
func (d *drawing) tables() {
	same := func() string {
		name := d.one("i", "s", "b", "n", "d", "c", "f", "g", "k", "m", "o", "t", "l")
		return name + ": " + name
	}
	add := d.one("f", "h", "i", "k", "g")
	text := d.one("s", "c")
	on := pick(d.Rand, []string{"", "on: {" + same() + "}, ", "on: {" + same() + "}, "})
	t := &Tables{Join: "[{table: right, " + on + "add: [" + add + ", " + text + "], prefix: of_}]"}
	if d.chance(0.4) {
		t.Right = d.filter()
	}
	key := pick(d.Rand, []string{"i", "s"})
	t.Items = "[{table: left, on: {" + key + ": " + d.use(key) + "}, add: [" + d.one("c", "b", "n") +
		"], prefix: l_}, {table: " +
		"right, add: [" + text + "], prefix: r_}]"
	d.job.Tables = t
	if d.sampled { // by columns that the table items has, too
		d.job.PerUnit = d.bounds() + ", sample_by: [" + pick(d.Rand, []string{d.use("i"), d.use("s"), "i, s"}) + "]"
	}
	d.job.Queries = append(d.job.Queries,
		"name: joined, "+pick(d.Rand, []string{
			"sum: {column: of_" + add + ", clamp: [-5, 40], by: [{column: of_" + text + ", values: [red, blue, a]" + bin + "}]}",
			"mean: {column: of_" + add + ", clamp: [0, 50]}",
			"histogram: {by: [{column: of_" + text + ", keys: discover}]}, per_unit: {max_groups: 3, max_rows_per_group: 1}",
		})+", from: left",
		"name: items, "+pick(d.Rand, []string{
			"sum: {column: price, clamp: [-5, 40], by: [{column: r_" + text + ", values: [red, blue, a]" + bin + "}]}",
			"histogram: {by: [{column: s, values: [red, b, a]" + bin + "}, {column: r_" + text + ", values: [red]" + bin + "}]}",
			"count: {}",
		})+", from: items")
	if d.chance(0.4) {
		d.job.Where = append(d.job.Where, pick(d.Rand, []string{"{column: of_" + text + ", in: [red, a]}",
			"{column: of_" + add +
				", not_null: true}"}))
	}
	if d.chance(0.5) {
		d.job.Queries = append(d.job.Queries, "name: right, histogram: {by: [{column: "+text+", values: [red, a]"+bin+"}]}, "+
			"from: right")
	}
}

// openTables opens the tables of a job in the order of its plan.
func (c *Case) openTables(l *Lab) (tables []*source.Dataset, err error) {
	for i, options := range wiring.Sources(c.Job.plan.Job()) {
		options.Dir, options.Workers = l.Dir, c.Limits.Workers
		if name := c.Job.plan.Tables()[i]; name != "items" {
			options.Files = Files(c.Writer, c.Pair.Files)
			options.JSONL = c.Job.source.JSONL
		}
		data, err := source.Open(context.Background(), options)
		if err != nil {
			return nil, err
		}
		tables = append(tables, data)
	}
	return tables, nil
}

// open makes an engine for a plan over the files that Put wrote.
func (c *Case) open(l *Lab, p *pipeline.Plan, open func(*source.Dataset, Limits,
	string) pipeline.Engine) (pipeline.Engine,
	error) {
	if len(p.Tables()) > 0 {
		if l.OpenTables == nil {
			return nil, unwritten{errors.New("the engine reads one table")}
		}
		tables, err := c.openTables(l)
		if err != nil {
			return nil, err
		}
		return l.OpenTables(tables, c.Limits, l.Dir), nil
	}
	data, err := c.openFiles(l)
	if err != nil {
		return nil, err
	}
	return open(data, c.Limits, l.Dir), nil
}
