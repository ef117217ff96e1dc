package pipeline

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/tally"
)

// Unusable columns
//
// A column is unusable for a query in three cases: it leaves the query fewer than one row in twenty, or no row in a
// listed cell, or at least half of its strings are not valid for its type. These limits are meant for mistakes, which
// spoil nearly all rows; a query that counts a rare value on purpose has `other: bin`. The operator is also told if one
// row in twenty or more is in none of a query's cells, or if contribution bounds drop half of the rows.

// The codes of findings.
const (
	codeDataEmpty    = "data-empty"    // the input has no rows
	codeDataUnparsed = "data-unparsed" // strings are not valid for their type
	codeDataNull     = "data-null"     // rows have no value
	codeDataOutside  = "data-outside"  // values are in no listed cell
	codeDataFilter   = "data-filter"   // no row passes a filter
	codeDataCut      = "data-cut"      // contribution bounds drop many rows
)

// fewRows determines when a column is unusable: if fewer than one row in fewRows has a usable value.
const fewRows = 20

// Finding is a problem in the data that the operator is told about, before or after a release. It is private, like
// [DataChecks].
type Finding struct {
	configs.Diagnostic
	// Unusable is set if the release has only noise for the query or column that the finding names.
	Unusable bool
}

// finder collects findings.
type finder struct {
	plan  *Plan
	found []Finding
}

// Findings derives findings from the row counts of a plan. Findings of unusable columns come first.
func (p *Plan) Findings(c *DataChecks) []Finding {
	f := &finder{plan: p}
	for k, t := range c.Tables {
		if t != nil {
			f.found = append(f.found, p.OfTable(k).Findings(t)...)
		}
	}
	if len(c.Tables) == 0 {
		f.table(c)
	}
	slices.SortStableFunc(f.found, func(a, b Finding) int {
		switch {
		case a.Unusable == b.Unusable:
			return 0
		case a.Unusable:
			return -1
		}
		return 1
	})
	return f.found
}

// table collects the findings of a plan with one table.
func (f *finder) table(c *DataChecks) {
	p := f.plan
	if j := p.input.unitJoin(); c.Rows == 0 && j != nil {
		f.add(true, j.field, codeDataEmpty, "the table has no rows, or none of them has a partner in table "+j.name,
			"are the "+
				"keys the same columns, and written alike, in both tables? rows that the where of table "+j.name+" leaves out "+
				"are not partners")
		return
	}
	if c.Rows == 0 {
		hint := "is it the right input?"
		if header := p.job.Input.CSV.Header; f.isCSV() && (header == nil || *header) {
			hint = "is it the right file, and is its only line a header? without a header write input.csv.header: false and " +
				"list input.csv.columns"
		}
		f.add(true, "input.files", codeDataEmpty, "the input has no rows", hint)
		return
	}
	if len(p.input.filters.Columns()) > 0 && c.Filters.Counted() == 0 {
		f.filters(c.Filters)
		return
	}
	f.unparsedFilters(c.Filters)
	for i := range c.Queries {
		f.query(i, &c.Queries[i], c.All())
	}
}

// unparsedFilters reports the filters of which at least half of the strings are not valid for the column's type. It
// returns whether it reported one.
func (f *finder) unparsedFilters(c *tally.Tally) (found bool) {
	for _, t := range c.Inputs() {
		found = f.unparsed(t.Field, &t) || found
	}
	return found
}

func (f *finder) add(unusable bool, path, code, message, hint string) {
	x := Finding{f.plan.job.Diagnose(path, code, message, hint), unusable}
	if !slices.Contains(f.found, x) {
		f.found = append(f.found, x)
	}
}

// Percent formats part/whole in whole percent. 0 % and 100 % stand for exactly no row and exactly all rows. A finer
// fraction would reveal single rows.
func Percent(part, whole int64) string {
	switch share := 100 * float64(part) / float64(max(whole, 1)); {
	case part == 0:
		return "0 %"
	case part == whole:
		return "100 %"
	case share < 1:
		return "<1 %"
	case share > 99:
		return ">99 %"
	default:
		return strconv.FormatFloat(share, 'f', 0, 64) + " %"
	}
}

// isMost reports whether part is at least half of whole, and not 0.
func isMost(part, whole int64) bool { return part > 0 && 2*part >= whole }

// unparsed reports an input if at least half of its strings are not valid for its type. It returns true if it did.
func (f *finder) unparsed(path string, t *tally.Input) bool {
	texts := t.Rows - t.Null
	if !isMost(t.Unparsed, texts) {
		return false
	}
	column, declared := t.Columns[0], ""
	for _, name := range f.inFile(t) {
		if text := f.plan.job.Input.CSV.Types[name]; text != "" {
			column, declared = name, text
		}
	}
	if declared == "" {
		f.add(true, path, codeDataUnparsed, fmt.Sprintf("column %s: %s of its texts are not numbers", column,
			Percent(t.Unparsed, texts)), "numbers have a decimal point, and no thousands separator and no unit of measure: "+
			"rewrite the column; dates and times need a type: input.csv.types")
		return true
	}
	kind, _, _ := strings.Cut(declared, " ")
	if declared == "date" {
		declared = "date 2006-01-02"
	}
	f.add(true, "input.csv.types"+pathStep(column), codeDataUnparsed, fmt.Sprintf("column %s: %s of its texts cannot be "+
		"read as %s", column, Percent(t.Unparsed, texts), declared), typeHint(kind, column))
	return true
}

// inFile returns the columns of the input's files from which a dimension, filter or value is read. If the job has
// events, these are the columns of every event.
func (f *finder) inFile(t *tally.Input) (names []string) {
	for _, logical := range t.Columns {
		if at := slices.Index(f.plan.Logical(), logical); at >= 0 {
			for _, view := range f.plan.EventColumns() {
				names = append(names, f.plan.Extended()[view[at]])
			}
		}
	}
	return names
}

var plainStep = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// pathStep formats a key as a step of a path in the job, quoted if necessary.
func pathStep(key string) string {
	if plainStep.MatchString(key) {
		return "." + key
	}
	return "[" + strconv.Quote(key) + "]"
}

// typeHint returns a hint for a column whose strings are not valid for its type.
func typeHint(kind, column string) string {
	const missing = "; texts that stand for a missing value, such as N/A, belong in input.csv.null_values; a delimiter " +
		"within a field that is not quoted, such as a decimal comma, shifts all fields behind it"
	switch kind {
	case table.Date.String():
		return fmt.Sprintf("declare how 2 January 2006 looks in the file: input.csv.types: {%s: \"date 2/1/2006\"} if the "+
			"day comes first, \"date 1/2/2006\" if the month does; "+
			"if the column has several layouts, list them: \"date 2006-01-02 | 2/1/2006\"; the first one that fits a text "+
			"reads it", column) + missing
	case table.Timestamp.String():
		return fmt.Sprintf("declare how 2 January 2006, 15:04:05 looks in the file: input.csv.types: {%s: \"timestamp "+
			"2/1/2006 15:04:05\"}; "+
			"if the column has several layouts, list them with | between them; the first one that fits a text reads it",
			column) + missing
	case table.Int.String():
		return "an int is digits alone: for numbers with decimals declare float; name the separator of thousands, " +
			"input.csv.thousands: \".\"; remove currency signs and units of measure" + missing
	case table.Float.String():
		return "a float is written with a decimal point: for decimal commas write input.csv.decimal: \",\", for separators " +
			"of thousands input.csv.thousands: \".\"; " +
			"remove currency signs and units of measure" + missing
	case table.Bool.String():
		return "a bool is true, t, yes, y or 1, or false, f, no, n or 0, in any case: for other words leave the column " +
			"text and list them in values" + missing
	}
	return "see input.csv.types" + missing
}

// isCSV reports whether some file of the input is a CSV file, so that hints may name keys of input.csv.
func (f *finder) isCSV() bool { return f.plan.job.Input.IsDelimited() }

// nullHint returns a hint for a column without values.
func (f *finder) nullHint() string {
	if !f.isCSV() {
		return "is it the right column, and does the table have its values yet?"
	}
	return "is it the right column, and is input.csv.delimiter the file's? without a header the names of " +
		"input.csv.columns stand in the order of the file's columns; see also input.csv.null_values"
}

// encodingHint returns a hint, to be appended to another, for texts that are not UTF-8.
func (f *finder) encodingHint() string {
	if !f.isCSV() {
		return ""
	}
	return "; for another encoding than UTF-8 there is input.csv.encoding: windows-1252"
}

// lettersHint returns a hint for texts that are not listed.
func (f *finder) lettersHint() string {
	return "texts are compared letter by letter, with case, blanks and accents, unless the dimension says fold: " +
		"[case, space, accents]" + f.encodingHint()
}

// filterHint returns a hint for filters that no row passes.
func (f *finder) filterHint() string {
	return "is it the input of that day or place? compare the filter's values with the input's: " + f.lettersHint() +
		"; dates, time zone, units"
}

// filters reports the filters that no row passes.
func (f *finder) filters(c *tally.Tally) {
	for _, t := range c.Inputs() {
		switch {
		case t.Rows == 0 || t.Inside() > 0 || f.unparsed(t.Field, &t):
		case t.Null == t.Rows:
			f.add(true, t.Field, codeDataFilter, "no row passes the filter on "+t.Columns[0]+
				": the column has no value in any row", f.nullHint())
		default:
			f.add(true, t.Field, codeDataFilter, "no row passes the filter on "+t.Columns[0], f.filterHint())
		}
	}
	if len(f.found) == 0 {
		f.add(true, "input.where", codeDataFilter, "no row passes all filters", f.filterHint())
	}
}

// query reports unusable inputs of query i, and whether its cells or bounds drop most rows. all is false if only a
// sample of the rows was counted.
func (f *finder) query(i int, c *QueryCheck, all bool) {
	if c.Filters != nil && f.unparsedFilters(c.Filters) && c.Rows() == 0 {
		return
	}
	if c.Rows() == 0 {
		if own := &f.plan.queries[i].Filters; len(own.Specs) > 0 { // it may select no row on purpose
			what := "row"
			switch {
			case f.plan.queries[i].overUnits:
				what = "unit"
			case !all:
				what = "row of the sample"
			}
			f.add(false, own.Field, codeDataFilter, "no "+what+" meets the conditions of query "+c.Name, f.filterHint())
		}
		return
	}
	unit := strings.Join(f.plan.job.Privacy.Unit.Columns, ", ")
	for _, t := range c.Inputs() {
		what := "column " + strings.Join(t.Columns, ", ") + " of query " + c.Name
		if t.Role == tally.RoleUnit {
			what = "column " + unit + " of the privacy unit"
		}
		f.input(place(f.plan.queries[i].path, t.Field), what, &t)
	}
	if isMost(c.Bounds.Cut, c.Bounds.Rows) {
		unknown := ""
		if f.isCSV() {
			unknown = " then list that value in input.csv.null_values;"
		}
		f.add(false, place(f.plan.queries[i].path, ""), codeDataCut, fmt.Sprintf("query %s: the bounds of per_unit leave "+
			"out %s of its rows", c.Name, Percent(c.Bounds.Cut, c.Bounds.Rows)),
			"is "+unit+" the privacy unit, or one value that stands for \"unknown\"?"+unknown+" bounds may be wider, from "+
				"public knowledge, with more noise")
	}
}

// input reports an input of a query if it is unusable.
func (f *finder) input(path, what string, t *tally.Input) {
	usable := t.Rows - t.Null - t.Unparsed
	switch {
	case f.unparsed(path, t):
	case fewRows*usable < t.Rows && (usable == 0 || !t.NullCounts || t.Role == tally.RoleValue):
		f.add(true, path, codeDataNull, fmt.Sprintf("%s: %s of the rows have no value", what, Percent(t.Rows-usable, t.Rows)),
			placeHint(t)+f.nullHint())
	case t.Inside() == 0 || fewRows*t.Used() < t.Rows || isMost(t.Outside, t.Rows) ||
		!t.OutsideCounts && fewRows*t.Outside >= t.Rows:
		f.add(t.Inside() == 0 || fewRows*t.Used() < t.Rows, path, codeDataOutside, fmt.Sprintf("%s: %s of the rows have a "+
			"value %s", what, Percent(t.Outside, t.Rows), beyond(t)), f.outsideHint(t))
	}
}

// placeHint returns a hint about missing coordinates; "" for other forms of dimensions.
func placeHint(t *tally.Input) string {
	if t.Form != "grid" && t.Form != "nearest" {
		return ""
	}
	return "a place is decimal degrees, a latitude in [-90, 90] and a longitude in [-180, 180], not both 0; "
}

// beyond describes the values that have no cell, in words for the form of the dimension.
func beyond(t *tally.Input) string {
	switch t.Form {
	case "values":
		return "that is not listed"
	case "edges":
		return "beyond the edges"
	case "grid", "nearest":
		return "in no cell"
	case "keys":
		return "that cannot be a key"
	}
	return "that does not count"
}

func (f *finder) outsideHint(t *tally.Input) string {
	meant := "; if so few rows are meant, other: bin says it"
	if t.OutsideCounts {
		meant = ""
	}
	switch t.Form {
	case "values":
		return f.lettersHint() + meant
	case "edges":
		return "is the column in the unit of the edges: cents or euros, years or days?" + meant
	case "grid", "nearest":
		return "are latitude and longitude swapped?" + meant
	case "keys":
		return "a key is UTF-8 text of at most 1,024 bytes" + f.encodingHint()
	}
	return "the lists of the column need the length that the job declares"
}

// Refuses reports whether the job sets data_checks: refuse. Then an unusable column ends a run before any noise is
// drawn. Private rows thus decide whether a release appears, which readers can see.
func (p *Plan) Refuses() bool { return p.job.DataChecks == "refuse" }

// CheckParts returns an error if a job cannot be run in shards or by Beam. One reason is data_checks: refuse, since
// partial aggregates do not tell whether a column is usable. The other is a query over units, which needs all rows of a
// unit in one place. Call CheckParts before the first row is read.
func (p *Plan) CheckParts() error {
	if p.AsksUnits() {
		return &Error{Cause: CauseJob, Code: "over-units", Message: "queries over units are not answered from shards or by " +
			"Beam",
			Hint: "run the job on one machine, or leave these queries to a job of their own"}
	}
	if len(p.tables) > 0 {
		return &Error{Cause: CauseJob, Code: "several-tables", Message: "a job with several tables is not answered from " +
			"shards or by Beam", Hint: "run the job on one machine, or join the tables before"}
	}
	if !p.Refuses() {
		return nil
	}
	return &Error{Cause: CauseJob, Code: "data-checks-parts",
		Message: "the job has data_checks: refuse, and partial aggregates do not state whether a column is usable",
		Hint: "nothing was spent; look with release check --data at one shard, and remove data_checks from the job: files " +
			"of release aggregate stay valid"}
}

// Unusable returns the findings of unusable columns.
func Unusable(found []Finding) configs.Diagnostics {
	var out configs.Diagnostics
	for _, f := range found {
		if f.Unusable {
			out = append(out, f.Diagnostic)
		}
	}
	return out
}

// UnusableError returns the error for unusable columns; nil if there are none.
func UnusableError(found configs.Diagnostics, hint string) error {
	if len(found) == 0 {
		return nil
	}
	return &Error{Cause: CauseCheck, Code: "data", Message: "a release would hold noise alone", Hint: hint,
		Err: found}
}
