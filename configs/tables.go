package configs

import (
	"fmt"
	"iter"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/configs/internal/wording"
	"github.com/dprelease/dprelease/configs/internal/yamltree"
)

// Several tables
//
// A job with input.tables is treated as one job for each table ([Job.Of]). The input of such a job is the table, and
// its privacy unit is the table's unit columns. Its columns come from the table's files and from its joins
// ([Job.Joins]). docs/adr/0050 proves that joined neighbouring tables are still neighbouring tables.

// TableNames returns the names of the job's tables, in order; none if it has one table only.
func (j *Job) TableNames() []string { return slices.Sorted(maps.Keys(j.Input.Tables)) }

// Of returns the job of one table, with all queries of the whole job. Its diagnostics have positions in the file of the
// whole job.
func (j *Job) Of(table string) *Job {
	t := j.Input.Tables[table]
	of := *j
	of.whole, of.table, of.Engine = j, table, ""
	of.Input = Input{Files: t.Files, Format: t.Format, CSV: t.CSV, JSONL: t.JSONL, Folders: t.Folders, Missing: t.Missing,
		Lookups: t.Lookups, Derive: t.Derive, Where: t.Where, Timezone: j.Input.Timezone, Statistics: j.Input.Statistics}
	of.Privacy.Unit = Unit{Columns: t.Unit}
	if joins := of.Joins(); len(t.Unit) == 0 && len(joins) > 0 {
		of.Privacy.Unit.Columns = joins[0].As[:joins[0].Units]
	}
	return &of
}

// TableUnit returns how a table defines the privacy unit, as canonical text: the columns of the unit in order or, if
// rows get their unit from a join, this join. It returns "" if the table has neither. Different definitions have
// different texts. The table "" is the only table of a job without input.tables.
func (j *Job) TableUnit(table string) string {
	t := j.Input.Tables[table]
	if table == "" {
		t = Table{Unit: j.Privacy.Unit.Columns, CSV: j.Input.CSV}
	}
	var names []string
	for _, c := range t.Unit {
		names = append(names, t.CSV.defined(c))
	}
	if len(names) > 0 || len(t.Join) == 0 {
		return strings.Join(names, ", ")
	}
	other := j.Input.Tables[t.Join[0].Table]
	for _, own := range slices.Sorted(maps.Keys(t.Join[0].On)) {
		names = append(names, t.CSV.defined(own)+" = "+other.CSV.defined(t.Join[0].On[own]))
	}
	return "of table " + t.Join[0].Table + " on " + strings.Join(names, ", ")
}

// defined returns what a column name stands for. If the job gives the columns of the file their names, this includes
// the column's number, since another job can give the same name to another column.
func (c *CSV) defined(name string) string {
	if at := slices.Index(c.Columns, name); at >= 0 {
		return fmt.Sprintf("%q (column %d)", name, at+1)
	}
	return strconv.Quote(name)
}

// Inputs yields the input of each table, and the prefix of its columns in a plan: the table's name and a dot. A job
// with one table yields its input, without a prefix.
func (j *Job) Inputs() iter.Seq2[string, *Input] {
	return func(yield func(string, *Input) bool) {
		names := j.TableNames()
		if len(names) == 0 {
			yield("", &j.Input)
		}
		for _, name := range names {
			if !yield(name+".", &j.Of(name).Input) {
				return
			}
		}
	}
}

// Reads reports whether a query reads the table of this job.
func (j *Job) Reads(q *Query) bool { return j.whole == nil || q.From == j.table }

// PrivateFiles returns the files of the input. In a job with several tables, it returns the files of all of them.
func (j *Job) PrivateFiles() (files []string) {
	j.eachPrivateFile(func(_ *yamltree.Path, file string) { files = append(files, file) })
	return files
}

func (j *Job) eachPrivateFile(visit func(at *yamltree.Path, file string)) {
	if j.whole != nil {
		j = j.whole
	}
	each := func(at *yamltree.Path, files []string) {
		for i, file := range files {
			visit(at.At("files").Item(i), file)
		}
	}
	input := (*yamltree.Path)(nil).At("input")
	each(input, j.Input.Files)
	for _, name := range j.TableNames() {
		each(input.At("tables").At(name), j.Input.Tables[name].Files)
	}
}

// TableJoin is a join to another table. Its columns include the columns of the privacy unit.
type TableJoin struct {
	// Field is the join's path in the job. Table is the name of the other table.
	Field, Table string
	// Own are the columns of this table that make the key. Theirs are the other table's key columns, in the same order.
	Own, Theirs []string
	// Add are the columns of the other table that rows get, and As their new names. If rows get their unit by this
	// join, the first Units of Add are the unit's columns; otherwise Units is 0.
	Add, As []string
	Units   int
}

// Joins returns the joins of a table's job; nil for a job without input.tables.
func (j *Job) Joins() []TableJoin {
	if j.whole == nil {
		return nil
	}
	t := j.whole.Input.Tables[j.table]
	unit := t.Unit
	var out []TableJoin
	for i := range t.Join {
		join := &t.Join[i]
		other := j.whole.Input.Tables[join.Table]
		made := TableJoin{Field: "input.join[" + strconv.Itoa(i) + "]", Table: join.Table}
		if len(unit) > 0 {
			made.Own, made.Theirs = slices.Clone(unit), slices.Clone(other.Unit)
		} else {
			made.Add, made.Units = slices.Clone(other.Unit), len(other.Unit)
		}
		for _, own := range slices.Sorted(maps.Keys(join.On)) {
			made.Own, made.Theirs = append(made.Own, own), append(made.Theirs, join.On[own])
		}
		for _, name := range join.Add {
			if !slices.Contains(made.Add, name) {
				made.Add = append(made.Add, name)
			}
		}
		for _, name := range made.Add {
			made.As = append(made.As, join.Prefix+name)
		}
		if made.Units > 0 {
			unit = made.As[:made.Units]
		}
		out = append(out, made)
	}
	return out
}

// pathInJob converts a path in the job of one table, as [Job.Of] returns it, to a path in the whole job file.
func (j *Job) pathInJob(path string) string {
	if j.whole == nil {
		return path
	}
	var top *yamltree.Path
	at := top.At("input").At("tables").At(j.table).String()
	if rest, ok := strings.CutPrefix(path, "input."); ok && !strings.HasPrefix(rest, "tables") && rest != "timezone" &&
		rest != "statistics" {
		return at + "." + rest
	}
	if rest, ok := strings.CutPrefix(path, "privacy.unit"); ok && len(j.whole.Input.Tables[j.table].Unit) > 0 {
		return at + ".unit" + rest
	}
	return path
}

var tableName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,63}$`)

// tables checks the tables of a job. Each table is checked like an input of its own.
func (c *checker) tables(at *yamltree.Path) {
	in := &c.job.Input
	for _, key := range []string{"files", "sql", "format", "rows", "csv", "jsonl", "folders", "missing", "counts",
		"events",
		"lookups", "derive", "where"} {
		if c.Has(at.At(key)) {
			c.bad(at.At(key), CodeContradiction, "the job has several tables", "write it into the table that it is about, if "+
				"tables have the key; or remove tables")
		}
	}
	var top *yamltree.Path
	unit := &c.job.Privacy.Unit
	if len(unit.Columns) == 0 && c.isValid(top.At("privacy").At("unit")) {
		c.bad(at.At("tables"), CodeContradiction, "several tables belong together by the privacy unit, and the job names no "+
			"column of it", "name the privacy unit: privacy.unit: [person]")
		return
	}
	if c.job.Engine != "" && c.isValid(top.At("engine")) {
		c.bad(top.At("engine"), CodeContradiction, "engine is for databases, and the input is files",
			"remove engine")
	}
	for _, name := range c.job.TableNames() {
		t, place := in.Tables[name], at.At("tables").At(name)
		if !tableName.MatchString(name) {
			c.bad(place, CodeBadValue, "the name "+c.Show(place, name)+" cannot name a table",
				"use lower-case letters, digits, _ and -, at most 64, beginning with a letter")
		}
		c.unique(place.At("unit"), t.Unit, "column")
		if len(t.Unit) > 0 && len(t.Unit) != len(unit.Columns) {
			c.bad(place.At("unit"), CodeContradiction, "privacy.unit has another number of columns",
				"list the columns of this table that hold them, in the same order")
		}
		if at := slices.Index(t.Files, stdin); at >= 0 {
			c.bad(place.At("files").Item(at), CodeContradiction, "standard input is the whole input",
				"write the tables into files")
		}
		c.joins(place, name, &t)
		c.sameFiles(place, name)
		of := *c
		of.job = c.job.Of(name)
		of.input(place)
	}
}

// sameFiles refuses a file that two tables use with different units. If a unit is removed, its rows would stay in the
// other table as rows of other units.
func (c *checker) sameFiles(at *yamltree.Path, name string) {
	tables := c.job.Input.Tables
	for _, earlier := range c.job.TableNames() {
		if earlier == name {
			return
		}
		if c.job.TableUnit(earlier) == c.job.TableUnit(name) {
			continue
		}
		for i, file := range tables[name].Files {
			if slices.ContainsFunc(tables[earlier].Files, func(f string) bool { return path.Clean(f) == path.Clean(file) }) {
				c.bad(at.At("files").Item(i), CodeContradiction, "table "+earlier+" reads this file with another unit: a row "+
					"would be of one unit in one table and of another one in the other", "give both tables the same unit or first "+
					"join, and the same csv.columns")
			}
		}
	}
}

// joins checks the joins of a table.
func (c *checker) joins(at *yamltree.Path, name string, t *Table) {
	if len(t.Unit) == 0 && len(t.Join) == 0 {
		c.bad(at, CodeMissing, "no column identifies the privacy unit of the table's rows",
			"name its columns of the unit: unit: [person]; or join a table that has them, on a key")
	}
	seen := map[string]bool{}
	for i := range t.Join {
		join, place := &t.Join[i], at.At("join").Item(i)
		other, known := c.job.Input.Tables[join.Table]
		switch {
		case !known:
			c.bad(place.At("table"), CodeBadValue, "there is no table "+c.Show(place.At("table"), join.Table),
				wording.DidYouMean(join.Table, c.job.TableNames()))
			continue
		case join.Table == name:
			c.bad(place.At("table"), CodeContradiction, "a table cannot be joined to itself", "join another table")
		case len(other.Unit) == 0:
			c.bad(place.At("table"), CodeContradiction, "table "+join.Table+" has no columns of the unit: whose a row of it is "+
				"follows from a third table", "join tables that have a unit")
		}
		if len(join.On) == 0 && len(t.Unit) == 0 && i == 0 {
			c.bad(place, CodeMissing, "the rows of this table have no unit, and the join no key that leads to one",
				"write on: {COLUMN: COLUMN_OF_THE_OTHER_TABLE}, or name the table's columns of the unit: unit: [person]")
		}
		if len(t.Unit) == 0 && i == 0 {
			c.keyFolders(place, name, slices.Collect(maps.Keys(join.On)))
			c.keyFolders(place, join.Table, slices.Collect(maps.Values(join.On)))
		}
		c.unique(place.At("add"), join.Add, "column")
		for _, added := range join.Add {
			if as := join.Prefix + added; seen[as] {
				c.bad(place.At("add"), CodeDuplicate, "two joins add a column "+wording.Quote(as), "give one of them a prefix")
			} else {
				seen[as] = true
			}
		}
	}
}

// keyFolders refuses a key by which rows get their unit, if all of its columns in a table are in the names of folders:
// then there is a folder for each key of a unit. The place is that of the join.
func (c *checker) keyFolders(place *yamltree.Path, name string, key []string) {
	inNames := func(column string) bool { return c.job.Input.Tables[name].Folders[column] != "" }
	if len(key) == 0 || slices.ContainsFunc(key, func(column string) bool { return !inNames(column) }) {
		return
	}
	c.bad(place.At("on"), CodeContradiction, "rows get their unit by this key, which is in the names of the folders of "+
		"table "+
		name+": a folder for each key would tell which keys there are", "names and number of the input's files are public: "+
		"write a column of the key into the files")
}

// from checks which table a query reads.
func (c *checker) from(at *yamltree.Path, q *Query) {
	names := c.job.TableNames()
	switch {
	case len(names) == 0 && q.From != "":
		c.bad(at.At("from"), CodeContradiction, "the job has one table", "remove from, or name several tables: input.tables")
	case len(names) > 0 && q.From == "":
		c.bad(at, CodeMissing, "from is missing: the job has several tables", "write from: "+strings.Join(names, " or "))
	case len(names) > 0 && !slices.Contains(names, q.From):
		c.bad(at.At("from"), CodeBadValue, "there is no table "+c.Show(at.At("from"), q.From),
			wording.DidYouMean(q.From, names))
	}
	for i, name := range q.Margins {
		for k := range c.job.Queries {
			if m := &c.job.Queries[k]; m.Name == name && m.From != q.From {
				c.bad(at.At("margins").Item(i), CodeContradiction, "the two queries read different tables",
					"cells of different tables do not add up to each other: name queries of the same table")
			}
		}
	}
}
