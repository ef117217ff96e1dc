package stabilitytest

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// Item is a row that one or both tables of a pair have.
type Item struct {
	Row Row
	// In[0] reports whether D has the row, In[1] whether D' has it.
	In [2]bool
	// file is the index of the row's file in each table. Each file is sorted by place.
	file  [2]int
	place [2]uint64
}

// Pair is two neighbouring tables, as a list of rows. Most pairs are still neighbours if items are removed. There are
// two exceptions: if each row is a unit, replace-one needs as many rows in D as in D'; and if rows are counts, the two
// versions of a row belong together.
type Pair struct {
	Files int
	Items []Item
}

// Table returns D for 0, or D' for 1.
func (p *Pair) Table(i int) Table {
	t := make(Table, p.Files)
	items := slices.Clone(p.Items)
	slices.SortStableFunc(items, func(a, b Item) int { return cmp.Compare(a.place[i], b.place[i]) })
	for _, it := range items {
		if it.In[i] {
			t[it.file[i]] = append(t[it.file[i]], it.Row)
		}
	}
	return t
}

var (
	both  = [2]bool{true, true}
	first = [2]bool{true, false}
	last  = [2]bool{false, true}
)

// pairing draws the pair of a job.
type pairing struct {
	*rand.Rand
	job   *Job
	pair  *Pair
	moved bool // the tables have their common rows in different orders and files
}

// DrawPair draws two tables that are neighbours under the job's unit and adjacency.
func (j *Job) DrawPair(r *rand.Rand) *Pair {
	d := &pairing{r, j, &Pair{Files: pick(r, []int{1, 1, 1, 2, 3})}, r.IntN(6) == 0}
	if len(j.Unit) == 0 {
		d.rows()
	} else {
		d.units()
	}
	if !d.moved && r.IntN(2) == 0 {
		d.sort(r.IntN(len(j.Columns)))
	}
	return d.pair
}

// sort orders the rows of both tables by a column, ascending or descending, as tables often are, so that row groups and
// pages have different ranges of values. Rows that only one table has stay in their place.
func (d *pairing) sort(column int) {
	down := d.IntN(2) == 0
	var at []int
	var places []uint64
	for i := range d.pair.Items {
		if it := &d.pair.Items[i]; it.In == both {
			at, places = append(at, i), append(places, it.place[0])
		}
	}
	slices.Sort(places)
	slices.SortFunc(at, func(a, b int) int {
		order := compareCells(d.pair.Items[a].Row[column], d.pair.Items[b].Row[column])
		if down {
			return -order
		}
		return order
	})
	for i, k := range at {
		d.pair.Items[k].place = [2]uint64{places[i], places[i]}
	}
}

func compareCells(a, b any) int {
	switch a := a.(type) {
	case int64:
		b, _ := b.(int64)
		return cmp.Compare(a, b)
	case float64:
		b, _ := b.(float64)
		return cmp.Compare(a, b)
	case string:
		b, _ := b.(string)
		return cmp.Compare(a, b)
	}
	return 0
}

func (d *pairing) addRow(row Row, in [2]bool) {
	it := Item{Row: row, In: in, file: [2]int{d.IntN(d.pair.Files)}, place: [2]uint64{d.Uint64()}}
	it.file[1], it.place[1] = it.file[0], it.place[0]
	if d.moved {
		it.file[1], it.place[1] = d.IntN(d.pair.Files), d.Uint64()
	}
	d.pair.Items = append(d.pair.Items, it)
}

// row draws a row, some of the time a copy of an earlier one. far is the probability of an odd value, as in cell.
func (d *pairing) row(far float64) Row {
	if n := len(d.pair.Items); n > 0 && d.IntN(5) == 0 {
		return slices.Clone(d.pair.Items[d.IntN(n)].Row)
	}
	row := make(Row, len(d.job.Columns))
	for i, c := range d.job.Columns {
		row[i] = cell(d.Rand, c, far)
		if c.Kind == Text && row[i] != nil && d.Float64() < far/3 {
			row[i] = d.likeRows()
		}
	}
	return row
}

// likeRows draws a text that looks like part of a text file: other rows as they are written, or parts of them, line
// ends, quotes, comments.
func (d *pairing) likeRows() string {
	var b strings.Builder
	for range 1 + d.IntN(4) {
		if n := len(d.pair.Items); n > 0 && d.IntN(2) == 0 {
			line := csvForm{quote: '"'}.line(d.job.Columns, d.pair.Items[d.IntN(n)].Row, d.IntN(2) == 0)
			b.WriteString(pick(d.Rand, []string{line, "\n" + line + "\n", line[:len(line)/2], line[len(line)/2:]}))
			continue
		}
		b.WriteString(pick(d.Rand, []string{"\n", "\r\n", "\"", "\"\"", "'", "#", "#v", ",", "\"\n", "\n\"", "\uFEFF",
			"\uFFFE", nullText, "{\"u\":1}"}))
	}
	return b.String()
}

// common draws the number of rows that both tables have, and the probability of odd values in them, which is lower than
// in the rows that differ.
func (d *pairing) common() (n int, far float64) {
	n = d.IntN(10)
	if d.IntN(60) == 0 {
		n = 200
	}
	return n, pick(d.Rand, []float64{0, 0.05, 0.3})
}

// upstream draws neighbours as the table's producer guarantees them: one of the tables has more rows, or larger counts.
// Under replace-one both have some rows or counts of their own.
func (d *pairing) upstream(far float64) {
	sides := [][2]bool{pick(d.Rand, [][2]bool{first, last})}
	if d.job.Adjacency == replaceOne {
		sides = [][2]bool{first, last}
	}
	distinct := index(d.job.Columns, d.job.Distinct)
	counts := d.job.MaxChange > 0
	seen := map[string]bool{}
	if distinct >= 0 && counts { // no two rows of a table are alike
		d.pair.Items = slices.DeleteFunc(d.pair.Items, func(it Item) bool {
			value := unit{it.Row[distinct]}.key()
			again := seen[value]
			seen[value] = true
			return again
		})
	}
	for _, side := range sides {
		if !counts {
			clear(seen)
		}
		left := d.job.Upstream * d.job.MaxChange // by how much the unit may still change all counts together
		for range 1 + d.IntN(d.job.Upstream) {
			row := d.row(far)
			if distinct >= 0 {
				value := unit{row[distinct]}.key()
				if seen[value] {
					continue
				}
				seen[value] = true
			}
			if counts {
				at := index(d.job.Columns, countsColumn)
				count, _ := row[at].(int64) // 0 if it is null
				count = min(max(count, math.MinInt64/2), math.MaxInt64/2)
				less := slices.Clone(row)
				if less[at] = any(count); count == 0 && d.IntN(2) == 0 {
					less[at] = nil
				}
				change := 1 + d.IntN(d.job.MaxChange)
				if d.job.Together {
					change = 1 + d.IntN(left)
				}
				row[at] = count + int64(change)
				if count != 0 || d.IntN(2) == 0 {
					d.addRow(less, [2]bool{side[1], side[0]})
				}
				left -= change
			}
			d.addRow(row, side)
			if counts && left == 0 {
				break
			}
		}
	}
}

// rows draws neighbours that differ in one row.
func (d *pairing) rows() {
	n, far := d.common()
	if d.job.Rows > 0 {
		n = d.job.Rows - 1
	}
	for range n {
		d.addRow(d.row(far), both)
	}
	far = pick(d.Rand, []float64{0.2, 0.6})
	if d.job.Upstream > 0 {
		d.upstream(far)
		return
	}
	if d.job.Adjacency == replaceOne {
		d.addRow(d.row(far), first)
		d.addRow(d.row(far), last)
		return
	}
	d.addRow(d.row(far), pick(d.Rand, [][2]bool{first, last}))
}

// units draws neighbours that differ in the rows of one unit. Under add-remove only one table has them. Under
// replace-one the other table has other rows in their place, of the same unit or of a new one.
func (d *pairing) units() {
	one, other := d.unit(), d.unit()
	n, far := d.common()
	for range n {
		row, id := d.row(far), d.unit()
		if id.key() == one.key() || id.key() == other.key() && d.job.Adjacency == replaceOne {
			continue
		}
		d.addRow(d.withUnit(row, id), both)
	}
	in := pick(d.Rand, [][2]bool{first, last})
	if d.job.Adjacency != replaceOne {
		d.change(one, in)
		return
	}
	if d.IntN(3) > 0 { // keep the unit, and give it some rows in both tables
		other = one
		for range d.IntN(3) {
			d.addRow(d.withUnit(d.row(far), one), both)
		}
	}
	d.change(one, in)
	d.change(other, [2]bool{in[1], in[0]})
}

// change adds rows of a unit, sometimes very many, to one table. Often they are alike, since the largest changes of
// answers are those of rows with the same cells and values. It may also add rows without a unit, which count nowhere.
func (d *pairing) change(id unit, in [2]bool) {
	n := d.IntN(7)
	if d.IntN(12) == 0 {
		n = 10 + d.IntN(40)
	}
	far := pick(d.Rand, []float64{0.1, 0.5})
	alike, like := d.IntN(3) == 0, d.row(far)
	for range n {
		row := d.withUnit(d.row(far), id)
		if alike { // in all columns but one
			differs := d.IntN(len(row))
			other := row[differs]
			row = d.withUnit(like, id)
			row[differs] = other
		}
		if at := index(d.job.Columns, pick(d.Rand, d.job.Unit)); d.job.Columns[at].Optional && d.IntN(12) == 0 {
			row[at] = nil
		}
		d.addRow(row, in)
	}
}

// unit holds the cells that identify a privacy unit.
type unit []any

var (
	intUnits  = []int64{1, 2, 3, 4, 0, -1, math.MaxInt64, math.MinInt64, 1 << 53, 1<<53 + 1}
	textUnits = []string{"p", "q", "r", "", "1", "01", "null", "P", "p\x00", "\xffu", "é", "e\u0301",
		"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk1", "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk2"}
)

// unit draws one of a few privacy units, or none.
func (d *pairing) unit() unit {
	id := make(unit, len(d.job.Unit))
	for i, name := range d.job.Unit {
		c := d.job.Columns[index(d.job.Columns, name)]
		switch {
		case c.Optional && d.IntN(20) == 0:
		case c.Kind == Int64:
			id[i] = pick(d.Rand, intUnits)
		case c.Kind == Text:
			id[i] = pick(d.Rand, textUnits)
		default:
			c.Optional = false
			id[i] = cell(d.Rand, c, 0.1)
		}
	}
	return id
}

// key returns a text that is equal for equal units; -0 equals 0.
func (u unit) key() string {
	s := ""
	for _, c := range u {
		if f, ok := c.(float64); ok && f == 0 {
			c = 0.0
		}
		s += fmt.Sprintf("%T%s|", c, Row{c})
	}
	return s
}

// withUnit returns a copy of a row that belongs to a unit.
func (d *pairing) withUnit(row Row, id unit) Row {
	row = slices.Clone(row)
	for i, name := range d.job.Unit {
		row[index(d.job.Columns, name)] = id[i]
	}
	return row
}
