package pipeline

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/derived"
	"github.com/dprelease/dprelease/queries/problem"
)

// derive defines the derived columns of the job: lookups in public files, and expressions.
func (b *builder) derive() {
	var definitions []derived.Definition
	for i := range b.job.Input.Lookups {
		if l := b.lookup(&b.job.Input.Lookups[i], fmt.Sprintf("input.lookups[%d]", i)); l != nil {
			definitions = append(definitions, l)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.job.Input.Derive)) {
		e, err := derived.Parse("input.derive"+pathStep(name), name, b.job.Input.Derive[name])
		if err != nil {
			b.diags = append(b.diags, diagnose(b.job, "", err)...)
			continue
		}
		definitions = append(definitions, e)
	}
	var err error
	if b.derived, err = derived.New(definitions); err != nil {
		b.diags = append(b.diags, diagnose(b.job, "", err)...)
	}
	if u := b.job.Privacy.Unit.Upstream; u != nil {
		for i, name := range u.Distinct {
			if b.derived.Makes(name) {
				b.report(fmt.Sprintf("privacy.unit.distinct[%d]", i), "contradiction", "column "+name+
					" is derived, and the promise "+
					"of the producer is about columns of the table", "name columns of the input")
			}
		}
	}
	if c := b.job.Input.Counts; c != nil {
		if b.derived.Makes(c.Column) {
			b.report("input.counts.column", "contradiction", "column "+c.Column+" is derived, and the promise of the producer "+
				"is about the counts in the table", "name a column of the input")
		}
		for _, place := range b.derived.Readers(c.Column) {
			b.report(place, "contradiction", "the column holds the counts: one unit could change anything else computed "+
				"from it by more than it changes a count", "use other columns here")
		}
	}
	for _, name := range b.job.Privacy.Unit.Columns {
		if b.derived.Makes(name) {
			b.report("privacy.unit", "contradiction", "column "+name+" is derived: whom the guarantee protects would follow "+
				"from a definition that another job can have otherwise, under the same budget",
				"name columns of the input in privacy.unit")
		}
	}
}

// addedKinds maps the type that the job gives to a column of a lookup to the kind of its values.
var addedKinds = map[string]table.Kind{
	"": table.String, "text": table.String, "int": table.Int, "float": table.Float, "bool": table.Bool, "date": table.Date,
}

// lookup reads the public file of a lookup; it returns nil if the file cannot be read.
func (b *builder) lookup(l *configs.Lookup, path string) *derived.Lookup {
	unread := b.unread
	out := &derived.Lookup{Field: path}
	rows := -1
	read := func(column, at string) []string {
		if b.unread > unread {
			return nil
		}
		values := b.publicValues(l.File, column, at, true)
		if b.unread == unread && rows >= 0 && rows != len(values) {
			return b.unreadable(at, "column "+column+" has another number of rows than the columns before it",
				"the columns of one table have the same rows")
		}
		rows = len(values)
		return values
	}
	for _, column := range slices.Sorted(maps.Keys(l.On)) {
		out.On = append(out.On, column)
		out.Keys = append(out.Keys, read(l.On[column], path+".on"+pathStep(column)))
	}
	if l.To != "" {
		out.To = read(l.To, path+".to")
	}
	names := l.Names()
	for i, column := range l.Add {
		out.Add = append(out.Add, derived.Added{Name: names[i], Kind: addedKinds[l.Types[column]],
			Values: read(column, fmt.Sprintf("%s.add[%d]", path, i))})
	}
	if b.unread > unread || len(out.On) == 0 {
		return nil
	}
	p := &problem.Problems{}
	out.Check(p)
	if err := p.Err(); err != nil {
		b.diags = append(b.diags, diagnose(b.job, "", err)...)
	}
	return out
}
