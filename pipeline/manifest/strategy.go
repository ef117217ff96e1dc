package manifest

import (
	"errors"
	"math"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/queries/query"
)

// StrategyOf converts a query's strategy to its form in the manifest.
func StrategyOf(s *query.Strategy) *Strategy {
	m := &Strategy{Name: s.Name, Optimize: string(s.Loss), RMSE: s.Error, LowerBound: s.Bound, Others: []Candidate{}}
	for _, c := range s.Others {
		m.Others = append(m.Others, Candidate{Name: c.Name, RMSE: c.Error})
	}
	for _, t := range s.Tables {
		m.Tables = append(m.Tables, Table{Name: t.Name, By: t.By, Cells: t.Cells, StandardDeviation: t.Deviation,
			Factors: t.Factors})
	}
	if s.Sums != nil {
		m.SumsOfCells = &SumsOfCells{Each: s.Sums.Each, Common: s.Sums.Common}
	}
	return m
}

// largest returns the largest standard deviation of a noisy cell in any table of the strategy.
func (s *Strategy) largest() float64 {
	largest := 0.0
	for _, t := range s.Tables {
		largest = max(largest, t.StandardDeviation)
	}
	return largest
}

// commonNoise is the name of the strategy in which all cells have some noise in common. Only this strategy has
// SumsOfCells.
const commonNoise = "shared"

// tablesFollow returns an error unless the standard deviations of the query's tables, and its half-width, follow from
// its mechanisms and the factors.
func (q *Query) tablesFollow() error {
	for _, t := range q.Strategy.Tables {
		if len(t.Factors) == 0 {
			continue
		}
		variance, known := 0.0, 0
		for _, m := range q.Mechanisms {
			if f, ok := t.Factors[m.Component]; ok {
				variance += f * (m.StandardDeviation * m.StandardDeviation)
				known++
			}
		}
		if known != len(t.Factors) || !(math.Abs(math.Sqrt(variance)-t.StandardDeviation) <= 1e-12*t.StandardDeviation) {
			return errors.New(q.Name + ": the standard deviation of its table " + t.Name +
				" does not follow from its mechanisms")
		}
	}
	if s := q.Strategy.SumsOfCells; (s != nil) != (q.Strategy.Name == commonNoise) || s != nil && !q.sumsFollow(s) {
		return errors.New(q.Name + ": how the errors of its cells add up does not follow from its mechanisms")
	}
	if h := q.HalfWidth; h == nil || *h != calibrate.Z95*q.Strategy.largest() || q.OverRows {
		return errors.New(q.Name + ": its half-width does not follow from its tables")
	}
	return nil
}

// sumsFollow reports whether SumsOfCells follows from the mechanisms: the variance of each cell's own noise from the
// first mechanism, and the variance of the common noise from the second mechanism and its factor. There must be one
// table, of all cells.
func (q *Query) sumsFollow(s *SumsOfCells) bool {
	if len(q.Mechanisms) != 2 || len(q.Strategy.Tables) != 1 {
		return false
	}
	if t := &q.Strategy.Tables[0]; t.Cells != q.Cells || t.StandardDeviation != q.Strategy.RMSE {
		return false
	}
	follows := func(stated float64, m *Mechanism) bool {
		want := q.Strategy.Tables[0].Factors[m.Component] * (m.StandardDeviation * m.StandardDeviation)
		return math.Abs(stated-want) <= 1e-12*want
	}
	return follows(s.Each, &q.Mechanisms[0]) && follows(s.Common, &q.Mechanisms[1])
}
