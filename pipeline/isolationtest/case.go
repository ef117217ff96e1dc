package isolationtest

import (
	"math/rand/v2"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/sourcetest"
)

// Row is the cells of a row, as its format has them; nil is null.
type Row = sourcetest.Row

// Table is the rows of each file of a table.
type Table = sourcetest.Table

// Format is a dialect, the columns of a table in it, and a writer.
type Format interface {
	// String describes the format completely: from it, a reader of a failure can make such files.
	String() string
	// Options returns how the files of a table in a folder are read, the columns that are read and which of
	// them are the privacy unit's.
	Options(dir string, files int) (o source.Options, columns, unit []string)
	// Draw draws a row of a unit. Its texts may be made of the earlier rows, before.
	Draw(r *rand.Rand, unit Row, before []Row) Row
	// Unit draws a row of which only the cells of the unit matter.
	Unit(r *rand.Rand, before []Row) Row
	// Key returns a text that is equal for rows of the same unit alone, and empty if the row belongs to none; ok is
	// false if the format does not tell.
	Key(row Row) (key string, ok bool)
	// Want returns the cells of a row as they must be read, in the form of shown; ok is false if the format does not
	// tell.
	Want(row Row) (cells string, ok bool)
	// Put writes the files of a table into a folder. A table that the writer cannot write is an error.
	Put(dir string, t Table) error
	// Second reads the files of a table with another reader and returns its judgement; doubted is true if they differ
	// from the intended ones.
	Second(dir string, t Table) (says string, doubted bool)
	// Smaller returns simpler forms of a cell.
	Smaller(cell any) []any
}

// item is a row in a file of both tables together.
type item struct {
	row  Row
	ofU  bool
	file int
}

// Case is two tables of one format.
type Case struct {
	Format  Format
	Items   []item // in the order in which they stand in their files
	Files   int
	Workers int
	Joined  bool   // the tables are also joined
	Note    string // where the case comes from
}

// The tables of a case: T, the rows U of one unit, and both.
const (
	tableT = iota
	tableU
	tableBoth
)

var tableNames = [3]string{"T", "U", "T and U"}

// Draw draws the tables of a case: rows of some units, and rows of one more at random places among them, also first and
// last.
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

// owns reports whether one of some units is equal to another, or may be.
func owns(f Format, units []Row, one Row) bool {
	key, ok := f.Key(one)
	for _, u := range units {
		if other, sure := f.Key(u); !ok || !sure || key == other {
			return true
		}
	}
	return false
}

// Table returns one of the tables.
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
