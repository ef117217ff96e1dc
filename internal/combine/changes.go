package combine

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/kinds"
)

// Changes between two releases
//
// The noise of two runs is independent, so the change of a cell and its interval follow from the two published values
// with their intervals. The interval of a difference a − b (Zou and Donner 2008) uses the distances of a and b to the
// ends of their own intervals [a₁, a₂] and [b₁, b₂]:
//
//	a − b − √((a − a₁)² + (b₂ − b)²)  to  a − b + √((a₂ − a)² + (b − b₁)²)
//
// For normal noise this is the usual interval of a difference of two normal variables. It also works for means, rates
// and quantiles, whose intervals are not symmetric. The relative change a/b − 1 of sums and counts has Fieller's
// interval, as [Ratio]; it is not stated if b could be noise alone.
//
// Source: G. Y. Zou, A. Donner, Construction of confidence limits about effect measures, Statistics in Medicine 27,
// 2008.

// Cells is a published table of a query: a number for each cell, with its 95 % interval.
type Cells struct {
	Keys             []domain.KeyColumn
	Value, Low, High []float64 // one number for each cell; NaN if a publish rule left the cell empty

	Relative bool // true for sums and counts: a change can be given in per cent

	origin     string
	rerendered bool
	deviation  []float64 // standard deviations of the noise; nil unless Relative
	heavy      bool
	step       float64
	times      float64 // the factor of a table of rates, such as 1000; 0 for other tables
}

// OpenCells reads a table of the release in dir: the answer of query q if holds is "", otherwise the further table
// named holds that was computed from the query's noisy values. Errors: *pipeline.Error.
func OpenCells(ctx context.Context, dir, digest string, m *manifest.Manifest, q *manifest.Query, holds string) (*Cells,
	error) {
	if q.Discovered() {
		return nil, &pipeline.Error{Cause: pipeline.CauseJob, Code: "not-a-sum", Message: "the keys of " + q.Name +
			" were selected by their noisy counts, so that keys that are in both releases have too small changes on average",
			Hint: "list the keys in the job"}
	}
	read, err := sink.ReadTable(ctx, dir, q, holds)
	if err != nil {
		return nil, pipeline.OutputError(err)
	}
	column := func(name string) []float64 {
		if i := slices.Index(read.Names, name); i >= 0 {
			return read.Values[i]
		}
		return nil
	}
	c := &Cells{Keys: read.Keys, Value: column("noisy"), Low: column("ci95_low"), High: column("ci95_high"),
		origin: cmp.Or(m.MadeFrom, digest), rerendered: m.MadeFrom != "", step: q.GeometricStep(),
		Relative: q.WhyNoSum(holds) == ""}
	if c.Value == nil {
		c.Value = column("estimate")
	}
	if c.Value == nil || c.Low == nil || c.High == nil {
		return nil, &pipeline.Error{Cause: pipeline.CauseJob, Code: "not-a-sum", Message: "the table " + tableName(q, holds) +
			" has no intervals", Hint: "name another table"}
	}
	if c.Relative {
		c.deviation = column("standard_deviation")
	}
	for i := range q.Rates {
		if q.Rates[i].Name == holds {
			c.times = q.Rates[i].Times
		}
	}
	for i := range q.Mechanisms {
		c.heavy = c.heavy || q.Mechanisms[i].Noise != manifest.Gaussian
	}
	return c, nil
}

// Change is the change of one cell. Numbers that are not stated are NaN.
type Change struct {
	Cell, Before int // rows in the later and earlier table; Before is -1 if the earlier lacks the cell
	Difference   Interval
	Percent      Interval // the change in per cent of the earlier value; NaN for means and other quotients
}

// Interval is a value and the ends of its 95 % interval.
type Interval struct{ Value, Low, High float64 }

var notStated = Interval{math.NaN(), math.NaN(), math.NaN()}

// unless returns the interval, or notStated if an end is NaN or more than maxHalfWidth away from the value. A
// maxHalfWidth of 0 is no limit.
func (i Interval) unless(maxHalfWidth float64) Interval {
	if wide := maxHalfWidth > 0 && max(i.High-i.Value, i.Value-i.Low) > maxHalfWidth; wide || math.IsNaN(i.Low) ||
		math.IsNaN(i.High) {
		return notStated
	}
	return i
}

// Changes returns the changes of cells from an earlier table to a later one, in the order of the later table. Cells
// with the same labels are the same cell. A change in per cent is not stated if an end of its interval is more than
// maxHalfWidth percentage points away; 0 is no limit. In a table without changes in per cent, the limit applies to the
// differences. Errors: *pipeline.Error.
func Changes(later, earlier *Cells, maxHalfWidth float64) ([]Change, error) {
	if later.origin == earlier.origin || (later.rerendered || earlier.rerendered) &&
		sameNoise(later.Value, earlier.Value) {
		return nil, &pipeline.Error{Cause: pipeline.CauseJob, Code: "same-noise",
			Message: "the noisy values of both releases are the same: one repeats the other",
			Hint:    "name a release of another run"}
	}
	if a, b := columnNames(later.Keys), columnNames(earlier.Keys); a != b {
		return nil, &pipeline.Error{Cause: pipeline.CauseJob, Code: "bad-cells", Message: "the tables have different key " +
			"columns: " + a +
			" and " + b, Hint: "compare tables of the same query"}
	}
	if later.times != earlier.times {
		return nil, &pipeline.Error{Cause: pipeline.CauseJob, Code: "bad-cells",
			Message: fmt.Sprintf("the tables' rates have different factors: rates.times is %g and %g", later.times,
				earlier.times),
			Hint: "compare tables whose rates have the same times"}
	}
	cells := map[string]int{}
	for i, label := range labelsOf(earlier) {
		cells[label] = i
	}
	labels := labelsOf(later)
	relative := later.Relative && earlier.Relative
	var out []Change
	for i, x := range later.Value {
		change := Change{Cell: i, Before: -1, Difference: notStated, Percent: notStated}
		if before, ok := cells[labels[i]]; ok {
			y := earlier.Value[before]
			change.Before = before
			change.Difference = Interval{x - y, x - y - math.Hypot(x-later.Low[i], earlier.High[before]-y),
				x - y + math.Hypot(later.High[i]-x, y-earlier.Low[before])}
			if relative {
				change.Difference = change.Difference.unless(0)
				change.Percent = percent(later, earlier, i, before).unless(maxHalfWidth)
			} else {
				change.Difference = change.Difference.unless(maxHalfWidth)
			}
		}
		out = append(out, change)
	}
	return out, nil
}

// percent returns the change of a cell in per cent of the earlier value.
func percent(later, earlier *Cells, at, before int) Interval {
	z := calibrate.Z95
	if later.heavy || earlier.heavy {
		z = kinds.HeavyZ95(3) // the quantile for one Laplace variable; a sum has lighter tails
	}
	n, d := later.Value[at], earlier.Value[before]
	sn, sd := later.deviation[at]+later.step/2/z, earlier.deviation[before]+earlier.step/2/z
	low, high, ok := kinds.Fieller(n, d, sn*sn, sd*sd, 0, z)
	if !ok || d <= 0 {
		return notStated
	}
	return Interval{100 * (n/d - 1), 100 * (low - 1), 100 * (high - 1)}
}

// labelsOf returns a text for each cell. The text joins the cell's labels, so that cells with equal labels have equal
// texts.
func labelsOf(c *Cells) []string {
	out := make([]string, len(c.Value))
	for i := range c.Keys {
		for cell, label := range c.Keys[i].Labels.Texts() {
			out[cell] += label + "\x00"
		}
	}
	return out
}
