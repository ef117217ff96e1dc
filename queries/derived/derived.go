// Package derived computes columns that the input does not have from columns of the same row: by a lookup in a public
// table ([Lookup]) or by an expression ([Expression]).
//
// A derived column is a function of one row and of public facts. So neighbouring tables still differ in the rows of one
// unit, whatever a definition computes. No content of a row causes an error: a missing value is null. Every error of a
// definition follows from the job, its public files and the types of the columns, and [Set.Bind] reports it.
//
// A definition may read the columns of other definitions, in any order, but not in a circle. Batches are extended
// column by column ([Evaluator]); the rows keep their order.
package derived

import (
	"fmt"
	"slices"
	"time"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/problem"
)

// Definition computes columns from other columns of the same row.
type Definition interface {
	// Reads lists the columns that the definition reads, each once.
	Reads() []string
	// Makes lists the columns that it makes.
	Makes() []string
	// place returns the path of the definition in the job.
	place() string
	// bind checks whether the definition can use columns of these types, those of Reads, in order, and reports
	// problems. It returns the types of the columns in Makes, and a function that starts a program for one goroutine.
	bind(types []table.Type, zone *time.Location, p *problem.Problems) (made []table.Type, start func() program)
}

// program computes the columns of a definition for batches.
type program interface {
	// run returns the columns in Makes for a batch. at holds the positions in the batch of the columns in Reads. The
	// result is valid until the next call. It returns an error only if the batch does not have the form of its schema.
	run(b *table.Batch, at []int) ([]table.Column, error)
}

// Set is definitions in an order in which each one reads columns of the input and of earlier definitions.
type Set struct{ ordered []Definition }

// New orders definitions. It reports columns that two definitions make, and definitions that read each other in a
// circle. The fields of these problems are paths from the root of the job; see [problem.Errors].
func New(definitions []Definition) (*Set, error) {
	p := &problem.Problems{}
	makers := map[string]int{}
	for i, d := range definitions {
		for _, name := range d.Makes() {
			if other, twice := makers[name]; twice {
				p.Add(d.place(), problem.CodeDuplicate, fmt.Sprintf("column %q is made by %s already", name,
					definitions[other].place()), "give it another name; a lookup has a prefix for the names of its columns")
				continue
			}
			makers[name] = i
		}
	}
	s := &Set{}
	const (
		begun = 1 + iota
		done
	)
	state := make([]int, len(definitions))
	var visit func(i int)
	visit = func(i int) {
		state[i] = begun
		for _, name := range definitions[i].Reads() {
			k, ok := makers[name]
			switch {
			case !ok || state[k] == done:
			case state[k] == begun:
				p.Add(definitions[i].place(), problem.CodeBadSpec, fmt.Sprintf("column %q is made from itself", name),
					"a derived column reads columns of the input, and derived columns that do not read it")
			default:
				visit(k)
			}
		}
		state[i] = done
		s.ordered = append(s.ordered, definitions[i])
	}
	for i := range definitions {
		if state[i] == 0 {
			visit(i)
		}
	}
	return s, p.Err()
}

// Makes reports whether a definition makes a column.
func (s *Set) Makes(name string) bool {
	return s != nil && slices.ContainsFunc(s.ordered, func(d Definition) bool { return slices.Contains(d.Makes(), name) })
}

// For selects what is needed to compute the columns in names: the definitions that make them, directly or by way of
// others, and the columns of the input that these read, each once. Inputs that are in names come first, in their order.
func (s *Set) For(names []string) (needed *Set, inputs []string) {
	needed = &Set{}
	wanted := map[string]bool{}
	for _, name := range names {
		wanted[name] = true
	}
	var used []Definition
	for i := len(s.ordered) - 1; i >= 0; i-- {
		d := s.ordered[i]
		if slices.ContainsFunc(d.Makes(), func(name string) bool { return wanted[name] }) {
			used = append(used, d)
			for _, name := range d.Reads() {
				wanted[name] = true
			}
		}
	}
	slices.Reverse(used)
	needed.ordered = used
	add := func(names []string) {
		for _, name := range names {
			if !s.Makes(name) && !slices.Contains(inputs, name) {
				inputs = append(inputs, name)
			}
		}
	}
	add(names)
	for _, d := range used {
		add(d.Reads())
	}
	return needed, inputs
}

// Names lists the columns that the definitions make, in the order in which an Evaluator appends them.
func (s *Set) Names() (names []string) {
	for _, d := range s.ordered {
		names = append(names, d.Makes()...)
	}
	return names
}

// Readers lists the paths, in the job, of the definitions that read a column.
func (s *Set) Readers(name string) (places []string) {
	for _, d := range s.ordered {
		if slices.Contains(d.Reads(), name) {
			places = append(places, d.place())
		}
	}
	return places
}

// Places lists the paths of the definitions in the job.
func (s *Set) Places() (places []string) {
	for _, d := range s.ordered {
		places = append(places, d.place())
	}
	return places
}

// Compiled is a [Set] that was checked against an input with known column types.
type Compiled struct {
	// Schema has the input's columns, then the derived columns.
	Schema table.Schema
	steps  []boundStep
}

type boundStep struct {
	Definition
	start func() program
}

// Bind checks the definitions against the schema of an input. zone is the time zone in which instants have fields such
// as the hour, and texts of times without an offset are read; nil is UTC. Bind reports all problems at once, with paths
// from the root of the job; see [problem.Errors].
func (s *Set) Bind(schema table.Schema, zone *time.Location) (*Compiled, error) {
	p := &problem.Problems{}
	b := &Compiled{Schema: table.Schema{Fields: slices.Clone(schema.Fields)}}
	// failed holds the columns of definitions that have a problem. A definition that reads such a column is skipped
	// without a report of its own.
	failed := map[string]bool{}
	for _, d := range s.ordered {
		before := len(p.List)
		var types []table.Type
		follows := false
		for _, name := range d.Reads() {
			f, ok := b.Schema.Lookup(name)
			switch {
			case failed[name]:
				follows = true
			case !ok:
				problem.UnknownColumn(name, d.place(), b.Schema, p)
			}
			types = append(types, f.Type)
		}
		var made []table.Type
		var start func() program
		if len(p.List) == before && !follows {
			made, start = d.bind(types, zone, p)
		}
		ok := len(p.List) == before && !follows
		for i, name := range d.Makes() {
			if _, there := schema.Lookup(name); there {
				p.Add(d.place(), problem.CodeDuplicate, fmt.Sprintf("the input has a column %q of its own", name),
					"give the derived column another name")
				ok = false
			}
			if ok {
				b.Schema.Fields = append(b.Schema.Fields, table.Field{Name: name, Type: made[i]})
			}
			failed[name] = !ok
		}
		b.steps = append(b.steps, boundStep{d, start})
	}
	return b, p.Err()
}

// Evaluator extends batches by the derived columns. It is for one goroutine.
type Evaluator struct {
	width int // the number of columns of a batch of the input
	steps []runStep
	out   table.Batch
}

type runStep struct {
	program
	at []int // positions of the columns that the definition reads in the extended batch
}

// Evaluator returns an evaluator for batches that hold these columns of the input.
func (b *Compiled) Evaluator(columns []string) *Evaluator {
	e := &Evaluator{width: len(columns)}
	names := slices.Clone(columns)
	for _, s := range b.steps {
		step := runStep{program: s.start()}
		for _, name := range s.Reads() {
			step.at = append(step.at, slices.Index(names, name))
		}
		e.steps = append(e.steps, step)
		names = append(names, s.Makes()...)
	}
	return e
}

// Extend returns a batch with the columns of b and then the derived columns. It is valid as long as b is and until the
// next call. No error depends on the values of a row.
func (e *Evaluator) Extend(b *table.Batch) (*table.Batch, error) {
	if e == nil || len(e.steps) == 0 {
		return b, nil
	}
	e.out = table.Batch{Rows: b.Rows, Keep: b.Keep, Columns: append(e.out.Columns[:0], b.Columns[:e.width]...)}
	for _, s := range e.steps {
		made, err := s.run(&e.out, s.at)
		if err != nil {
			return nil, err
		}
		e.out.Columns = append(e.out.Columns, made...)
	}
	return &e.out, nil
}
