package command

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/sqlpush"
	"github.com/dprelease/dprelease/queries/kinds"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/report"
	"github.com/dprelease/dprelease/report/picture"
)

// worth compares a plan's cost and noise with other ways to spend the budget, and with other epsilons.
type worth struct {
	// Basic is the epsilon of the same noise under basic composition: the sum of the mechanisms' epsilons, each at an
	// equal part of delta. It is 0 if it is not known.
	Basic float64 `json:"epsilon_by_basic_composition,omitempty"`
	// Curve holds the accuracy at other epsilons, with the same delta, the same split over queries and the same bounds.
	Curve []worthAt `json:"curve"`
}

// worthAt is the noise at another epsilon, relative to the plan's noise.
type worthAt struct {
	Epsilon float64 `json:"epsilon"`
	Noise   float64 `json:"noise_relative"`
}

// curveSteps are the epsilons of the curve, as multiples of the plan's epsilon.
var curveSteps = []float64{0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10}

func worthOf(p *pipeline.Plan) worth {
	var w worth
	g := p.Guarantee()
	g.Delta -= calibrate.Delta(p.FailureShare())
	ms := p.Mechanisms()
	for _, m := range ms {
		eps, err := calibrate.GaussianEpsilon(g.Delta/calibrate.Delta(len(ms)), m.Mu())
		if err != nil {
			w.Basic = 0
			break
		}
		w.Basic += float64(eps)
	}
	for _, step := range curveSteps {
		at := g
		at.Epsilon = calibrate.Epsilon(step * float64(g.Epsilon))
		if g.Delta == 0 {
			w.Curve = append(w.Curve, worthAt{float64(at.Epsilon), 1 / step})
		} else if mu, err := calibrate.GaussianMu(at); err == nil && mu > 0 && p.Mu() > 0 {
			w.Curve = append(w.Curve, worthAt{float64(at.Epsilon), float64(p.Mu() / mu)})
		}
	}
	return w
}

// noiseThreshold returns the noise threshold of a count: the value that no noisy count exceeds with 95 % probability if
// all exact counts are 0. It returns 0 for other queries.
func noiseThreshold(q *pipeline.Planned) float64 {
	if q.Kind != "count" && q.Kind != query.OverBound && q.Kind != "histogram" || q.Selection != nil || q.Search != nil &&
		q.Search.Result == nil {
		return 0
	}
	if m := q.Mechanisms[0]; m.Noise != calibrate.Gaussian {
		return report.NoiseThresholdOf(m, q.Query.Cells())
	}
	deviation := q.Deviation()
	if q.Strategy != nil {
		deviation = q.Strategy.Cell
	}
	return report.NoiseThreshold(deviation, q.Query.Cells())
}

// worthText states what this program's composition saves over basic composition, and the noise thresholds of counts.
func worthText(p *pipeline.Plan) (text string) {
	w := worthOf(p)
	if w.Basic > 0 && len(p.Mechanisms()) > 1 {
		text = console.Fill("\nby basic composition the same noise would cost epsilon %s\n", spelling.Up(w.Basic, 4))
	}
	for _, size := range effectiveSizes(p) {
		text += size + "\n"
	}
	var names, counts []string // names and counts of queries whose cells of few rows should be left empty
	for i, q := range p.Queries() {
		if x := noiseThreshold(&q); x > 0 {
			text += console.Fill("%s: counts up to %s can be noise alone\n", q.Query.Name(), spelling.Up(x, 4))
		}
		if n := p.ProposedMinCount(i); n > 0 {
			names, counts = append(names, q.Query.Name()), append(counts, strconv.Itoa(n))
		}
	}
	if len(names) == 0 {
		return text
	}
	each := ""
	if len(names) > 1 {
		each = ", in the same order"
	}
	if len(slices.Compact(slices.Clone(counts))) == 1 {
		counts, each = counts[:1], ""
	}
	return text + console.Fill("%s: the interval of a group of few rows covers most of the range; to leave such groups "+
		"empty, add publish: {min_count: %s}%s\n", strings.Join(names, ", "), strings.Join(counts, ", "), each)
}

// sampleText proposes sample_by for queries of which one statement of the database could then answer all; "" if there
// are none.
func sampleText(p *pipeline.Plan) (text string) {
	job := p.Job()
	if job.Input.SQL == nil || sqlpush.Choose(p).Local {
		return ""
	}
	var alike [][]string // the names of queries with the same filter and bound
	index := map[string]int{}
	for i, q := range p.Queries() {
		jq := &job.Queries[i]
		b := job.Bounds(jq)
		byRows := b.MaxRows > 0 && b.MaxGroups == 0 && b.MaxRowsPerGroup == 0 && len(b.SampleBy) == 0
		if !byRows || jq.CountsUnits() || q.Selection != nil || q.Kind == query.Crosstab || !sqlpush.ChoosesRows(p, &q) {
			continue
		}
		key := fmt.Sprint(b.MaxRows, q.FilterKey())
		if _, known := index[key]; !known {
			index[key] = len(alike)
			alike = append(alike, nil)
		}
		alike[index[key]] = append(alike[index[key]], jq.Name)
	}
	for _, names := range alike {
		if len(names) > 1 {
			text += console.Fill("%s: the database chooses the rows of each unit again for each query. With per_unit: "+
				"{sample_by: [COLUMNS]}, columns in which no two rows of a unit are alike, it chooses them once for all. Other "+
				"rows then count, and rows that a query cannot use take up places: decide before the first release\n",
				strings.Join(names, ", "))
		}
	}
	return text
}

// effectiveSizes describe Kish's effective number of rows for the weights of a plan's queries: the square of the sum of
// weights divided by the sum of their squares, which is the number of equal rows with the same accuracy. For weights in
// [low, high] it is at least 4·low·high/(low + high)² of the rows (Pólya and Szegő 1925), which is public.
func effectiveSizes(p *pipeline.Plan) (texts []string) {
	for _, q := range p.Queries() {
		low, high, ok := kinds.Weights(q.Query)
		if !ok {
			continue
		}
		text := fmt.Sprintf("weights in [%s, %s]: the effective sample size (Kish) is at least %.3g %% of the rows",
			spelling.Short(low, 4), spelling.Short(high, 4), 100*4*low/high/(1+low/high)/(1+low/high))
		if low == 0 {
			text = fmt.Sprintf("weights in [0, %s]: a lower end above 0 would bound the effective sample size (Kish)",
				spelling.Short(high, 4))
		}
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return texts
}

// planFigure draws a plan: each query's fraction of the budget and its half-width, and the noise at other epsilons.
func planFigure(p *pipeline.Plan) *picture.Figure {
	shares := picture.RowMarks{Style: picture.Style{Color: picture.Blue, Fill: picture.Full}}
	rows := picture.Rows{Title: "Share of the budget, and 95 % ± of a noisy value",
		X: picture.Axis{Label: "% " + strings.TrimPrefix(sharedOut(p), "share ")}}
	for i := range p.Queries() {
		q := &p.Queries()[i]
		rows.Names = append(rows.Names, q.Query.Name()+": ± "+halfWidth(q))
		shares.Values = append(shares.Values, 100*budgetShare(p, q))
	}
	rows.Marks = []picture.RowMarks{shares}
	curve := picture.Line{Style: picture.Style{Color: picture.Blue, Line: picture.Solid}}
	for _, w := range worthOf(p).Curve {
		if w.Epsilon <= maxDrawn*float64(p.Guarantee().Epsilon) && w.Epsilon >= minDrawn*float64(p.Guarantee().Epsilon) {
			curve.X, curve.Y = append(curve.X, w.Epsilon), append(curve.Y, w.Noise)
		}
	}
	return &picture.Figure{
		Title: fmt.Sprintf("%s: epsilon %s, delta %s", p.Name(), p.Job().Privacy.Epsilon, p.Job().Privacy.Delta),
		Panels: []picture.Panel{rows, picture.Chart{Title: "Noise at other epsilons", X: picture.Axis{Label: "epsilon"},
			Y: picture.Axis{Label: "noise, this plan = 1", Zero: true}, Lines: []picture.Line{curve}}},
		Width: 13, Height: max(7, 2+0.6*float64(len(rows.Names))),
	}
}

// The range of epsilons that is drawn, in multiples of the plan's epsilon.
const (
	minDrawn = 0.2
	maxDrawn = 5
)
