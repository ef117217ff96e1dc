package isolationtest

import (
	"math/rand/v2"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/sourcetest"
)

// Row holds the cells of a row, in the types of its format; nil is null.
type Row = sourcetest.Row

// Table holds the rows of each file of a table.
type Table = sourcetest.Table

// Format is a random file format of a table: a dialect such as CSV with its options, the columns, and a writer.
type Format interface {
	// String describes the format completely, so that somebody can reproduce the files of a failure from it.
	String() string
	// Options returns the reader's options for the files of a table in a folder, the columns to read, and which of them
	// are the privacy unit's.
	Options(dir string, files int) (o source.Options, columns, unit []string)
	// Draw draws a row of a unit. Its strings may imitate the earlier rows, before.
	Draw(r *rand.Rand, unit Row, before []Row) Row
	// Unit draws a row that defines a unit: only its cells in the unit's columns matter.
	Unit(r *rand.Rand, before []Row) Row
	// Key returns a text that is equal exactly for rows of the same unit, and "" for a row without a unit. ok is false
	// if the format does not determine that.
	Key(row Row) (key string, ok bool)
	// Want returns the cells of a row as they must be read, formatted by appendRows. ok is false if the format does not
	// determine that.
	Want(row Row) (cells string, ok bool)
	// Put writes the files of a table into a folder. It returns an error if the writer cannot write the table.
	Put(dir string, t Table) error
	// Second reads the files of a table with an independent reader, and describes what that reader found. doubted is
	// true if it did not find the intended rows.
	Second(dir string, t Table) (says string, doubted bool)
	// Smaller returns simpler cells to try in place of a cell, for shrinking a finding.
	Smaller(cell any) []any
}

// item is a row of table T or of table U, with the file that contains it.
type item struct {
	row  Row
	ofU  bool
	file int
}

// Case is a test case: two tables T and U of one format.
type Case struct {
	Format  Format
	Items   []item // the rows of both tables, in the order of the file that holds both
	Files   int
	Workers int
	Joined  bool   // whether the tables are also joined
	Note    string // the origin of the case, such as its seed
}

// The three tables of a case: T; the rows U of one more unit; both together.
const (
	tableT = iota
	tableU
	tableBoth
)

var tableNames = [3]string{"T", "U", "T and U"}

// Draw draws the tables of a case: the rows T of some units, and the rows U of one more unit at random places among
// them, also first and last.
func Draw(f Format, r *rand.Rand, note string) *Case {
	c := &Case{Format: f, Files: []int{1, 1, 1, 2, 3}[r.IntN(5)], Workers: 1 + r.IntN(2), Note: note}
	var units, before []Row
	for range 1 + r.IntN(4) {
		units = append(units, f.Unit(r, before))
	}
	add := func(unit Row, ofU bool, at int) {
		row := f.Draw(r, unit, before)
		before = append(before, row)
		c.Items = append(c.Items, item{})
		copy(c.Items[at+1:], c.Items[at:])
		c.Items[at] = item{row, ofU, r.IntN(c.Files)}
	}
	for range r.IntN(6) {
		add(units[r.IntN(len(units))], false, len(c.Items))
	}
	one := f.Unit(r, before)
	for tries := 0; tries < 10 && owns(f, units, one); tries++ {
		one = f.Unit(r, before)
	}
	for range 1 + r.IntN(3) {
		add(one, true, []int{0, len(c.Items), r.IntN(len(c.Items) + 1)}[r.IntN(3)])
	}
	c.Joined = chance(r, 0.2)
	return c
}

// owns reports whether the unit of the row one is the unit of a row in units. It also returns true if this is unknown.
func owns(f Format, units []Row, one Row) bool {
	key, ok := f.Key(one)
	for _, u := range units {
		if other, sure := f.Key(u); !ok || !sure || key == other {
			return true
		}
	}
	return false
}

// Table returns one of the three tables of the case.
func (c *Case) Table(which int) Table {
	t := make(Table, c.Files)
	for _, it := range c.Items {
		if which == tableBoth || it.ofU == (which == tableU) {
			t[it.file] = append(t[it.file], it.row)
		}
	}
	return t
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func chance(r *rand.Rand, p float64) bool { return r.Float64() < p }
