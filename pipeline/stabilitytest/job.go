package stabilitytest

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/wiring"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/pipeline"
)

// Job is a job whose YAML is composed of parts, so that shrinking can drop some of them.
type Job struct {
	Columns   []Column // the input's columns
	Unit      []string // nil if each row is a unit
	Upstream  int      // the bound on rows per unit that the table's producer guarantees; 0 if there is none
	Distinct  string   // a column in which, as the producer promises, no two rows of a unit are alike; "" if there is none
	MaxChange int      // if rows are counts, in the column i: the most by which a unit changes one; else 0
	Together  bool     // if rows are counts: Upstream·MaxChange bounds how much a unit adds to all counts together
	Adjacency string
	Delta     string   // "" stands for 1e-6
	PerUnit   string   // the job's per_unit; "" if there is none
	CSV       string   // keys of input.csv besides types and null_values
	Nulls     []string // items of input.csv.null_values besides nullText
	Timezone  string
	Events    string   // the job's events; "" if there are none
	Derived   []string // keys of input that define derived columns, such as lookups
	Units     string   // the job's units; "" if no query is over units
	Tables    *Tables  // the tables besides the first; nil if there are none
	Where     []string // conditions
	Rows      int      // the public number of rows; 0 if it is private
	Queries   []string
	Formats   string
	// Statistics is the value of input.statistics; "" if the key is left out.
	Statistics string

	plan   *pipeline.Plan // made by prepare
	source source.Options // how CSV files are read
	whole  *Job           // the same job with input.statistics: ignore
}

// countsColumn holds the counts of a table whose rows are counts.
const countsColumn = "i"

// replaceOne is the value of a job's adjacency for replaced units.
const replaceOne = "replace-one"

// YAML returns the text of the job for input files with these names.
func (j *Job) YAML(files ...string) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	unit := "row"
	if len(j.Unit) > 0 {
		unit = "[" + strings.Join(j.Unit, ", ") + "]"
	}
	if j.Upstream > 0 {
		unit = fmt.Sprintf("{upstream: device, max_rows: %d", j.Upstream)
		switch {
		case j.Together:
			unit = fmt.Sprintf("{upstream: device, max_sum: %d", j.Upstream*j.MaxChange)
		case j.MaxChange > 0:
			unit += fmt.Sprintf(", max_change: %d", j.MaxChange)
		}
		if j.Distinct != "" {
			unit += ", distinct: [" + j.Distinct + "]"
		}
		unit += "}"
	}
	perUnit := ""
	if j.PerUnit != "" {
		perUnit = ", per_unit: {" + j.PerUnit + "}"
	}
	line("version: 1\nname: fuzz")
	line("privacy: {epsilon: 1, delta: %s, unit: %s, float_unit: %s, adjacency: %s%s}", cmp.Or(j.Delta, "1e-6"), unit,
		j.floatUnit(), j.Adjacency, perUnit)
	line("input:")
	if j.Tables != nil {
		j.Tables.inputs(line, j, files)
	} else {
		line("  files: [%s]\n  csv: {%s}", strings.Join(files, ", "), j.csv())
		if len(files) > 0 && strings.HasSuffix(files[0], ".jsonl") {
			line("  jsonl: {columns: {%s}}", strings.Join(j.types(true), ", "))
		}
	}
	for _, kv := range [][2]string{{"timezone", j.Timezone}, {"statistics", j.Statistics}, {"events", j.Events}} {
		if kv[1] != "" {
			line("  %s: %s", kv[0], kv[1])
		}
	}
	if j.MaxChange > 0 {
		line("  counts: {column: %s}", countsColumn)
	}
	if j.Rows > 0 {
		line("  rows: %d", j.Rows)
	}
	if j.Tables == nil {
		for _, key := range j.Derived {
			line("  %s", key)
		}
		if len(j.Where) > 0 {
			line("  where: [%s]", strings.Join(j.Where, ", "))
		}
	}
	if j.Units != "" {
		line("units: %s", j.Units)
	}
	line("queries:")
	for _, q := range j.Queries {
		if j.Tables != nil {
			q = from(q)
		}
		line("  - {%s}", q)
	}
	line("output: {dir: out, formats: [%s]}", j.Formats)
	line(`ledger: {store: "sqlite:ledger.db", dataset: fuzz, budget: {epsilon: 100, delta: 1e-3}}`)
	return b.String()
}

// floatUnit returns the key that allows floating-point numbers in the privacy unit, if the job needs it: in CSV,
// decimals are read as such numbers.
func (j *Job) floatUnit() string {
	for _, c := range j.Columns {
		if slices.Contains(j.Unit, c.Name) && (c.Kind == Float64 || c.Kind == Float32 || c.Kind == Cents) {
			return "allow"
		}
	}
	return "refuse"
}

// csv returns the value of input.csv: the types of the columns that CSV can hold, in the form in which textOf writes
// them.
func (j *Job) csv() string {
	parts := []string{"types: {" + strings.Join(j.types(false), ", ") + "}", "null_values: [" +
		quoted(append([]string{nullText}, j.Nulls...)) + "]"}
	if j.CSV != "" {
		parts = append(parts, j.CSV)
	}
	return strings.Join(parts, ", ")
}

// types returns the types of the columns that text files can hold, as name: type. Columns of texts are left out unless
// texts is set.
func (j *Job) types(texts bool) (types []string) {
	for _, c := range j.Columns {
		switch t := csvTypes[c.Kind]; {
		case t != "":
			types = append(types, c.Name+": "+t)
		case texts && c.Kind == Text:
			types = append(types, c.Name+": text")
		}
	}
	return types
}

// Plan makes the job's plan. path is the assumed path of the job's file.
func (j *Job) Plan(path string, files ...string) (*pipeline.Plan, configs.Diagnostics) {
	job, diags := configs.Parse(path, []byte(j.YAML(files...)), configs.ParseOptions{})
	if len(diags) > 0 {
		return nil, diags
	}
	return pipeline.New(job, func(file, column string, _ bool) ([]string, error) {
		values, ok := PublicColumn(file, column)
		if !ok {
			return nil, fmt.Errorf("no public file has a column %s", column)
		}
		return values, nil
	})
}

// prepare makes the job's plan, and the options with which its files are read, on the first call.
func (j *Job) prepare(l *Lab) error {
	if j.plan != nil {
		return nil
	}
	p, diags := j.Plan(filepath.Join(l.Dir, "job.yaml"), "t.csv")
	if len(diags) > 0 {
		return diags
	}
	j.plan, j.source = p, wiring.Sources(p.Job())[0]
	j.source.JSONL.Columns = map[string]string{}
	for _, t := range j.types(true) {
		name, of, _ := strings.Cut(t, ": ")
		j.source.JSONL.Columns[name] = strings.Trim(of, `"`)
	}
	return nil
}

// readsAll returns the same job with input.statistics: ignore.
func (j *Job) readsAll(l *Lab) (*Job, error) {
	if j.whole == nil {
		whole := *j
		whole.plan, whole.Statistics = nil, "ignore"
		j.whole = &whole
	}
	return j.whole, j.whole.prepare(l)
}

// changed discards the plans, because the job was changed.
func (j *Job) changed() { j.plan, j.whole = nil, nil }

// Public holds the contents of the public files that jobs name, in CSV.
var Public = map[string]string{
	"places.csv": "country,region,place\nx,warm,red\nx,warm,a\nx,cold,blue\nx,cold,b\nx,cold,A\ny,flat,40\n",
	"people.csv": "region,people\nwarm,3\ncold,40\nflat,0\n",
	"keys.csv":   "key\na\nb\nred\nblue\n40\n1\n",
	"spans.csv":  "first,last,span\n-5,0,low\n1,5,mid\n7,39,mid\n41,9223372036854775807,high\n",
	"sizes.csv":  "size,span\nsmall,low\nsmall,mid\nlarge,high\n",
	"days.csv":   "first,last,span\n1969-12-31,2012-12-30,low\n2012-12-31,2012-12-31,mid\n2013-01-02,2013-01-03,high\n",
	"codes.csv": "key,place,area,people,since\n1,north,red,0.5,2012-12-31\na,north,,40,\n40,south,blue,-5,2013-01-01\n0,,red,1e300,\n" +
		"red,south,red,,1969-12-31\n5,south,a,39.999,2013-01-02\n,north,blue,7,\n",
	"points.csv": "id,lat,lon\none,40.75,-73.98\ntwo,40.7501,-73.9801\nthree,40.752,-73.98\nfour,40.76,-73.99\npole,90,0\n",
}

// PublicColumn returns a column of the public file that the last element of path names.
func PublicColumn(path, column string) ([]string, bool) {
	lines := strings.Split(strings.TrimSuffix(Public[path[strings.LastIndex(path, "/")+1:]], "\n"), "\n")
	at := slices.Index(strings.Split(lines[0], ","), column)
	if at < 0 {
		return nil, false
	}
	var out []string
	for _, l := range lines[1:] {
		out = append(out, strings.Split(l, ",")[at])
	}
	return out, true
}

func quoted(texts []string) string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = strconv.Quote(t)
	}
	return strings.Join(out, ", ")
}
