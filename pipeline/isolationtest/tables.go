package isolationtest

import (
	"context"
	"math"
	"slices"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/joined"
)

// Several tables
//
// T, U and both together are also read as tables that a job joins. They are joined by the unit, or by a key through
// which rows get their unit. Rows of U in one table must not change the rows of T in the other, and no row of T may be
// joined to a row of U. If rows get their unit by the join, each row of T also occurs once for each row of U with the
// same key, and nothing else may change.

// tables checks that joins keep T and U apart. It checks nothing if a row of T belongs to U's unit.
func (c *Case) tables(f *Finding) string {
	for i := range f.reading {
		if f.reading[i].err != "" || f.reading[i].unfit {
			return ""
		}
	}
	of := &f.reading[tableU]
	if !c.Joined || slices.ContainsFunc(of.units, func(u string) bool {
		return u != "" && slices.Contains(f.reading[tableT].units, u)
	}) {
		return ""
	}
	for _, gives := range []bool{false, true} {
		pairs := [][2]int{{tableT, tableT}, {tableT, tableBoth}, {tableT, tableU}}
		if !gives {
			pairs = [][2]int{{tableT, tableT}, {tableT, tableBoth}, {tableBoth, tableBoth}, {tableU, tableU}}
		}
		got := make([][]string, len(pairs))
		for i, p := range pairs {
			var err error
			if got[i], err = c.join(folder(f.dir, p[0]), folder(f.dir, p[1]), gives); err != nil {
				return "a join of " + tableNames[p[0]] + " with " + tableNames[p[1]] + ": " + err.Error()
			}
		}
		switch {
		case gives && !sameRows(got[1], slices.Concat(got[0], got[2])):
			return "rows of T that get their unit from T and U are not those of T and those of U"
		case !gives && !sameRows(got[0], got[1]):
			return "rows of T have other partners in T and U than in T"
		case !gives && !sameRows(got[2], slices.Concat(got[0], got[3])):
			return "rows of T and U with partners in T and U are not those of T with T and of U with U"
		}
	}
	return ""
}

func sameRows(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}

// join joins the table in the folder right to the rows in the folder left, and returns the joined rows. The key is the
// unit or, if gives is set (rows get their unit by the join), another column. If there is no such column, it returns no
// rows.
func (c *Case) join(left, right string, gives bool) (rows []string, err error) {
	_, columns, unit := c.Format.Options(right, c.Files)
	other, err := c.open(right)
	if err != nil {
		return nil, err
	}
	defer other.Close()
	schema := other.Schema()
	var rest []string
	for _, name := range columns {
		if t, _ := schema.Lookup(name); !slices.Contains(unit, name) && joined.Fits(t.Type) {
			rest = append(rest, name)
		}
	}
	form := joined.Form{Keys: unit, Add: rest, Columns: columns, Schema: schema}
	if gives {
		if len(rest) == 0 {
			return nil, nil
		}
		form.Keys, form.Add, form.Units = rest[:1], unit, len(unit)
	}
	own, err := c.open(left)
	if err != nil {
		return nil, err
	}
	defer own.Close()
	limit := []int64{300, math.MaxInt64}[c.Workers-1] // a limit that only some records fit, or none
	for from, more := uint64(0), true; more; {
		side := joined.NewSide(form, from, limit)
		if err := eachBatch(other, columns, side.Loader().Add); err != nil {
			return nil, err
		}
		side.Complete()
		joiner := side.Rows(form.Keys, columns, own.Schema())
		err := eachBatch(own, columns, func(b *table.Batch) error {
			return joiner.Join(b, func(b *table.Batch) error {
				rows = appendRows(rows, b)
				return nil
			})
		})
		if err != nil {
			return nil, err
		}
		from, more = side.Next()
	}
	return rows, nil
}

func (c *Case) open(dir string) (*source.Dataset, error) {
	o, _, _ := c.Format.Options(dir, c.Files)
	o.Workers = c.Workers
	return source.Open(context.Background(), o)
}

func eachBatch(d *source.Dataset, columns []string, take func(*table.Batch) error) error {
	all := d.NewSplitReader(nil, nil)
	for split := range d.Splits() {
		if _, err := all.Read(context.Background(), split, columns, take); err != nil {
			return err
		}
	}
	return nil
}
