package domain

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/intern"

	"github.com/dprelease/dprelease/queries/problem"
)

// labelDomain holds the cells of a dimension with listed values.
type labelDomain struct {
	labels []Label
	fold   Fold
	zone   *time.Location
}

// checkNames reports labels without members, and labels that have the name of another cell.
func (d labelDomain) checkNames(extra []string, field string, p *problem.Problems) {
	labels, fold := d.labels, d.fold
	names, members := make(map[string]bool, len(labels)), make(map[string]int, len(labels))
	for i, l := range labels {
		report := func(code, message, hint string) { p.Add(fmt.Sprintf("%s.values[%d]", field, i), code, message, hint) }
		switch {
		case names[l.Name]:
			report(problem.CodeDuplicate, fmt.Sprintf("cell %q is listed twice", l.Name), "")
		case slices.Contains(extra, l.Name):
			report(problem.CodeDuplicate, fmt.Sprintf("cell %q has the name of the cell that bin adds", l.Name),
				fmt.Sprintf("give it a name of its own: {my %s: [%s]}", l.Name, l.Name))
		case len(l.Members) == 0:
			report(problem.CodeBadSpec, fmt.Sprintf("cell %q has no values", l.Name), "")
		}
		names[l.Name] = true
		for _, m := range l.Members {
			key := fold.Text(m)
			if other, ok := members[key]; ok && (other != i && labels[other].Name != l.Name || other == i && !fold.Any()) {
				hint := ""
				if fold.Any() {
					hint = "fold makes them one text"
				}
				report(problem.CodeDuplicate, fmt.Sprintf("value %q belongs to cell %q already", m, labels[other].Name), hint)
			}
			members[key] = i
		}
	}
}

func (d labelDomain) size() int { return len(d.labels) }

func (d labelDomain) Keys(name string, extra []string) []KeyColumn {
	names := make([]string, 0, len(d.labels)+len(extra))
	for _, l := range d.labels {
		names = append(names, l.Name)
	}
	return []KeyColumn{{Name: name, Labels: Labels{Strings: append(names, extra...)}}}
}

func (d labelDomain) coding(t table.Type, _ ExtraCells) (Coding, []*problem.Error) {
	switch t.Kind {
	case table.String:
		return d.texts(), nil
	case table.Float:
		return d.floats(t)
	}
	return d.ints(t)
}

// each calls add with every member and its cell. It adds the member's path to the errors that add returns, and returns
// them, but at most one error about the column's type.
func (d labelDomain) each(add func(member string, code int32) *problem.Error) []*problem.Error {
	var errs []*problem.Error
	for i, l := range d.labels {
		for _, m := range l.Members {
			err := add(m, int32(i))
			if err == nil {
				continue
			}
			if err.Code == problem.CodeColumnType {
				err.Field = ".column"
				return []*problem.Error{err}
			}
			err.Field = fmt.Sprintf(".values[%d]", i)
			errs = append(errs, err)
		}
	}
	return errs
}

// insert assigns a value to a cell, or reports that the value belongs to another cell already.
func insert[K comparable](cells map[K]int32, key K, member string, code int32) *problem.Error {
	if old, ok := cells[key]; ok && old != code {
		return &problem.Error{Code: problem.CodeDuplicate, Message: fmt.Sprintf("value %q equals, in a column of this "+
			"type, a value of another cell", member)}
	}
	cells[key] = code
	return nil
}

func (d labelDomain) texts() Coding {
	n := 0
	for _, l := range d.labels {
		n += len(l.Members)
	}
	c := Coding{Texts: make([]Listed[string], 0, n), Fold: d.fold}
	for i, l := range d.labels {
		for _, m := range l.Members {
			if d.fold.Any() {
				m = d.fold.Text(m)
			}
			c.Texts = append(c.Texts, Listed[string]{m, int32(i)})
		}
	}
	if d.fold.Any() {
		c.table = sync.OnceValue(func() *FoldTable { return newFoldTable(c.Fold, c.Texts) })
	}
	return c
}

func (d labelDomain) floats(t table.Type) (Coding, []*problem.Error) {
	cells := map[float64]int32{}
	errs := d.each(func(m string, code int32) *problem.Error {
		x, ok := nearest(m)
		if !ok {
			return badText(m, t, "a decimal number in float64's range")
		}
		return insert(cells, x, m, code)
	})
	return Coding{Floats: list(cells)}, errs
}

func (d labelDomain) ints(t table.Type) (Coding, []*problem.Error) {
	cells := map[int64]int32{}
	n := integers{Unsigned: t.Kind == table.Uint}
	errs := d.each(func(m string, code int32) *problem.Error {
		x, err := parseScalar(m, t, d.zone)
		if err != nil || !x.IsInt() || t.Zone == table.UTC && isSkipped(m, d.zone) {
			return err // the member is neither an integer nor a time, so no value of the column equals it
		}
		key, beyond := n.keyOf(x.Num())
		if beyond != 0 {
			return nil
		}
		return insert(cells, n.key(key), m, code)
	})
	return Coding{Ints: list(cells)}, errs
}

// textLabels maps listed texts to cells. It compares bytes.
type textLabels struct {
	cells *intern.TextCodes
	other int32
}

// newTextLabels returns the coder for listed texts.
func newTextLabels(c *Coding) valueCoder {
	labels := textLabels{cells: intern.NewTextCodes(len(c.Texts)), other: c.Other}
	for _, x := range c.Texts {
		labels.cells.Set(x.Value, x.Code)
	}
	if c.Fold.Any() {
		return foldedLabels{labels, c.Fold}
	}
	return labels
}

// lookedUp is the number of texts that are looked up together.
const lookedUp = 64

// Codes looks up several texts at a time, so that memory accesses overlap. It hashes all texts, then reads the first
// slot of each text in the hash table, and then completes each search.
func (c textLabels) Codes(v table.Values, from int, dst []int32) {
	var keys [lookedUp]intern.TextKey
	var first [lookedUp]bool // whether the text's first slot is occupied
	for len(dst) > 0 {
		n := min(len(dst), lookedUp)
		for i := range n {
			keys[i] = c.cells.KeyOf(v.Bytes(from + i))
		}
		for i := range n {
			first[i] = c.cells.StartsFull(&keys[i])
		}
		for i := range n {
			if dst[i] = c.other; first[i] {
				dst[i] = c.cells.OfKey(&keys[i], v.Bytes(from+i), c.other)
			}
		}
		from, dst = from+n, dst[n:]
	}
}

// foldedLabels folds texts before it maps them to cells.
type foldedLabels struct {
	textLabels
	fold Fold
}

func (c foldedLabels) Codes(v table.Values, from int, dst []int32) {
	var folded []byte
	for i := range dst {
		folded = c.fold.Append(folded[:0], v.Bytes(from+i))
		dst[i] = c.cells.Of(folded, c.other)
	}
}

// intLabels maps integers, booleans, dates and timestamps to cells by their bits.
type intLabels struct {
	cells map[int64]int32
	other int32
	// dense[i] is the code of the value least + i. It is nil if the range of the listed values is too wide.
	least int64
	dense []int32
}

// codesOf maps listed values to their codes.
func codesOf[T cmp.Ordered](listed []Listed[T]) map[T]int32 {
	codes := make(map[T]int32, len(listed))
	for _, x := range listed {
		codes[x.Value] = x.Code
	}
	return codes
}

// newIntLabels returns the coder for listed integers.
func newIntLabels(c *Coding) *intLabels {
	labels := &intLabels{cells: codesOf(c.Ints), other: c.Other}
	labels.makeDense()
	return labels
}

// maxDense is the widest range of listed integers whose codes are kept in an array instead of a map.
const maxDense = 1 << 12

// makeDense sets dense if all listed values are within a range of maxDense.
func (c *intLabels) makeDense() {
	least, most := int64(math.MaxInt64), int64(math.MinInt64)
	for x := range c.cells {
		least, most = min(least, x), max(most, x)
	}
	if len(c.cells) == 0 || uint64(most)-uint64(least) >= maxDense {
		return
	}
	c.least, c.dense = least, make([]int32, most-least+1)
	for i := range c.dense {
		c.dense[i] = c.other
	}
	for x, code := range c.cells {
		c.dense[x-least] = code
	}
}

func (c *intLabels) Codes(v table.Values, from int, dst []int32) {
	if c.dense != nil {
		for i, x := range v.Ints[from : from+len(dst)] {
			dst[i] = c.other
			if at := uint64(x) - uint64(c.least); at < uint64(len(c.dense)) {
				dst[i] = c.dense[at]
			}
		}
		return
	}
	for i := range dst {
		code, ok := c.cells[v.Ints[from+i]]
		if !ok {
			code = c.other
		}
		dst[i] = code
	}
}

// floatLabels maps listed floats to cells. -0 equals 0.
type floatLabels struct {
	cells map[float64]int32
	ExtraCells
}

func (c floatLabels) Codes(v table.Values, from int, dst []int32) {
	for i := range dst {
		x := v.Floats[from+i]
		code, ok := c.cells[x]
		switch {
		case ok:
		case math.IsNaN(x):
			code = c.Null
		default:
			code = c.Other
		}
		dst[i] = code
	}
}
