package configs

import (
	"cmp"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dprelease/dprelease/configs/internal/wording"
	"github.com/dprelease/dprelease/configs/internal/yamltree"
	"github.com/dprelease/dprelease/io/store"
)

func (c *checker) input(at *yamltree.Path) {
	in := &c.job.Input
	if len(in.Tables) > 0 {
		c.tables(at)
		return
	}
	files := at.At("files")
	c.unique(files, in.Files, "file")
	c.sqlInput(at)
	for i, f := range in.Files {
		if f == stdin {
			c.stdin(at, files.Item(i))
			continue
		}
		if in.Format == "" && !(store.IsAddress(f) && strings.HasSuffix(f, "/")) {
			c.file(files.Item(i), f)
		} else {
			c.address(files.Item(i), f)
		}
		_, err := filepath.Match(f, "")
		switch {
		case err != nil:
			c.bad(files.Item(i), CodeBadValue, "the pattern "+c.Show(files.Item(i), f)+" is not complete",
				"close [ with ], and write \\ before a [ that is meant as it is")
		case slices.Contains(strings.Split(f, "/"), "**"):
			c.bad(files.Item(i), CodeBadValue, "the pattern "+c.Show(files.Item(i), f)+" has **, which would mean one folder, "+
				"as * does, and not folders of any depth", "write a * for each level, such as data/*/*.parquet")
		case strings.HasPrefix(f, "~/"):
			c.bad(files.Item(i), CodeBadValue, "~ is not replaced by the home folder here", "write the path in full")
		}
	}
	if in.Rows > 0 && c.job.Privacy.Adjacency != "replace-one" {
		c.bad(at.At("rows"), CodeContradiction, "a public number of rows goes with adjacency: replace-one",
			"under add-remove the number of rows is private: remove rows, or set privacy.adjacency to replace-one")
	}
	if u := &c.job.Privacy.Unit; in.Rows > 0 && (len(u.Columns) > 0 || u.Upstream != nil) {
		c.bad(at.At("rows"), CodeContradiction, "a public number of rows goes with unit: row",
			"if a unit may have any number of rows, their number is private: remove rows")
	}
	if in.Format == "csv" || in.Format == "tsv" || in.Format == "" && slices.ContainsFunc(in.Files, text) {
		c.csv(at.At("csv"))
	}
	c.jsonl(at)
	for _, name := range slices.Sorted(maps.Keys(in.Folders)) {
		c.textType(at.At("folders").At(name), in.Folders[name])
		if slices.Contains(c.job.Privacy.Unit.Columns, name) {
			c.bad(at.At("folders").At(name), CodeContradiction,
				"the column belongs to the privacy unit: a folder for each unit would tell who is there",
				"names and number of the "+
					"input's files are public: write the unit's column into the files")
		}
	}
	if in.Missing == "empty" && len(in.FolderFilters()) == 0 {
		c.bad(at.At("missing"), CodeContradiction, "no condition of where is about a column of folders, so that no folder "+
			"can be missing",
			"files: [\"data/*/*.parquet\"], folders: {day: date} and where: [{column: day, from: \"${day}\", for: 1d}] read "+
				"the folder of a day; or remove missing")
	}
	c.floatUnits(at)
	c.lookups(at.At("lookups"))
	c.events(at.At("events"))
	for i := range in.Where {
		c.filter(at.At("where").Item(i), &in.Where[i])
	}
}

// stdin is the name of standard input among the files.
const stdin = "-"

// stdin checks an input that is read from standard input.
func (c *checker) stdin(input, at *yamltree.Path) {
	in := &c.job.Input
	if len(in.Files) > 1 {
		c.bad(at, CodeContradiction, "standard input is the whole table", `let files be ["-"] alone`)
	}
	if in.Format != "arrow" && in.Format != "parquet" {
		c.bad(input.At("format"), CodeMissing, "standard input has to be in a format that states its end, arrow or parquet",
			"write format: arrow; a text that is cut short cannot be told from a whole one")
	}
}

// address checks a path that is the URL of an object in a store. It refuses a literal query string on a web server: it
// may hold a signature, and the job is published.
func (c *checker) address(at *yamltree.Path, file string) bool {
	if !store.IsAddress(file) {
		return true
	}
	a, err := store.ParseAddress(file)
	public, hidden := c.Src.Public[at.String()]
	switch {
	case strings.HasPrefix(file, "file://"):
		c.bad(at, CodeBadValue, "a file of this machine has a path and no address", "remove file://")
	case err != nil:
		c.bad(at, CodeBadValue, "the address of "+yamltree.Shown(store.Base(file))+": "+err.Error(),
			"write scheme://bucket/key, with s3, gs, az or https, and no credentials: they come from the environment")
	case a.Scheme == "https" && a.Options != "" && !(hidden &&
		(signedByEnvironment.MatchString(public) || !strings.Contains(public, "?"))):
		c.bad(at, CodeBadValue, "the address of "+yamltree.Shown(store.Base(file))+" has a query, which the release would "+
			"publish with the job", "take it from the environment: https://host/path?${env:NAME}")
	default:
		return true
	}
	return false
}

// signedByEnvironment matches an https URL whose query string is a reference to the environment.
var signedByEnvironment = regexp.MustCompile(`^https://[^?]*\?\$\{env:[^}]*\}$`)

// file checks that the extension of a path names a known format.
func (c *checker) file(at *yamltree.Path, file string) {
	if !c.address(at, file) {
		return
	}
	if file != "" && !known(file) {
		c.bad(at, CodeBadValue, "the extension of "+c.Show(at, file)+" names no format", hint(file))
	}
}

func (c *checker) csv(at *yamltree.Path) {
	v := &c.job.Input.CSV
	c.unique(at.At("columns"), v.Columns, "column")
	if v.Header != nil && !*v.Header && !c.has(at.At("columns")) {
		c.bad(at.At("header"), CodeMissing, "without a header the columns need names",
			"list them in order: columns: [age, workclass]")
	}
	c.separator(at.At("delimiter"), v.Delimiter)
	if v.Quote != "none" {
		c.single(at.At("quote"), v.Quote)
	}
	c.single(at.At("decimal"), v.Decimal)
	c.single(at.At("thousands"), v.Thousands)
	if v.Thousands != "" && v.Thousands == cmp.Or(v.Decimal, ".") {
		c.bad(at.At("thousands"), CodeContradiction, "the separator of thousands is the decimal sign",
			`say which one separates the fraction: decimal: ","`)
	}
	if v.Quote != "" && (v.Quote == v.Delimiter || v.Quote == v.Comment) {
		c.bad(at.At("quote"), CodeContradiction, "the quote is the delimiter or the comment character",
			"choose another one, or remove quote")
	}
	c.separator(at.At("comment"), v.Comment)
	if v.Comment != "" && v.Comment == v.Delimiter {
		c.bad(at.At("comment"), CodeContradiction, "the comment character is the delimiter",
			"choose another one, or remove comment")
	}
	c.dialect(at)
	for _, name := range slices.Sorted(maps.Keys(v.Types)) {
		c.csvType(at.At("types").At(name), name, v.Types[name])
	}
}

// separator checks a setting of one character that separates fields or begins a comment.
func (c *checker) separator(at *yamltree.Path, s string) {
	c.single(at, s)
	if quote := cmp.Or(c.job.Input.CSV.Quote, `"`); s == quote || strings.ContainsAny(s, "\r\n\uFFFD") {
		c.bad(at, CodeBadValue, "cannot be "+c.Show(at, s), "quotes and line breaks have a meaning of their own in CSV")
	}
}

func (c *checker) single(at *yamltree.Path, s string) {
	if s != "" && utf8.RuneCountInString(s) != 1 {
		c.bad(at, CodeBadValue, "must be one character, is "+c.Show(at, s), `for a tab write "\t" in double quotes`)
	}
}

func (c *checker) csvType(at *yamltree.Path, column, text string) {
	columns := c.job.Input.CSV.Columns
	if len(columns) > 0 && !slices.Contains(columns, column) {
		c.bad(at, CodeBadValue, "there is no column "+wording.Quote(column)+" in csv.columns",
			wording.DidYouMean(column, columns))
	}
	c.textType(at, text)
}

// floatUnits refuses types of text files that would make floating-point numbers of the privacy unit, unless the job
// allows them.
func (c *checker) floatUnits(at *yamltree.Path) {
	in := &c.job.Input
	if c.job.Privacy.FloatUnit == "allow" {
		return
	}
	refuse := func(at *yamltree.Path, types map[string]string) {
		for _, name := range c.job.Privacy.Unit.Columns {
			if types[name] == "float" {
				c.bad(at.At(name), CodeContradiction, "the column belongs to the privacy unit: identifiers that are rounded to "+
					"one number would be one unit", "remove the type, so that the column is text, or write int; privacy.float_unit: "+
					"allow takes numbers that are equal as one unit")
			}
		}
	}
	refuse(at.At("csv").At("types"), in.CSV.Types)
	if in.JSONL != nil {
		refuse(at.At("jsonl").At("columns"), in.JSONL.Columns)
	}
}

// textType checks the type of a column of a text file.
func (c *checker) textType(at *yamltree.Path, text string) {
	show := func(s string) string { return c.Show(at, s) }
	if problem, hint := checkType(text, show); problem != "" {
		c.bad(at, CodeBadValue, problem, hint)
	}
}

// lookups checks that each lookup has a key and adds columns, and that their types are known.
func (c *checker) lookups(at *yamltree.Path) {
	for i := range c.job.Input.Lookups {
		l, at := &c.job.Input.Lookups[i], at.Item(i)
		c.file(at.At("file"), l.File)
		if len(l.On) == 0 {
			c.bad(at.At("on"), CodeBadValue, "the key has no column", "write on: {COLUMN_OF_THE_INPUT: COLUMN_OF_THE_FILE}")
		}
		if l.To != "" && len(l.On) > 1 {
			c.bad(at.At("to"), CodeContradiction, "only a key of one column can begin a range, and this key has several",
				"leave one column in on, or remove to")
		}
		c.unique(at.At("add"), l.Add, "column")
		for _, name := range slices.Sorted(maps.Keys(l.Types)) {
			place := at.At("types").At(name)
			if !slices.Contains(l.Add, name) {
				c.bad(place, CodeContradiction, "add does not name the column "+c.Show(place, name), "add it, or remove its type")
			}
			if !slices.Contains(lookupTypes, l.Types[name]) {
				c.bad(place, CodeBadValue, c.Show(place, l.Types[name])+" is not a type of an added column", "types: "+
					strings.Join(lookupTypes, ", "))
			}
		}
	}
}

// lookupTypes are the types of columns that a lookup adds.
var lookupTypes = []string{"text", "int", "float", "bool", "date"}

// events checks that all events have the same names and that none of them renames the privacy unit.
func (c *checker) events(at *yamltree.Path) {
	events := c.job.Input.Events
	if len(events) > 1 && c.rowUnit() {
		c.bad(at, CodeContradiction, "with unit: row, one row would become several units",
			"name the columns of the privacy unit in privacy.unit, and bound what one unit contributes")
	}
	for _, u := range c.job.Privacy.Unit.Columns {
		for i := range events {
			// Even if there is only one event, it must not rename the unit: the ledger and the readers of the release
			// know the unit by its name.
			if column, ok := events[i][u]; ok && column != u {
				c.bad(at.Item(i).At(u), CodeContradiction, "the event lets "+wording.Quote(u)+", a column of the privacy unit, "+
					"stand for another column", "leave the unit's columns out of events, and name columns of the input in "+
					"privacy.unit")
			}
		}
	}
	for i, e := range events {
		names := slices.Sorted(maps.Keys(e))
		switch {
		case len(names) == 0:
			c.bad(at.Item(i), CodeBadValue, "the event is empty", "name its columns: {time: pickup_datetime}")
		case !slices.Equal(names, slices.Sorted(maps.Keys(events[0]))):
			c.bad(at.Item(i), CodeContradiction, "the event has other names than the first one",
				"give all events the same names on the left")
		}
	}
}

func (c *checker) filter(at *yamltree.Path, f *Filter) {
	conditions := 0
	for _, key := range []string{"from", "before", "for", "not_null", "in", "not_in", "min", "max"} {
		if c.has(at.At(key)) {
			conditions++
		}
	}
	if conditions == 0 {
		c.bad(at, CodeMissing, "the filter has no condition", "add from, before, for, not_null, in, not_in, min or max")
	}
	if f.For != "" && f.Before != nil {
		c.bad(at.At("for"), CodeContradiction, "for and before both set the end of the interval", "keep one of them")
	}
	if f.For != "" && !c.has(at.At("from")) {
		c.bad(at.At("for"), CodeMissing, "for needs a from, at which the interval starts", "add from")
	}
	if f.For != "" && !windowText.MatchString(f.For) {
		c.bad(at.At("for"), CodeBadValue, "is not a length of time: "+c.Show(at.At("for"), f.For),
			"write a number and s, m, h, d or w: 1h")
	}
	c.ordered(at.At("before"), f.From, f.Before)
	c.ordered(at.At("max"), f.Min, f.Max)
}

// ordered reports a range whose upper bound is below its lower bound, if both are numbers.
func (c *checker) ordered(at *yamltree.Path, low, high *Scalar) {
	if low == nil || high == nil {
		return
	}
	l, ok1 := low.number()
	h, ok2 := high.number()
	if ok1 && ok2 && l.Cmp(h) > 0 {
		c.bad(at, CodeContradiction, "the upper end is below the lower one", "swap them")
	}
}
