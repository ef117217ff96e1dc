package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/query"
)

// Table is a table of a release: the answer to a query, or a table computed from it.
type Table struct {
	// Query is the query's name. Holds is "" for the answer itself; otherwise it names the computed table: quantiles or
	// cdf.
	Query, Holds string
	// Cells is the number of cells, with a row for each. A sparse table has no rows for cells whose estimate is 0.
	Cells  int
	Sparse bool
	Keys   []domain.KeyColumn
	// Values are the columns of numbers in the order of the files.
	Values []Column
	// Uniform is true if all noisy values have the same standard deviation and interval half-width.
	Uniform bool
	// Places are the coordinates of the cells; nil if the cells are not points.
	Places *pipeline.Places
}

// Column is a column of numbers; NaN means no value.
type Column struct {
	Name   string
	Values query.Series
}

// The names of columns that every answer has.
const (
	noisyColumn    = "noisy"
	estimateColumn = "estimate"
)

// tablesOf returns the tables of a query's result: its answer, and the tables computed from it.
func tablesOf(r *pipeline.Result) []*Table {
	tables := []*Table{tableOf(r.Name, "", &r.Answer)}
	tables[0].Sparse, tables[0].Places = r.Sparse, r.Places
	for i := range r.Answer.Readings {
		x := &r.Answer.Readings[i]
		tables = append(tables, tableOf(r.Name, x.Name, &x.Answer))
	}
	return tables
}

func tableOf(query, holds string, a *query.Answer) *Table {
	t := &Table{Query: query, Holds: holds, Cells: a.Cells, Keys: a.Keys}
	for _, c := range []Column{
		{noisyColumn, a.Noisy}, {estimateColumn, a.Estimate}, {"standard_deviation", a.Sigma}, {"ci95_low",
			a.Low}, {"ci95_high", a.High},
	} {
		if c.Values != nil {
			t.Values = append(t.Values, c)
		}
	}
	for _, e := range a.Extra {
		t.Values = append(t.Values, Column(e))
	}
	t.Uniform = a.Noisy != nil && len(a.Extra) == 0 && uniform(a.Sigma, a.Cells)
	return t
}

func (t *Table) column(name string) query.Series {
	i := slices.IndexFunc(t.Values, func(c Column) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return t.Values[i].Values
}

// block is the number of cells that are read at a time.
const block = 1 << 16

// choose returns the numbers of the cells of a table that the page shows, ascending, and the number of rows in the
// whole table. If the table has more than limit rows, these are the cells of the limit rows with the largest estimates.
func (t *Table) choose(limit int) (cells []int, rows int) {
	if !t.Sparse && t.Cells <= limit {
		all := make([]int, t.Cells)
		for i := range all {
			all[i] = i
		}
		return all, t.Cells
	}
	type cell struct {
		at    int
		value float64
	}
	var kept []cell
	least := math.Inf(-1)
	largest := func(a, b cell) int { return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.at, b.at)) }
	estimate, values := t.column(estimateColumn), make([]float64, min(block, t.Cells))
	for start := 0; start < t.Cells; start += block {
		values = values[:min(block, t.Cells-start)]
		estimate(start, values)
		for i, x := range values {
			if t.Sparse && x == 0 {
				continue
			}
			if rows++; x <= least {
				continue
			}
			if kept = append(kept, cell{start + i, x}); len(kept) >= 2*limit {
				slices.SortFunc(kept, largest)
				kept, least = kept[:limit], kept[limit-1].value
			}
		}
	}
	slices.SortFunc(kept, largest)
	for _, c := range kept[:min(limit, len(kept))] {
		cells = append(cells, c.at)
	}
	slices.Sort(cells)
	return cells, rows
}

// read returns the values of some cells, whose numbers are ascending. Cells that are close together are read at once.
func read(s query.Series, cells []int) []float64 {
	if len(cells) == 0 {
		return nil
	}
	out, buffer := make([]float64, 0, len(cells)), make([]float64, min(block, cells[len(cells)-1]-cells[0]+1))
	for i := 0; i < len(cells); {
		j := i
		for j < len(cells) && cells[j]-cells[i] < block {
			j++
		}
		values := buffer[:cells[j-1]-cells[i]+1]
		s(cells[i], values)
		for _, c := range cells[i:j] {
			out = append(out, values[c-cells[i]])
		}
		i = j
	}
	return out
}

// pageTable is a table in the page's data.
type pageTable struct {
	Keys   []pageKey    `json:"keys"`
	Values []pageColumn `json:"values"`
	// Around is true if every interval is the noisy value plus or minus the same half-width, up to rounding.
	Around bool `json:"around,omitempty"`
	Rows   int  `json:"rows"`
	Shown  int  `json:"shown"`
}

// pageKey is a key column in the page's data: row i has the label Labels[Codes[i]].
type pageKey struct {
	Name    string   `json:"name"`
	Labels  []string `json:"labels"`
	Codes   []int    `json:"codes"`
	Numeric bool     `json:"numeric"`
	// Ordered is true if rows should be sorted by their codes, not by their labels.
	Ordered bool `json:"ordered,omitempty"`
}

type pageColumn struct {
	Name string    `json:"name"`
	Data []decimal `json:"data"`
}

// decimal is a number that is written as JSON with a given number of significant digits; NaN and infinities become
// null.
type decimal struct {
	value  float64
	digits int // number of significant digits; -1 for as many as needed
}

func (d decimal) MarshalJSON() ([]byte, error) {
	if math.IsNaN(d.value) || math.IsInf(d.value, 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, d.value, 'g', d.digits, 64), nil
}

// Significant digits of numbers in large tables of the page. The release's files have all digits.
const (
	fewDigits  = 7
	largeTable = 4000
)

// page returns the table with at most limit rows, for the page's data, and the numbers of the cells that remain.
func (t *Table) page(limit int) (*pageTable, []int) {
	cells, rows := t.choose(limit)
	p := &pageTable{Keys: []pageKey{}, Rows: rows, Shown: len(cells)}
	digits := -1
	if len(cells) > largeTable {
		digits = fewDigits
	}
	for _, k := range t.Keys {
		p.Keys = append(p.Keys, keyOf(k, cells))
	}
	for _, c := range t.Values {
		if t.Uniform && c.Name == "standard_deviation" {
			continue
		}
		column := pageColumn{Name: c.Name, Data: []decimal{}}
		for _, x := range read(c.Values, cells) {
			column.Data = append(column.Data, decimal{x, digits})
		}
		p.Values = append(p.Values, column)
	}
	p.Around = t.Uniform && len(cells) > 0
	return p, cells
}

// keyOf returns a key column for some cells. It keeps only the labels that occur, in their order in the domain.
func keyOf(k domain.KeyColumn, cells []int) pageKey {
	labels := k.Labels.Texts()
	out := pageKey{Name: shown(k.Name), Labels: []string{}, Codes: make([]int, len(cells)),
		Numeric: len(k.Labels.Strings) == 0}
	code := map[string]int{}
	used := make([]bool, len(labels))
	for _, c := range cells {
		used[(c/k.Stride)%len(labels)] = true
	}
	for i, text := range labels {
		if _, known := code[text]; used[i] && !known {
			code[text] = len(out.Labels)
			out.Labels = append(out.Labels, shown(text))
		}
	}
	for i, c := range cells {
		out.Codes[i] = code[labels[(c/k.Stride)%len(labels)]]
	}
	if !out.Numeric {
		out.Numeric = len(labels) > 0 && !slices.ContainsFunc(labels, func(s string) bool {
			_, err := strconv.ParseFloat(s, 64)
			return err != nil
		})
	}
	return out
}

const byteOrderMark = 0xFEFF

// longest is the maximum length of a label on the page, in characters.
const longest = 120

// shown returns a text of the release as the page shows it: shortened to longest, and with control characters escaped,
// including those that change the direction of writing.
func shown(s string) string { return escaped(s, longest) }

// escaped is [shown] with a maximum length of maxChars.
func escaped(s string, maxChars int) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > maxChars {
			b.WriteString("…")
			break
		}
		switch {
		case r == utf8.RuneError, unicode.Is(unicode.Bidi_Control, r), unicode.IsControl(r), unicode.Is(unicode.Zl,
			r), unicode.Is(unicode.Zp, r), r == byteOrderMark:
			fmt.Fprintf(&b, "[U+%04X]", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// uniform reports whether all n values of a series are equal. It compares only the first and the last 65 536 values.
// That suffices, because only shorter series of a release have different values.
func uniform(s query.Series, n int) bool {
	if s == nil || n == 0 {
		return n == 0
	}
	values := make([]float64, min(n, 2*block))
	half := (len(values) + 1) / 2
	s(0, values[:half])
	s(n-(len(values)-half), values[half:])
	for _, x := range values {
		if x != values[0] {
			return false
		}
	}
	return true
}
