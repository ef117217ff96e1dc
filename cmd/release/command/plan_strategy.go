package command

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries/kinds"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/queries/strategy"
)

// plannedPart is one mechanism of a query whose tables are computed from several mechanisms.
type plannedPart struct {
	Name        string  `json:"name"`
	Cells       int     `json:"cells"`
	Sensitivity float64 `json:"sensitivity"`
	Why         string  `json:"why"`
	Sigma       float64 `json:"sigma"`
	Mu          float64 `json:"mu"`
}

func plannedParts(q *pipeline.Planned) []plannedPart {
	if q.Strategy == nil {
		return nil
	}
	var out []plannedPart
	for i, m := range q.Mechanisms {
		c := &q.Components[i]
		out = append(out, plannedPart{Name: c.Name, Cells: c.Cells, Sensitivity: m.Sens.L2, Why: m.Sens.Why,
			Sigma: float64(m.Sigma), Mu: float64(m.Mu())})
	}
	return out
}

// strategyText shows how the tables of a query share their noise, the errors of other strategies, and the error of
// each table.
func strategyText(q *pipeline.Planned) string {
	s := q.Strategy
	if s == nil {
		return ""
	}
	bound := ""
	if s.Bound > 0 {
		bound = "; no Gaussian noise of this mu has less than " + spelling.Down(s.Bound, 5)
	}
	tables := [][]string{{"table", "cells", "standard deviation", "95 % ±"}}
	for _, t := range s.Tables {
		name := q.Query.Name() + "." + t.Name
		if q.Kind == query.Histogram && t.Name == "cells" { // the query's own table
			name = q.Query.Name()
		}
		tables = append(tables, []string{name, spelling.Integer(t.Cells), spelling.Up(t.Deviation, 5),
			spelling.Up(calibrate.Z95*t.Deviation, 5)})
	}
	return console.Fill("\n%s: the way with the least %s is taken%s\n", q.Query.Name(), lossWords(s.Loss), bound) +
		console.Aligned(waysOf(s)) + componentsText(q) + "\n" + console.Aligned(tables) + knownText(s) + adjustedText(q) +
		sumsText(q)
}

// adjusted holds bounds on the error of crosstabs' estimates that are made non-negative or integers, in standard
// deviations of the noisy values. They bound the bias of one-way marginals, the bias and error of cells almost without
// rows, the error of other cells, and the bias of large cells beside many empty ones.
type adjusted struct {
	MarginBias     float64 `json:"margin_bias_at_most"`
	RareValueBias  float64 `json:"bias_of_values_almost_without_rows_at_most"`
	EmptyCellError float64 `json:"error_of_cells_without_rows_at_most"`
	FullCellError  float64 `json:"error_of_other_cells_at_most"`
	LargeCellBias  float64 `json:"bias_of_large_cells_per_root_of_values_at_most"`
}

func adjustedOf(q *pipeline.Planned) *adjusted {
	if !q.Adjusts() || q.Strategy.Name == query.StrategyNested {
		return nil
	}
	return &adjusted{query.MarginBias, query.RareValueBias, query.EmptyCellError, query.FullCellError, query.LargeCellBias}
}

// knownText lists the levels with public totals, and their files.
func knownText(s *query.Strategy) string {
	if len(s.Known) == 0 {
		return ""
	}
	return console.Fill("the totals of %s are public: they come from the job's files, not from the private table, and "+
		"are published without noise\n", strings.Join(s.Known, " and "))
}

// adjustedText describes the largest error, whatever the data, of estimates that are made non-negative or integers.
func adjustedText(q *pipeline.Planned) string {
	if !q.Adjusts() {
		return ""
	}
	if q.Strategy.Name == query.StrategyNested {
		return "estimates: made from the first level down, so that all levels keep one total; cells near 0 are too " +
			"large on average and others of their group too small\n"
	}
	return console.Fill("estimates: the total stays as it is measured, but for rounding; each margin by one column has "+
		"a bias below %.2g of its standard deviation, unless values of the column have almost no rows: these are too large "+
		"by up to %.2g each, and the others too small by as much as all of these together; cells without rows have at most "+
		"%.2g of the noise's error, other cells at most %.2g of it; a large cell beside many without rows is too small, by "+
		"up to %.2g times the root of the number of values of a column\n",
		query.MarginBias, query.RareValueBias, query.EmptyCellError, query.FullCellError, query.LargeCellBias)
}

// lossWords returns words for the error that the strategy minimizes.
func lossWords(loss strategy.Loss) string {
	switch loss {
	case kinds.LossSums:
		return "error of the sums below the edges"
	case strategy.LossTables:
		return "error of a table"
	case strategy.LossLargest:
		return "largest error"
	default:
		return "error of the cells"
	}
}

// treeOf is the beginning of the names of tree strategies, which differ in the number of children of a node.
const treeOf = "tree of "

// whatIsNoised describes, for each strategy, to which numbers noise is added.
var whatIsNoised = map[string]string{
	"levels":                         "the cells of every level; all levels are computed from these, and add up",
	"the last level alone, added up": "each cell of the last level", "each level alone, equal noise": "each cell of " +
		"each level",
	"each level alone, best noise": "each cell of each level, as much as is best",
	"residuals":                    "what each table adds to its margins; all tables are computed from these, and agree",
	"cells":                        "each cell, by itself", "shared": "each cell less a part of the number of units, " +
		"and that number",
	"prefix": "weighted sums of the cells from the first on", "tree": "sums of neighbouring cells, and sums of these, " +
		"up to the whole",
	"a table of all dimensions, added up": "each cell of the one large table", "each table alone, equal noise": "each " +
		"cell of each table",
	"each table alone, best noise": "each cell of each table, as much as is best", "each table with noise, " +
		"averaged": "each cell of each table; then all tables are made to agree",
}

// waysOf returns a table that compares strategies: first the chosen one, then the others by increasing error. The error
// of the chosen strategy includes the rounding of its noise; the others' errors do not.
func waysOf(s *query.Strategy) [][]string {
	others := slices.Clone(s.Others)
	slices.SortStableFunc(others, func(a, b strategy.Candidate) int { return cmp.Compare(a.Error, b.Error) })
	taken := s.Name
	if i := slices.IndexFunc(others, func(c strategy.Candidate) bool {
		return strings.HasPrefix(c.Name,
			treeOf)
	}); i >= 0 && s.Name == "tree" {
		taken = others[i].Name
	}
	rows := [][]string{{"way", "root mean square error", "what noise is added to"}}
	add := func(name, mark string, err float64) {
		way, _, _ := strings.Cut(name, " of ")
		what, ok := whatIsNoised[name]
		if !ok {
			what = whatIsNoised[way]
		}
		rows = append(rows, []string{name + mark, spelling.Up(err, 4), what})
	}
	add(taken, " (taken)", s.Error)
	for _, c := range others {
		if c.Name != taken {
			add(c.Name, "", c.Error)
		}
	}
	return rows
}

// maxComponents is the maximum number of components that a plan prints. JSON has all of them.
const maxComponents = 8

// componentsText describes each component of a strategy, if they are few.
func componentsText(q *pipeline.Planned) string {
	if len(q.Mechanisms) < 2 || len(q.Mechanisms) > maxComponents {
		return ""
	}
	rows := [][]string{{"component", "numbers", "sensitivity", "sigma", "because"}}
	for _, c := range plannedParts(q) {
		rows = append(rows, []string{c.Name, spelling.Integer(c.Cells), spelling.Short(c.Sensitivity, 6),
			spelling.Down(c.Sigma, 6), c.Why})
	}
	return "\n" + console.Aligned(rows)
}

// sumsText describes how the errors of cells with common noise add up.
func sumsText(q *pipeline.Planned) string {
	s := q.Strategy.Sums
	if s == nil {
		return ""
	}
	n := q.Query.Cells()
	return console.Fill("its cells share noise: the sum of all %s has the standard deviation %s, the sum of k cells "+
		"sqrt(%s·k + %s·k²), the difference of two %s\n",
		spelling.Count(n, "cell"), spelling.Up(s.Deviation(n), 5), spelling.Up(s.Each, 5),
		spelling.Up(s.Common, 5), spelling.Up(math.Sqrt(2*s.Each), 5))
}
