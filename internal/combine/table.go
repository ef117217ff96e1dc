package combine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/kinds"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/queries/strategy"
)

// Table is a published table with the variances of the noise in its cells, so that its cells can be added up.
type Table struct {
	Rows int
	// Keys are the key columns, with a label for each row.
	Keys []domain.KeyColumn

	origin           string // SHA-256 of the manifest of the release that drew the noise, if known
	rerendered       bool   // the release repeats the noisy values of another one
	query            string
	drawn            []float64 // all noisy values of the query
	noisy, deviation []float64
	withheld         []float64 // 1 for a cell that the publish rules left empty, else 0; nil if there is none
	common           float64   // the variance of the noise that all cells have in common
	heavy            bool      // the noise is not Gaussian
	step             float64   // geometric noise is a multiple of step; 0 for other noise
	margins          *margins  // nil if the table is not a marginal
	levels           *levels   // nil if the table is not a nested level
}

// margins locates a table among the marginals of a query: tables that sum out some of its dimensions.
type margins struct {
	all       *strategy.Marginals
	table     strategy.Set
	names     []string // the names of the noisy components (residuals)
	variances []float64
}

// Open reads a table of the release in dir: the answer of query q if holds is "", otherwise the further table named
// holds that was computed from the query's noisy values. digest is the SHA-256 of the manifest. It returns an error if
// the covariances of the cells' noise are not known. Errors: *pipeline.Error.
func Open(ctx context.Context, dir, digest string, m *manifest.Manifest, q *manifest.Query, holds string) (*Table,
	error) {
	if why := q.WhyNoSum(holds); why != "" {
		return nil, &pipeline.Error{Cause: pipeline.CauseJob, Code: "not-a-sum",
			Message: fmt.Sprintf("cells of %s cannot be added up: %s", tableName(q, holds), why)}
	}
	read, err := sink.ReadTable(ctx, dir, q, holds)
	if err != nil {
		return nil, pipeline.OutputError(err)
	}
	t := &Table{Rows: read.Rows, Keys: read.Keys, origin: cmp.Or(m.MadeFrom, digest), rerendered: m.MadeFrom != "",
		query: q.Name}
	for i, name := range read.Names {
		switch name {
		case "noisy":
			t.noisy = read.Values[i]
		case "standard_deviation":
			t.deviation = read.Values[i]
		case "withheld":
			t.withheld = read.Values[i]
		}
	}
	for i := range q.Mechanisms {
		t.heavy = t.heavy || q.Mechanisms[i].Noise != manifest.Gaussian
	}
	t.step = q.GeometricStep()
	if q.Strategy != nil && q.Strategy.SumsOfCells != nil {
		t.common = q.Strategy.SumsOfCells.Common
		for i := range t.deviation {
			t.deviation[i] = math.Sqrt(q.Strategy.SumsOfCells.Each)
		}
	}
	if t.drawn = t.noisy; q.Kind == string(query.Crosstab) {
		if q.Strategy.Name == query.StrategyNested {
			t.levels, err = levelsOf(ctx, dir, m, q, holds)
		} else {
			t.margins, err = marginsOf(ctx, dir, q, holds, t)
		}
		if err != nil {
			return nil, err
		}
		coordinates, err := sink.ReadTable(ctx, dir, q, "")
		if err != nil {
			return nil, pipeline.OutputError(err)
		}
		t.drawn = coordinates.Values[0]
	}
	if len(t.noisy) != t.Rows || len(t.deviation) != t.Rows {
		return nil, pipeline.OutputError(pipeline.ErrIncomplete)
	}
	return t, nil
}

func tableName(q *manifest.Query, holds string) string {
	return strings.TrimSuffix(q.Name+"."+holds, ".")
}

// marginsOf locates the table named holds among the marginals of its query. The size of a dimension is the number of
// its labels in the tables.
func marginsOf(ctx context.Context, dir string, q *manifest.Query, holds string, t *Table) (*margins, error) {
	order := dimensionOrder(q.Strategy.Tables)
	if order == nil {
		return nil, pipeline.OutputError(pipeline.ErrIncomplete)
	}
	sizes := make([]int, len(order))
	var sets []strategy.Set
	var this strategy.Set
	for _, of := range q.Strategy.Tables {
		keys, rows := t.Keys, t.Rows
		if of.Name != holds {
			read, err := sink.ReadTable(ctx, dir, q, of.Name)
			if err != nil {
				return nil, pipeline.OutputError(err)
			}
			keys, rows = read.Keys, read.Rows
		}
		found := dimensionSizes(keys, rows, len(of.By))
		if found == nil {
			return nil, pipeline.OutputError(pipeline.ErrIncomplete)
		}
		set := strategy.Set(0)
		for i, name := range of.By {
			at := slices.Index(order, name)
			sizes[at] = found[i]
			set |= strategy.SetOf(at)
		}
		if sets = append(sets, set); of.Name == holds {
			this = set
		}
	}
	all, err := strategy.NewMarginals(sizes, sets)
	if err != nil || this == 0 {
		return nil, pipeline.OutputError(pipeline.ErrIncomplete)
	}
	m := &margins{all: all, table: this}
	for _, s := range all.Residuals() {
		var names []string
		for _, i := range s.Attributes() {
			names = append(names, order[i])
		}
		name := cmp.Or(strings.Join(names, "*"), kinds.ResidualOfAll)
		i := slices.IndexFunc(q.Mechanisms, func(m manifest.Mechanism) bool { return m.Component == name })
		if i < 0 {
			return nil, pipeline.OutputError(pipeline.ErrIncomplete)
		}
		sd := q.Mechanisms[i].StandardDeviation
		m.names, m.variances = append(m.names, name), append(m.variances, sd*sd)
	}
	return m, nil
}

// dimensionOrder returns the query's dimensions in order, reconstructed from the order within each of its tables; nil
// if the tables contradict each other.
func dimensionOrder(tables []manifest.Table) (order []string) {
	before := map[string][]string{} // before[d] lists the dimensions that some table has before dimension d
	for _, t := range tables {
		for i, name := range t.By {
			before[name] = append(before[name], t.By[:i]...)
		}
	}
	for len(before) > 0 {
		next := ""
		for _, name := range slices.Sorted(maps.Keys(before)) {
			if !slices.ContainsFunc(before[name], func(b string) bool { return !slices.Contains(order, b) }) {
				next = name
				break
			}
		}
		if next == "" {
			return nil // the tables contradict each other
		}
		order = append(order, next)
		delete(before, next)
	}
	return order
}

// dimensionSizes returns the number of values of each of n dimensions, from the label columns of a table with all
// cells, the last dimension varying fastest. A dimension has one column or several neighbouring ones, such as both ends
// of an interval. It returns nil if the rows are not in this order.
func dimensionSizes(keys []domain.KeyColumn, rows, n int) []int {
	columns := make([][]string, len(keys))
	for i := range keys {
		columns[i] = keys[i].Labels.Texts()
	}
	// find returns the sizes of the first n dimensions, whose labels are in the columns before end. A step of dimension
	// n − 1 is stride rows.
	var find func(end, n, stride int) []int
	find = func(end, n, stride int) []int {
		if n == 0 {
			if end == 0 && stride == rows {
				return []int{}
			}
			return nil
		}
		for first := end - 1; first >= n-1; first-- {
			if size := period(columns[first:end], rows, stride); size > 0 {
				if before := find(first, n-1, stride*size); before != nil {
					return append(before, size)
				}
			}
		}
		return nil
	}
	return find(len(columns), n, 1)
}

// period returns the number of steps, of stride rows each, after which the labels in columns repeat; 0 if they do not
// repeat.
func period(columns [][]string, rows, stride int) int {
	same := func(a, b int) bool {
		return !slices.ContainsFunc(columns, func(c []string) bool { return c[a] != c[b] })
	}
	size := 1
	for size*stride < rows && !same(size*stride, 0) {
		size++
	}
	for row := range rows {
		if !same(row, row/stride%size*stride) {
			return 0
		}
	}
	return size
}

// checkOrigins returns an error if two tables have the same noise but name different origins. This happens if a
// re-rendering was rendered again: the last rendering names the first re-rendering as its origin.
func checkOrigins(terms []Term) error {
	for i, a := range terms {
		for _, b := range terms[:i] {
			s, t := a.Table, b.Table
			if (s.rerendered || t.rerendered) && (s.origin != t.origin || s.query != t.query) && sameNoise(s.drawn, t.drawn) {
				return &pipeline.Error{Cause: pipeline.CauseJob, Code: "same-noise", Message: fmt.Sprintf("the noisy values of %s "+
					"and %s are the same: one release repeats the other", s.query, t.query), Hint: "name one of the two releases"}
			}
		}
	}
	return nil
}

// sameNoise reports whether two vectors of noisy values are equal, except for cells that a publish rule left empty.
func sameNoise(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	same := 0
	for i, x := range a {
		switch {
		case math.IsNaN(x) || math.IsNaN(b[i]):
		case x != b[i]:
			return false
		default:
			same++
		}
	}
	return same > 0
}

// check returns an error if the number of weights is wrong, or if a cell with a weight was left empty.
func (t *Table) check(weights []float64) error {
	if len(weights) != t.Rows {
		return fmt.Errorf("%d weights for %d rows", len(weights), t.Rows)
	}
	for i, w := range weights {
		switch {
		case w == 0:
		case math.IsNaN(w) || math.IsInf(w, 0):
			return errors.New("a weight is not a number")
		case math.IsNaN(t.noisy[i]) || t.withheld != nil && t.withheld[i] != 0:
			return &pipeline.Error{Cause: pipeline.CauseJob, Code: "withheld", Message: "the sum has cells that the job's " +
				"publish rule leaves empty", Hint: "leave them out by a condition, or exempt the query from the rule by publish: " +
				"{}"}
		}
	}
	return nil
}

// addTo adds the cells of the table, multiplied by weights, to f.
func (t *Table) addTo(f *form, weights []float64) {
	name := func(component string) partName { return partName{t.origin, t.query, component} }
	if m := t.margins; m != nil {
		for i, c := range m.all.Coefficients(m.table, weights) {
			if c != nil {
				f.add(name(m.names[i]), c, m.variances[i:i+1], t)
			}
		}
		return
	}
	if n := t.levels; n != nil {
		for l, c := range n.tree.Coefficients(n.level, weights, n.variances) {
			f.add(name(n.names[l]), c, n.variances[l:l+1], t)
		}
		return
	}
	variances := make([]float64, t.Rows)
	sum := 0.0
	for i, sd := range t.deviation {
		variances[i] = sd * sd
		sum += weights[i]
	}
	f.add(name("cells"), weights, variances, t)
	if t.common != 0 {
		f.add(name("common"), []float64{sum}, []float64{t.common}, t)
	}
}
