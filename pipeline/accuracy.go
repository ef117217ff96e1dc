package pipeline

import (
	"math"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/queries/query"
)

// The planned accuracy of queries: sigma, standard deviation and half-width, known before any row is read. The
// published intervals are computed from noisy values in queries/kinds (answercolumns.go, ratio.go, variance.go,
// quantiles.go).

// HalfWidth returns the planned half-width of the 95 % interval of a published cell. If perRow is set, the query is a
// mean or a variance over a private number n of rows. Then the half-width is at most half/n, if n is well above the
// noise of the count.
func (q *Planned) HalfWidth() (half float64, perRow bool) {
	if q.Strategy != nil {
		return calibrate.Z95 * q.Deviation(), false
	}
	if half, ok := q.Query.HalfWidth(q.Mechanisms); ok {
		return half, true
	}
	if m := q.Mechanisms[0]; m.Noise != calibrate.Gaussian {
		return q.scaled(m.HalfWidth()), false
	}
	return calibrate.Z95 * q.Deviation(), false
}

// describe sets the query's strategy: how the published tables are computed from the noisy components.
func (q *Planned) describe(adj query.Adjacency) error {
	s, ok := q.Query.(query.Strategic)
	if !ok {
		return nil
	}
	described, err := s.Strategy(adj, q.Mechanisms)
	q.Strategy = &described
	return err
}

// Deviation returns the standard deviation of the published noisy values of the query's first component. If a strategy
// computes tables from the components, Deviation returns the largest deviation of a cell in any table.
func (q *Planned) Deviation() float64 {
	if q.Strategy != nil {
		largest := 0.0
		for _, t := range q.Strategy.Tables {
			largest = max(largest, t.Deviation)
		}
		return largest
	}
	return q.scaled(q.Mechanisms[0].Deviation())
}

// Sensitivity returns the L2 sensitivity of the query's answer; the L1 sensitivity if the noise is not Gaussian. If the
// query has several components, such as a sum and a count, it is the first component's.
func (q *Planned) Sensitivity() calibrate.Sensitivity {
	s := q.Mechanisms[0].Sens
	s.L2 = q.scaled(s.L2)
	return s
}

// Sigma returns the standard deviation of the noise in the query's answer. If the query has several components, such as
// a sum and a count, it is the first component's.
func (q *Planned) Sigma() float64 {
	if q.Mechanisms[0].Noise != calibrate.Gaussian {
		return q.scaled(q.Mechanisms[0].Deviation())
	}
	return q.scaled(float64(q.Mechanisms[0].Sigma))
}

// scaled converts x from the unit of the first component to the unit of the answer. The units differ for a mean over a
// public number of rows n, whose component is the sum and whose answer is the sum divided by n.
func (q *Planned) scaled(x float64) float64 {
	if q.Components[0].Scale == 1 {
		return x
	}
	return math.Nextafter(x*q.Components[0].Scale, math.Inf(1))
}
