package pipeline

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/io/store"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/kinds"
	"github.com/dprelease/dprelease/queries/query"
)

// Rates
//
// A rate divides the noisy cells of a query by the noisy cells of another query, whose noise is independent, or by
// public numbers. It is computed from published values. Its interval is Fieller's ([kinds.Fieller]), which covers the
// quotient of the exact bounded answers with its stated probability even if the denominator is small. For Laplace and
// geometric noise the program takes the quantile of a single Laplace variable, plus half a step for geometric noise.
// That is an upper bound, so the interval is slightly too wide.

// rate is a table of quotients: a query's cells divided by other numbers.
type rate struct {
	manifest.Rate
	// query is the index of the query whose cells are the divisors; −1 if the divisors are public numbers.
	query int
	// public[k] is the public divisor with index k; NaN if the file has none.
	public []float64
	// part returns the index of a cell's divisor: a cell of the other query, or an index of public.
	part func(cell int) int
}

// maxRated is the largest number of cells of a query with rates, since both its cells and the divisors are held in
// memory.
const maxRated = 1 << 22

// rates finds the divisors of all queries' rates.
func (b *builder) rates(p *Plan) {
	for i := range b.job.Queries {
		for k := range b.job.Queries[i].Rates {
			if p.queries[i].Query == nil {
				continue // the builder has reported it
			}
			r, path := &b.job.Queries[i].Rates[k], fmt.Sprintf("queries[%d].rates[%d]", i, k)
			if p.queries[i].Query.Cells() > maxRated {
				b.report(path, "too-many-cells", "a query of more than 2^22 cells cannot have rates", "remove rates")
				continue
			}
			out := rate{query: -1, Rate: manifest.Rate{Name: r.Name, Per: r.Per, File: store.WithoutQuery(r.File),
				Value: r.Value, Times: 1,
				MaxHalfWidth: b.number(r.MaxHalfWidth, path+".max_half_width")}}
			if r.Times != "" {
				out.Times = b.number(r.Times, path+".times")
			}
			ok := false
			if keys := keyColumns(&p.queries[i]); r.Per != "" {
				ok = b.perQuery(&out, keys, p, path)
			} else {
				ok = b.perFile(&out, r, keys, path)
			}
			if ok {
				p.queries[i].rates = append(p.queries[i].rates, out)
			}
		}
	}
}

// keyColumns returns the key columns of a query with listed cells.
func keyColumns(q *Planned) []domain.KeyColumn {
	if k, ok := q.Query.(interface{ KeyColumns() []domain.KeyColumn }); ok {
		return k.KeyColumns()
	}
	return nil
}

// perQuery finds the query whose cells are a rate's divisors.
func (b *builder) perQuery(r *rate, keys []domain.KeyColumn, p *Plan, path string) bool {
	r.query = slices.IndexFunc(p.queries, func(q Planned) bool { return q.Query != nil && q.Query.Name() == r.Per })
	if r.query < 0 {
		return false // the problem was reported already
	}
	of := keyColumns(&p.queries[r.query])
	strides := map[int]int{} // strides maps the stride of a dimension in this query to its stride in the other query
	sizes := map[int]int{}
	cells := 1
	for _, k := range of {
		at := slices.IndexFunc(keys, func(own domain.KeyColumn) bool {
			return own.Name == k.Name && slices.Equal(own.Labels.Texts(), k.Labels.Texts())
		})
		if at < 0 {
			b.report(path+".per", "contradiction", fmt.Sprintf("%s has cells by %s, and this query has no key column of that "+
				"name with the same labels", r.Per, k.Name), "divide by a query whose dimensions are some of this one's, with "+
				"the same cells")
			return false
		}
		if len(k.Labels.Texts()) == 1 {
			continue // skip a dimension of one cell, whose stride equals the next dimension's stride
		}
		if _, seen := strides[keys[at].Stride]; !seen {
			cells *= len(k.Labels.Texts())
		}
		strides[keys[at].Stride], sizes[keys[at].Stride] = k.Stride, len(k.Labels.Texts())
	}
	if cells != p.queries[r.query].Query.Cells() {
		b.report(path+".per", "contradiction", r.Per+" has other cells than this query",
			"divide by a query whose dimensions are "+
				"some of this one's, with the same cells")
		return false
	}
	r.part = partOfCell(strides, sizes)
	return true
}

// partOfCell returns a function that maps a cell of this query to the cell of another table that contains it. strides
// maps the stride of a common dimension in this query to its stride in the other table; sizes maps the same strides to
// the dimension's number of cells.
func partOfCell(strides, sizes map[int]int) func(int) int {
	return func(cell int) int {
		part := 0
		for own, other := range strides {
			part += cell / own % sizes[own] * other
		}
		return part
	}
}

// perFile reads the public divisors of a rate from a file. Each combination of labels of the rate's key columns has a
// divisor.
func (b *builder) perFile(r *rate, of *configs.Rate, keys []domain.KeyColumn, path string) bool {
	unread := b.unread
	b.presents = true
	defer func() { b.presents = false }()
	numbers := b.wholeColumn(of.File, of.Value, path+".value")
	strides, sizes := map[int]int{}, map[int]int{}
	var columns [][]string
	var codes []map[string]int
	parts := 1
	for i, name := range of.On {
		columns = append(columns, b.wholeColumn(of.File, name, fmt.Sprintf("%s.on[%d]", path, i)))
		at := slices.IndexFunc(keys, func(k domain.KeyColumn) bool { return k.Name == name })
		if at < 0 {
			b.report(fmt.Sprintf("%s.on[%d]", path, i), "unknown-column", fmt.Sprintf("the query has no key column %q", name),
				"name key columns of the release: "+strings.Join(keyNames(keys), ", "))
			return false
		}
		labels := keys[at].Labels.Texts()
		code := map[string]int{}
		for j, label := range labels {
			code[label] = j
		}
		if _, twice := strides[keys[at].Stride]; twice && len(labels) > 1 {
			b.report(path+".on", "duplicate", "two columns name the same dimension", "name one of the two ends of an interval")
			return false
		}
		if len(labels) > 1 { // skip a dimension of one cell, whose stride equals the next dimension's stride
			strides[keys[at].Stride], sizes[keys[at].Stride] = parts, len(labels)
		}
		codes = append(codes, code)
		parts *= len(labels)
	}
	if b.unread > unread {
		return false
	}
	bad := func(message, hint string) bool {
		b.report(path+".file", codePublicFile, message, hint)
		return false
	}
	for _, labels := range columns {
		if len(labels) != len(numbers) {
			return bad("its columns have different numbers of rows", "the columns of one table have the same rows")
		}
	}
	r.public = slices.Repeat([]float64{math.NaN()}, parts)
	found := false
	for row := range numbers {
		part, stride, known := 0, 1, true
		for i := range columns {
			code, ok := codes[i][columns[i][row]]
			known = known && ok
			part += code * stride
			stride *= len(codes[i])
		}
		if !known {
			continue // the query has no cell with these labels
		}
		x, err := strconv.ParseFloat(numbers[row], 64)
		switch {
		case err != nil || !(x > 0) || math.IsInf(x, 0):
			return bad(fmt.Sprintf("the value of row %d is not a number above 0", row+1), "leave out rows without a number")
		case !math.IsNaN(r.public[part]):
			return bad(fmt.Sprintf("row %d has the labels of another row", row+1), "a cell has one row")
		default:
			r.public[part], found = x, true
		}
	}
	if !found {
		return bad("no row has the labels of a cell", "labels are written as in the release: "+exampleLabels(keys, of.On))
	}
	r.part = partOfCell(strides, sizes)
	return true
}

func keyNames(keys []domain.KeyColumn) (names []string) {
	for _, k := range keys {
		names = append(names, k.Name)
	}
	return names
}

// exampleLabels returns some labels for a message: the first ones of the first key column that is in on.
func exampleLabels(keys []domain.KeyColumn, on []string) string {
	for i := range keys {
		if len(on) > 0 && keys[i].Name == on[0] {
			labels := keys[i].Labels.Texts()
			return strings.Join(labels[:min(len(labels), 3)], ", ")
		}
	}
	return ""
}

// withRates returns the answer of query i with its rates as additional tables. results are the answers after the
// publish rules: a cell that a rule withheld has no rate.
func (c *RunPlan) withRates(i int, results []Result) query.Answer {
	a := results[i].Answer
	a.Readings = slices.Clone(a.Readings)
	for k := range c.queries[i].rates {
		r := &c.queries[i].rates[k]
		z := calibrate.Z95
		below := func(cell int) (x, variance float64) { return r.public[r.part(cell)], 0 }
		if r.query >= 0 {
			of := &results[r.query].Answer
			noisy, deviations := readAll(of.Noisy, of.Cells), readAll(of.Sigma, of.Cells)
			below = func(cell int) (x, variance float64) {
				at := min(r.part(cell), of.Cells-1) // a rehearsal has only the first cells
				sd := deviations[at] + c.queries[r.query].latticeDeviation(z)
				return noisy[at], sd * sd
			}
			if c.queries[r.query].Mechanisms[0].Noise != calibrate.Gaussian {
				z = kinds.HeavyZ95(singleKurtosis)
			}
		}
		if c.queries[i].Mechanisms[0].Noise != calibrate.Gaussian {
			z = kinds.HeavyZ95(singleKurtosis)
		}
		a.Readings = append(a.Readings, query.Reading{Name: r.Name,
			Answer: r.answer(&results[i].Answer, c.queries[i].latticeDeviation(z), below, z)})
	}
	return a
}

// singleKurtosis is the excess kurtosis of one Laplace variable. A sum of several independent ones has a smaller
// kurtosis.
const singleKurtosis = 3

// latticeDeviation returns the amount to add to the standard deviation of geometric noise, so that an interval of z
// deviations is wider by half a step of the noise at each end. Without this amount the interval could be too narrow by
// up to half a step, because its width is a quantile of Laplace noise of the same variance. The amount is 0 for other
// noise.
func (q *Planned) latticeDeviation(z float64) float64 {
	m := q.Mechanisms[0]
	if m.Noise != calibrate.Geometric {
		return 0
	}
	return m.Grid * q.Components[0].Scale / 2 / z
}

// readAll reads a series into memory.
func readAll(s query.Series, cells int) []float64 {
	out := make([]float64, cells)
	s(0, out)
	return out
}

// answer returns a table of rates: the noisy cells of an answer divided by divisors. below returns the divisor of a
// cell and its variance. lattice is added to the standard deviations of the cells (see latticeDeviation). z is the
// interval's half-width in standard deviations.
func (r *rate) answer(of *query.Answer, lattice float64, below func(cell int) (x, variance float64),
	z float64) query.Answer {
	out := query.Answer{Cells: of.Cells, Keys: of.Keys}
	value, low, high := readAll(of.Noisy, of.Cells), make([]float64, of.Cells), make([]float64, of.Cells)
	deviations := readAll(of.Sigma, of.Cells)
	for cell, n := range value {
		d, variance := below(cell)
		sd := deviations[cell] + lattice
		from, to, ok := kinds.Fieller(n, d, sd*sd, variance, 0, z)
		q := n / d * r.Times
		from, to = from*r.Times, to*r.Times
		if wide := r.MaxHalfWidth > 0 && (to-from)/2 > r.MaxHalfWidth; !ok || wide || math.IsNaN(q) {
			q, from, to = math.NaN(), math.NaN(), math.NaN()
		}
		value[cell], low[cell], high[cell] = q, from, to
	}
	out.Estimate, out.Low, out.High = query.HeldSeries(value), query.HeldSeries(low), query.HeldSeries(high)
	return out
}
