package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/joined"
	"github.com/dprelease/dprelease/queries/perunit"
	"github.com/dprelease/dprelease/queries/problem"
)

// Several tables
//
// The plan of a job with several tables has an input for each. [Plan.OfTable] is the plan of one table: its queries, in
// terms of its columns. The engines of the tables run one after the other; then the whole plan hides the totals of all
// queries.
//
// A join adds columns of another table to the columns of the files. Filters, derived columns and queries treat both
// kinds of columns alike. A join whose columns are not needed is left out, since it would neither add nor remove rows.

// tableInput is the input of one table of a plan that has several.
type tableInput struct {
	name string
	job  *configs.Job
	input
}

// Join is a join that adds columns of another table to the rows of a table.
type Join struct {
	// Table is the index of the other table. Side is the plan that reads the other table's columns: first Theirs, then
	// Add.
	Table int
	Side  *Plan
	// Own are the join key's columns in this table, Theirs the same key's columns in the other table.
	Own, Theirs []string
	// Add lists the columns of the other table that a row gets, As their names in this table. If Units is above 0, the
	// first Units columns of Add are the privacy unit: then a row is repeated for each unit with the row's key, and a
	// row whose key no unit has is dropped.
	Add, As []string
	Units   int

	name, field string // the name of the other table; the path of the join in the job
}

// ofTables makes a builder for each table of a job with several tables.
func (b *builder) ofTables(p *Plan) {
	for _, name := range b.job.TableNames() {
		of := &builder{job: b.job.Of(name), read: b.read, gathered: b.gathered, called: b.job.Privacy.Unit.Columns}
		b.tables = append(b.tables, of)
		t := tableInput{name: name, job: of.job}
		of.input(&t.input)
		of.derive()
		t.units = of.units()
		p.tables = append(p.tables, t)
	}
	for k, of := range b.tables {
		for _, j := range of.job.Joins() {
			if join, ok := b.join(p, &j); ok {
				of.checkDerived(&join, b.tables[join.Table])
				of.joins = append(of.joins, join)
				p.tables[k].joins = append(p.tables[k].joins, join)
			}
		}
	}
}

// checkDerived reports derived columns that a join uses as keys of units, and derived columns with the name of a column
// that a join adds.
func (b *builder) checkDerived(j *Join, other *builder) {
	refuse := func(of *builder, keys []string) {
		for _, name := range keys {
			if of.derived.Makes(name) {
				b.report(j.field+".on", "contradiction", "column "+name+" is derived: whom the guarantee protects would follow "+
					"from a definition that another job can have otherwise, under the same budget",
					"use columns of the input as the key")
			}
		}
	}
	if j.Units > 0 {
		refuse(b, j.Own)
		refuse(other, j.Theirs)
	}
	for _, as := range j.As {
		if b.derived.Makes(as) {
			b.report(j.field, problem.CodeDuplicate, "derive or lookups make column "+as+", which the join adds",
				"give one of them another name: a join can have a prefix")
		}
	}
}

// join makes a join. Its Side is set later, since it depends on the columns that queries need.
func (b *builder) join(p *Plan, j *configs.TableJoin) (Join, bool) {
	at := slices.IndexFunc(p.tables, func(t tableInput) bool { return t.name == j.Table })
	if at < 0 {
		return Join{}, false // checks of the job exclude this
	}
	return Join{Table: at, Own: j.Own, Theirs: j.Theirs, Add: j.Add, As: j.As, Units: j.Units,
		name: j.Table, field: j.Field}, true
}

// builderFor returns the builder of the table that a query reads.
func (b *builder) builderFor(q *configs.Query) *builder {
	for _, of := range b.tables {
		if of.job.Reads(q) {
			return of
		}
	}
	return b
}

// views decides which columns of the plan's tables are read.
func (b *builder) views(p *Plan) {
	if len(p.tables) == 0 {
		p.input.read(p.logical(), b.job.Input.Events, b.derived)
		return
	}
	for k, of := range b.tables {
		t := &p.tables[k]
		t.keepUnits(p.OfTable(k).queries)
		t.read(p.OfTable(k).logical(), nil, of.derived)
		for i := range t.joins {
			b.side(p, t, &t.joins[i])
		}
	}
}

// keepUnits removes from the table of units the columns that no query of this table uses: they may be computed from
// another table's rows.
func (t *tableInput) keepUnits(queries []Planned) {
	if t.units == nil {
		return
	}
	asked := map[string]bool{}
	for i := range queries {
		for _, name := range queries[i].columns() {
			asked[name] = asked[name] || queries[i].overUnits
		}
	}
	t.units.Columns = slices.DeleteFunc(t.units.Columns, func(c perunit.Column) bool { return !asked[c.Name] })
}

// side makes the plan that reads the columns of the other table that a join needs.
func (b *builder) side(p *Plan, t *tableInput, j *Join) {
	other, of := &p.tables[j.Table], b.tables[j.Table]
	side := *p
	side.tables, side.queries = nil, nil
	side.job, side.input = withQueries(other.job, nil), other.input
	side.input.units = nil
	side.input.joins = of.joins // the other table's own joins; the columns that these add cannot be join keys
	var once []string
	for _, name := range slices.Concat(j.Theirs, j.Add, other.filters.Columns()) {
		if !slices.Contains(once, name) {
			once = append(once, name)
		}
	}
	side.input.read(once, nil, of.derived)
	if len(side.input.joins) > 0 {
		b.diags = append(b.diags, t.job.Diagnose(j.field, "contradiction", "of table "+other.name+" the join needs columns "+
			"that are joined to it in turn", "join the third table to this one, and filter here"))
	}
	j.Side = &side
}

// withQueries returns a copy of the job with other queries.
func withQueries(job *configs.Job, queries []configs.Query) *configs.Job {
	out := *job
	out.Queries = queries
	return &out
}

// Tables returns the names of the plan's tables; none if it has only one.
func (p *Plan) Tables() (names []string) {
	for i := range p.tables {
		names = append(names, p.tables[i].name)
	}
	return names
}

// QueriesOf returns the indices of the queries that read table k.
func (p *Plan) QueriesOf(k int) (numbers []int) {
	for i := range p.job.Queries {
		if p.tables[k].job.Reads(&p.job.Queries[i]) {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

// OfTable returns the plan of table k alone: its input, and the queries that read it.
func (p *Plan) OfTable(k int) *Plan {
	of := *p
	of.input, of.tables, of.queries = p.tables[k].input, nil, nil
	var asked []configs.Query
	for _, i := range p.QueriesOf(k) {
		asked = append(asked, p.job.Queries[i])
		of.queries = append(of.queries, p.queries[i])
	}
	of.job = withQueries(p.tables[k].job, asked)
	return &of
}

// Joins returns the joins of a plan with one table.
func (p *Plan) Joins() []Join { return p.input.joins }

// Joined returns the schema of a table after its joins. own is the schema of its files, and of returns the schema of
// another table's files.
func (p *Plan) Joined(own table.Schema, of func(table int) table.Schema) (table.Schema, configs.Diagnostics) {
	var diags configs.Diagnostics
	out := table.Schema{Fields: slices.Clone(own.Fields)}
	diags = append(diags, p.checkLists(own)...)
	for i := range p.input.joins {
		j := &p.input.joins[i]
		other, found := j.Side.LogicalSchema(of(j.Table))
		if diags = append(diags, found...); len(found) > 0 {
			continue
		}
		report := func(code, message, hint string) {
			diags = append(diags, p.job.Diagnose(j.field, code, message, hint))
		}
		for k, name := range j.Theirs {
			ours, ok1 := out.Lookup(j.Own[k])
			theirs, ok2 := other.Lookup(name)
			switch {
			case !ok1:
				diags = append(diags, p.lacks(p.job, j.field, "the table", j.Own[k], out)...)
			case !ok2:
				diags = append(diags, j.Side.lacks(p.job, j.field, "table "+j.name, name, other)...)
			case ours.Type != theirs.Type:
				report(problem.CodeColumnType, fmt.Sprintf("column %s is %s, and column %s of the other table is %s", j.Own[k],
					ours.Type, name, theirs.Type), "keys are compared by value: give both columns one type")
			case !joined.Fits(ours.Type):
				report(problem.CodeColumnType, fmt.Sprintf("column %s is %s, which cannot be a key", j.Own[k], ours.Type),
					hintJoined)
			}
		}
		for k, name := range j.Add {
			f, ok := other.Lookup(name)
			switch {
			case !ok:
				diags = append(diags, j.Side.lacks(p.job, j.field, "table "+j.name, name, other)...)
			case !joined.Fits(f.Type):
				report(problem.CodeColumnType, fmt.Sprintf("column %s is %s, which cannot be joined", name, f.Type), hintJoined)
			case out.Index(j.As[k]) >= 0:
				report(problem.CodeDuplicate, "the table has a column "+j.As[k]+" already", "write a prefix")
			}
			out.Fields = append(out.Fields, table.Field{Name: j.As[k], Type: f.Type})
		}
	}
	return out, diags
}

const hintJoined = "convert it when the file is written: to texts, numbers, dates or times"

// lacks returns a diagnostic at a field of the job: an input of the plan, called what, has no column of this name. The
// hint lists the columns that it has.
func (p *Plan) lacks(job *configs.Job, field, what, name string, schema table.Schema) configs.Diagnostics {
	var found problem.Problems
	problem.UnknownColumn(name, field, schema, &found)
	diags := p.hideHeader(schema, diagnose(job, "", found.Err()))
	for i := range diags {
		diags[i].Message = strings.Replace(diags[i].Message, "the input", what, 1)
	}
	return diags
}

// checkLists reports columns of lists in a table whose rows get their privacy unit from a join.
func (p *Plan) checkLists(own table.Schema) (diags configs.Diagnostics) {
	j := p.input.unitJoin()
	if j == nil {
		return nil
	}
	for _, name := range p.Columns() {
		if f, ok := own.Lookup(name); ok && f.Type.Kind == table.List {
			diags = append(diags, p.job.Diagnose(j.field, problem.CodeColumnType, "column "+name+
				" holds lists, and rows of this table can be repeated", "write the unit into the table: unit: [person]"))
		}
	}
	return diags
}

// unitJoin returns the join that adds the privacy unit to rows; nil if there is none.
func (in *input) unitJoin() *Join {
	for i := range in.joins {
		if in.joins[i].Units > 0 {
			return &in.joins[i]
		}
	}
	return nil
}

// checkTables checks the plan against the schemas of its tables, as [Plan.Check] does.
func (p *Plan) checkTables(schemas []table.Schema) (diags configs.Diagnostics) {
	for k, schema := range schemas {
		of := p.OfTable(k)
		joined, found := of.Joined(schema, func(table int) table.Schema { return schemas[table] })
		if len(found) == 0 {
			found = of.Check(joined)
		}
		for i := range of.input.joins {
			j := &of.input.joins[i]
			found = append(found, j.Side.Check(schemas[j.Table])...)
		}
		diags = append(diags, found...)
	}
	return unique(diags)
}

// logical returns the columns that queries and filters name, each once.
func (p *Plan) logical() []string {
	var columns []string
	for i := range p.queries {
		columns = append(columns, p.Reads(i)...)
	}
	columns = append(columns, p.input.filters.Columns()...)
	var once []string
	for _, c := range columns {
		if !slices.Contains(once, c) {
			once = append(once, c)
		}
	}
	return once
}

// neededJoins returns the joins that some columns need, and the columns to read from the table's own files: the needed
// ones in their order, then join keys. A join keeps all of its columns, because together they decide which partner a
// row gets: if several rows of the other table have its key, the one whose values are smallest.
func neededJoins(joins []Join, columns []string) (used []Join, own []string) {
	own = slices.Clone(columns)
	for i := len(joins) - 1; i >= 0; i-- {
		j := joins[i]
		if j.Units == 0 && !slices.ContainsFunc(j.As, func(as string) bool { return slices.Contains(own, as) }) {
			continue
		}
		used = append(used, j)
		own = slices.DeleteFunc(own, func(name string) bool { return slices.Contains(j.As, name) })
		for _, key := range j.Own {
			if !slices.Contains(own, key) {
				own = append(own, key)
			}
		}
	}
	slices.Reverse(used)
	return used, own
}
