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

// What is unusable
//
// A column is unusable for a query if it leaves the query fewer than one row in twenty, or none in a listed cell; or,
// whoever uses it, if no fewer than half of its texts are no values of its type; or, as a key, if one text in a hundred
// or more is not UTF-8, since such texts equal nothing that a job can list. The limits are for mistakes, which spoil
// nearly all rows: a query that means to count a rare value says so with `other: bin`. All other findings are for the
// operator to judge.

// The codes of findings.
const (
	codeDataEmpty    = "data-empty"    // the input has no rows
	codeDataUnparsed = "data-unparsed" // texts are no values of their type
	codeDataNull     = "data-null"     // rows have no value
	codeDataOutside  = "data-outside"  // values are in no listed cell
	codeDataFilter   = "data-filter"   // no row passes
	codeDataDropped  = "data-dropped"  // each input leaves some rows, all of them together none
	codeDataEncoding = "data-encoding" // texts are not UTF-8
	codeDataClamped  = "data-clamped"  // values are moved into their range
	codeDataCut      = "data-cut"      // rows are over the bounds of their units
)

// few: if a column leaves a query fewer than one row in few, it leaves it nothing.
const fewRows = 20

// Finding is something in the data that an operator should know before, or after, a release: private, as [Checks].
type Finding struct {
	configs.Diagnostic
	// Unusable: the release would be, or is, noise about nothing in the query or column that it names.
	Unusable bool
}

// judged is what judging needs of a plan.
type judged struct {
	// Diagnose makes a message with its place in the job.
	Diagnose func(path, code, message, hint string) configs.Diagnostic
	// At is the path of a field of a query, by the query's number; of the query if the field is "".
	At      func(query int, field string) string
	CSV     bool              // some file is of CSV
	Types   map[string]string // the declared types of CSV columns
	Unit    []string          // the privacy unit
	Filters bool              // some filter may leave rows out
	// Logical are the columns that queries and filters name; Columns those that are read, and Views which of these each of
	// the job's events takes for the logical ones.
	Logical []string
	Columns []string
	Views   [][]int
}

// finder gathers what is found.
type finder struct {
	plan   judged
	checks *DataChecks
	found  []Finding
	bad    map[string]bool // columns of the input that are unusable for whatever uses them
}

// judgeChecks returns what is odd about the rows that an engine saw, the unusable first.
func judgeChecks(p judged, c *DataChecks) []Finding {
	f := &finder{plan: p, checks: c, bad: map[string]bool{}}
	if c.Rows == 0 {
		f.add(true, "input.files", codeDataEmpty, "the input has no rows", "is it the right file, and is its only line a "+
			"header? without a header write input.csv.header: false and list input.csv.columns")
		return f.found
	}
	f.columns()
	if f.filters() {
		for i := range c.Queries {
			f.query(i, &c.Queries[i])
		}
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

func (f *finder) add(unusable bool, path, code, message, hint string) {
	x := Finding{f.plan.Diagnose(path, code, message, hint), unusable}
	if !slices.Contains(f.found, x) {
		f.found = append(f.found, x)
	}
}

// Percent is a share for people: whole percent, of which only none and all are exact. Finer shares would show single
// rows.
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

// isMost says that part is half of whole or more.
func isMost(part, whole int64) bool { return part > 0 && 2*part >= whole }

// columns finds the columns of the input that do not parse.
func (f *finder) columns() {
	for i := range f.checks.Columns {
		c := &f.checks.Columns[i]
		texts := c.Rows - c.Null
		if c.Garbled > 0 && f.plan.CSV {
			f.add(100*c.Garbled >= texts && f.keyed(c.Name), "input.files", codeDataEncoding,
				fmt.Sprintf("column %s: %s of its texts are not UTF-8", c.Name, Percent(c.Garbled, texts)),
				"values and keys that hold such letters match nothing: say how the file is written, input.csv.encoding: "+
					"windows-1252 (or latin-1, latin-9, macintosh, …); iconv -f CP850 -t UTF-8 FILE >NEW rewrites one of another "+
					"encoding")
		}
		if c.Unparsed == 0 || fewRows*fewRows*c.Unparsed < texts { // less than one in 400: N/A here and there
			continue
		}
		declared := f.plan.Types[c.Name]
		switch declared {
		case "":
			declared = c.Type.String()
		case "date":
			declared = "date 2006-01-02"
		}
		f.bad[c.Name] = isMost(c.Unparsed, texts)
		f.add(f.bad[c.Name], "input.csv.types"+pathStep(c.Name), codeDataUnparsed,
			fmt.Sprintf("column %s: %s of its texts cannot be read as %s", c.Name, Percent(c.Unparsed, texts),
				declared), typeHint(c.Type, c.Name))
	}
}

var plainStep = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// pathStep is a key in a path of the job.
func pathStep(key string) string {
	if plainStep.MatchString(key) {
		return "." + key
	}
	return "[" + strconv.Quote(key) + "]"
}

// typeHint says how a column that does not parse is mended.
func typeHint(t table.Type, column string) string {
	const missing = "; texts that stand for a missing value, such as N/A, belong in input.csv.null_values; a delimiter " +
		"within a field that is not quoted, such as a decimal comma, shifts all fields behind it"
	switch t.Kind {
	case table.Date:
		return fmt.Sprintf("declare how 2 January 2006 looks in the file: input.csv.types: {%s: \"date 2/1/2006\"} if the "+
			"day comes first, \"date 1/2/2006\" if the month does; "+
			"if the column has several layouts, list them: \"date 2006-01-02 | 2/1/2006\"; the first one that fits a text "+
			"reads it", column) + missing
	case table.Timestamp:
		return fmt.Sprintf("declare how 2 January 2006, 15:04:05 looks in the file: input.csv.types: {%s: \"timestamp "+
			"2/1/2006 15:04:05\"}; "+
			"if the column has several layouts, list them with | between them; the first one that fits a text reads it", column) + missing
	case table.Int:
		return "an int is digits alone: for numbers with decimals declare float; name the separator of thousands, " +
			"input.csv.thousands: \".\"; remove currency signs and units of measure" + missing
	case table.Float:
		return "a float is written with a decimal point: for decimal commas write input.csv.decimal: \",\", for separators " +
			"of thousands input.csv.thousands: \".\"; " +
			"remove currency signs and units of measure" + missing
	case table.Bool:
		return "a bool is true, t, yes, y or 1, or false, f, no, n or 0, in any case: for other words leave the column " +
			"text and list them in values" + missing
	}
	return "see input.csv.types" + missing
}

// filters finds the filters that no row passes; false: no row is left for the queries.
func (f *finder) filters() bool {
	c := f.checks
	if c.Filters.Counted() > 0 || !f.plan.Filters {
		return true
	}
	before := len(f.found)
	for _, t := range c.Filters.Inputs() {
		if t.Rows > 0 && t.Inside() == 0 && !f.spoiled(&t) {
			f.filter(&t)
		}
	}
	if before == len(f.found) && !slices.ContainsFunc(f.found, func(x Finding) bool { return x.Unusable }) {
		f.add(true, "input.where", codeDataFilter, "no row passes all filters",
			"is it the file of that day or place? compare the filters' values with the file's: dates, time zone, case, units")
	}
	return false
}

func (f *finder) filter(t *tally.Input) {
	column := t.Columns[0]
	switch {
	case isMost(t.Unparsed, t.Rows-t.Null):
		f.add(true, t.Field, codeDataFilter, fmt.Sprintf("no row passes the filter on %s: %s of its texts are no numbers",
			column, Percent(t.Unparsed, t.Rows-t.Null)),
			"numbers have a decimal point, and no thousands separator and no unit of measure; dates and times need a type: "+
				"input.csv.types")
	case t.Null == t.Rows:
		f.add(true, t.Field, codeDataFilter, "no row passes the filter on "+column+": the column has no value in any row",
			nullHint)
	default:
		f.add(true, t.Field, codeDataFilter, "no row passes the filter on "+column,
			"is it the file of that day or place? compare the filter's values with the file's: "+lettersHint+"; dates, time zone, units")
	}
}

const (
	nullHint = "is it the right column, and is input.csv.delimiter the file's? without a header the names of " +
		"input.csv.columns stand in the order of the file's columns; see also input.csv.null_values"

	lettersHint = "texts are compared letter by letter, with case, blanks and accents, unless the dimension says fold: " +
		"[case, space, accents]; for another encoding than UTF-8 there is input.csv.encoding: windows-1252"
)

// spoiled says whether a column of an input does not parse, which is said already.
func (f *finder) spoiled(t *tally.Input) bool {
	return f.reads(t, func(column string) bool { return f.bad[column] })
}

// reads says whether an input reads such a column of the file.
func (f *finder) reads(t *tally.Input, such func(column string) bool) bool {
	return slices.ContainsFunc(t.Columns, func(logical string) bool {
		at := slices.Index(f.plan.Logical, logical)
		return at >= 0 && slices.ContainsFunc(f.plan.Views, func(view []int) bool { return such(f.plan.Columns[view[at]]) })
	})
}

// keyed says whether the texts of a column of the file are compared with listed values, or become keys.
func (f *finder) keyed(column string) bool {
	return slices.ContainsFunc(f.checks.Queries, func(q QueryCheck) bool {
		return slices.ContainsFunc(q.Inputs(), func(t tally.Input) bool {
			return (t.Form == "values" || t.Form == "keys") && f.reads(&t, func(c string) bool { return c == column })
		})
	})
}

// query finds what is unusable or odd in the inputs of a query.
func (f *finder) query(i int, c *QueryCheck) {
	if c.Rows() == 0 {
		return
	}
	lost := false
	for _, t := range c.Inputs() {
		if f.spoiled(&t) || f.input(i, &t) {
			lost = true
		}
	}
	if !lost && fewRows*c.Counted() < c.Rows() {
		f.add(true, f.plan.At(i, ""), codeDataDropped, fmt.Sprintf("query %s: %s of the rows have all the values that it "+
			"needs", c.Name, Percent(c.Counted(), c.Rows())),
			"each column has values, but rarely in the same row: null: bin and other: bin count the other rows in cells of "+
				"their own")
	}
	if isMost(c.Bounds.Cut, c.Bounds.Rows) {
		f.add(false, f.plan.At(i, ""), codeDataCut, fmt.Sprintf("query %s: the bounds of per_unit leave out %s of its rows",
			c.Name, Percent(c.Bounds.Cut, c.Bounds.Rows)),
			"is "+strings.Join(f.plan.Unit, ", ")+" the privacy unit, or one value that stands for \"unknown\" "+
				"(input.csv.null_values)? bounds may be wider, from public knowledge, with more noise")
	}
}

// input finds what is unusable in one input of a query, or odd; it says whether it is unusable.
func (f *finder) input(query int, t *tally.Input) bool {
	what, at := f.what(query, t), f.plan.At(query, t.Field)
	texts := t.Rows - t.Null
	usable := texts - t.Unparsed
	switch {
	case isMost(t.Unparsed, texts):
		f.add(true, at, codeDataUnparsed, fmt.Sprintf("%s: %s of its texts are no numbers", what, Percent(t.Unparsed, texts)),
			"numbers have a decimal point, and no thousands separator and no unit of measure: rewrite the column; dates and "+
				"times need a type: input.csv.types")
		return true
	case fewRows*usable < t.Rows && (usable == 0 || !t.NullCounts || t.Role == tally.RoleValue):
		f.add(true, at, codeDataNull, fmt.Sprintf("%s: %s of the rows have no value", what, Percent(t.Rows-usable, t.Rows)),
			placeHint(t)+nullHint)
		return true
	case t.Inside() == 0, fewRows*t.Used() < t.Rows:
		f.add(true, at, codeDataOutside, fmt.Sprintf("%s: %s of the rows have a value %s", what, Percent(t.Outside, t.Rows),
			beyond(t)), outsideHint(t))
		return true
	}
	if isMost(t.Outside, t.Rows) {
		f.add(false, at, codeDataOutside, fmt.Sprintf("%s: %s of the rows have a value %s", what, Percent(t.Outside, t.Rows),
			beyond(t)), outsideHint(t))
	}
	if isMost(t.Clamped, t.Rows) {
		f.add(false, at, codeDataClamped, fmt.Sprintf("%s: %s of the rows have a value beyond the range, which is moved to "+
			"its end", what, Percent(t.Clamped, t.Rows)),
			"is the column in the unit of the range: cents or euros, seconds or hours? the range comes from public knowledge, "+
				"not from this number")
	}
	return false
}

// what names an input of a query; a privacy unit belongs to all.
func (f *finder) what(query int, t *tally.Input) string {
	columns := "column " + t.Columns[0]
	if len(t.Columns) > 1 {
		columns = "columns " + strings.Join(t.Columns, ", ")
	}
	if t.Role == tally.RoleUnit {
		return columns + " of the privacy unit"
	}
	return columns + " of query " + f.checks.Queries[query].Name
}

// placeHint explains nulls of places.
func placeHint(t *tally.Input) string {
	if t.Form != "grid" && t.Form != "nearest" {
		return ""
	}
	return "a place is decimal degrees, a latitude in [-90, 90] and a longitude in [-180, 180], not both 0; "
}

// beyond says where a value is that is in no listed cell.
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

func outsideHint(t *tally.Input) string {
	meant := "; if so few rows are meant, other: bin says it"
	if t.OutsideCounts {
		meant = ""
	}
	switch t.Form {
	case "values":
		return lettersHint + meant
	case "edges":
		return "is the column in the unit of the edges: cents or euros, years or days?" + meant
	case "grid", "nearest":
		return "are latitude and longitude swapped?" + meant
	case "keys":
		return "a key is UTF-8 text of at most 1,024 bytes: for another encoding there is input.csv.encoding: windows-1252"
	}
	return "the lists of the column need the length that the job declares"
}

// Findings judges what an engine saw of a plan's rows, the unusable ones first.
func (p *Plan) Findings(c *DataChecks) []Finding {
	return judgeChecks(judged{
		Diagnose: p.job.Diagnose, At: func(query int, field string) string { return place(p.queries[query].path, field) },
		CSV: p.fromCSV(), Types: p.job.Input.CSV.Types, Unit: p.job.Privacy.Unit, Filters: len(p.input.filters.Columns()) > 0,
		Logical: p.Logical(), Columns: p.Columns(), Views: p.Views(),
	}, c)
}

// Unusable returns those findings that make a release noise about nothing.
func Unusable(found []Finding) configs.Diagnostics {
	var out configs.Diagnostics
	for _, f := range found {
		if f.Unusable {
			out = append(out, f.Diagnostic)
		}
	}
	return out
}

// UnusableError is the failed check of columns that are unusable; nil if there are none.
func UnusableError(found configs.Diagnostics, hint string) error {
	if len(found) == 0 {
		return nil
	}
	return &Error{Cause: CauseCheck, Code: "data", Message: "a release would be noise about nothing", Hint: hint,
		Err: found}
}
