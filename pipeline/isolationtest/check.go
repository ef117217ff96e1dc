package isolationtest

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Finding is a violation of what the readers guarantee, with everything needed to reproduce it.
type Finding struct {
	// Promise names the violated guarantee: isolation, outcome, fidelity, identity or tables (see the methods of Case).
	Promise string
	What    string
	Case    *Case
	dir     string // the folder that holds the three tables
	reading [3]reading
	// Second describes what an independent reader found in the files.
	Second string
}

// Error returns the finding as text, with the tables and the rows that were read.
func (f *Finding) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n%s, %d workers\n%s", f.Promise, f.What, f.Case.Note, f.Case.Workers, f.Case.Format)
	for i, name := range tableNames {
		fmt.Fprintf(&b, "%s:\n%s", name, f.Case.Table(i))
		r := &f.reading[i]
		if r.err != "" {
			fmt.Fprintf(&b, "  is read as: %s\n", r.err)
			continue
		}
		fmt.Fprintf(&b, "  is read as %d rows, %d lines skipped:\n", len(r.rows), r.blank)
		for k, row := range r.rows {
			unit := ""
			if k < len(r.units) {
				unit = fmt.Sprintf(" of unit %.200q", r.units[k])
			}
			fmt.Fprintf(&b, "    %.400q%s\n", row, unit)
		}
	}
	fmt.Fprintf(&b, "a second reader: %s\n", f.Second)
	return b.String()
}

// Put writes the three tables of a case, each into its own folder.
func (c *Case) Put(dir string) error {
	for i := range tableNames {
		if err := c.Format.Put(folder(dir, i), c.Table(i)); err != nil {
			return err
		}
	}
	return nil
}

func folder(dir string, table int) string {
	return filepath.Join(dir, [3]string{"t", "u", "both"}[table])
}

// Compare reads the three tables that Put wrote and returns the first violation; nil if there is none. failed is true
// if T cannot be read.
func (c *Case) Compare(dir string) (found *Finding, failed bool) {
	f := &Finding{Case: c, dir: dir}
	for i := range f.reading {
		f.reading[i] = c.read(folder(dir, i))
	}
	failed = f.reading[tableT].err != ""
	for _, try := range []struct {
		promise string
		check   func(*Finding) string
	}{{"outcome", c.outcome}, {"isolation", c.isolation}, {"fidelity", c.fidelity}, {"identity", c.identity},
		{"tables", c.tables}} {
		if f.What = try.check(f); f.What != "" {
			f.Promise = try.promise
			return f, failed
		}
	}
	return nil, failed
}

// outcome checks that the files of T, and of T and U together, can both be read, or that both fail with the same
// message.
func (c *Case) outcome(f *Finding) string {
	if t, both := f.reading[tableT].err, f.reading[tableBoth].err; t != both {
		return fmt.Sprintf("T: %q, T and U: %q", t, both)
	}
	return ""
}

// isolation checks that the table of T and U together has exactly the rows of T and the rows of U.
func (c *Case) isolation(f *Finding) string {
	if f.reading[tableU].err != "" || f.reading[tableT].err != "" {
		return ""
	}
	apart := slices.Concat(f.reading[tableT].rows, f.reading[tableU].rows)
	both := slices.Clone(f.reading[tableBoth].rows)
	slices.Sort(apart)
	slices.Sort(both)
	if !slices.Equal(apart, both) {
		return "the rows of both tables are not those of T and those of U"
	}
	return ""
}

// fidelity checks that the rows that were read equal the rows that were written, and that the table is accepted if the
// job declares their number (docs/adr/0013).
func (c *Case) fidelity(f *Finding) string {
	for i := range f.reading {
		r, rows := &f.reading[i], slices.Concat(c.Table(i)...)
		n := int64(len(rows))
		switch got := int64(len(r.rows)); {
		case r.err != "":
			continue
		case got > n || n > got+r.blank:
			return fmt.Sprintf("%s has %d rows: %d are read, and %d lines skipped", tableNames[i], n, got, r.blank)
		case got < n:
			continue // the reader may skip rows that look like a blank line or a comment
		}
		for k, row := range rows {
			if want, ok := c.Format.Want(row); ok && want != r.rows[k] {
				return fmt.Sprintf("row %d of %s is read as %.400q, want %.400q", k, tableNames[i], r.rows[k], want)
			}
		}
	}
	return ""
}

// identity checks that two rows belong to the same unit exactly if the values of their unit columns are equal. A value
// that the reader cannot represent exactly may be null.
func (c *Case) identity(f *Finding) string {
	for i := range f.reading {
		r, rows := &f.reading[i], slices.Concat(c.Table(i)...)
		if r.err != "" || r.unfit || len(rows) != len(r.rows) {
			continue
		}
		for k, row := range rows {
			key, ok := c.Format.Key(row)
			if !ok {
				continue
			}
			if key == "" && r.units[k] != "" {
				return fmt.Sprintf("row %d of %s belongs to no unit, and is read as one", k, tableNames[i])
			}
			for j, other := range rows[:k] {
				before, ok := c.Format.Key(other)
				if !ok || r.units[j] == "" && r.units[k] == "" {
					continue
				}
				if (before == key) != (r.units[j] == r.units[k]) {
					return fmt.Sprintf("the units of rows %d and %d of %s are %.200s and %.200s, and read as %q and %q", j, k,
						tableNames[i], before, key, r.units[j], r.units[k])
				}
			}
		}
	}
	return ""
}

// shrink removes rows and simplifies cells while the same guarantee is still violated. put writes the tables of a case.
func (f *Finding) shrink(dir string, put func(*Case, string) error) *Finding {
	best := f
	try := func(change func(*Case)) bool {
		next := *best.Case
		next.Items = slices.Clone(next.Items)
		change(&next)
		if put(&next, dir) != nil {
			return false
		}
		got, _ := next.Compare(dir)
		if got == nil || got.Promise != f.Promise {
			return false
		}
		best = got
		return true
	}
	for again, rounds := true, 0; again && rounds < 20; rounds++ {
		again = false
		for i := len(best.Case.Items) - 1; i >= 0; i-- {
			again = try(func(c *Case) { c.Items = slices.Delete(c.Items, i, i+1) }) || again
		}
		for i := range best.Case.Items {
			for k := range best.Case.Items[i].row {
				for _, cell := range best.Case.Format.Smaller(best.Case.Items[i].row[k]) {
					if try(func(c *Case) {
						c.Items[i].row = slices.Clone(c.Items[i].row)
						c.Items[i].row[k] = cell
					}) {
						again = true
						break
					}
				}
			}
		}
		again = try(func(c *Case) {
			if c.Files == 1 {
				c.Items = nil
			}
			c.Files = 1
			for i := range c.Items {
				c.Items[i].file = 0
			}
		}) || again
	}
	if put(best.Case, dir) == nil { // write the files of the final case again
		best.doubted(dir)
	}
	return best
}

// doubted reads all files with an independent reader. It returns true if that reader does not find the intended rows
// either, so that the writer may be at fault.
func (f *Finding) doubted(dir string) bool {
	for i := range tableNames {
		says, doubted := f.Case.Format.Second(folder(dir, i), f.Case.Table(i))
		if f.Second = says; doubted {
			f.Second += ", in " + tableNames[i]
			return true
		}
	}
	return false
}
