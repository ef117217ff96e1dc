package manifest

import (
	"errors"
	"math"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/queries"
)

// StrategyOf states a query's strategy.
func StrategyOf(s *queries.Strategy) *Strategy {
	m := &Strategy{Name: s.Name, Optimize: string(s.Loss), RMSE: s.Error, LowerBound: s.Bound}
	for _, c := range s.Others {
		m.Others = append(m.Others, Candidate{Name: c.Name, RMSE: c.Error})
	}
	for _, t := range s.Tables {
		m.Tables = append(m.Tables, Table{Name: t.Name, By: t.By, Cells: t.Cells, StandardDeviation: t.Deviation, Factors: t.Factors})
	}
	return m
}

// largest is the largest deviation of a cell of a table.
func (s *Strategy) largest() float64 {
	largest := 0.0
	for _, t := range s.Tables {
		largest = max(largest, t.StandardDeviation)
	}
	return largest
}

// tablesFollow says whether the deviations of the query's tables, and its half-width, are those that its mechanisms give by the factors.
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
			return errors.New(q.Name + ": the standard deviation of its table " + t.Name + " does not follow from its mechanisms")
		}
	}
	if h := q.HalfWidth; h == nil || *h != calibrate.Z95*q.Strategy.largest() || q.OverRows {
		return errors.New(q.Name + ": its half-width does not follow from its tables")
	}
	return nil
}
