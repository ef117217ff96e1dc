package manifest

import (
	"errors"
	"math"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/queries"
)

// Strategy says how the tables of a query are put together from its mechanisms, which are not their cells.
type Strategy struct {
	Name string `json:"name"`
	// Optimize says which error is least, RMSE is its root. LowerBound is below what any other Gaussian noise of the same mu has; 0 if none
	// is known.
	Optimize   string  `json:"optimize"`
	RMSE       float64 `json:"rmse"`
	LowerBound float64 `json:"lower_bound,omitempty"`
	// Others are the RMSE of other ways at the same mu.
	Others []Candidate `json:"others"`
	Tables []Table     `json:"tables"`
}

// Candidate is a way that was not taken.
type Candidate struct {
	Name string  `json:"name"`
	RMSE float64 `json:"rmse"`
}

// Table is a table that is read off a query. The variance of the noisy cell with the largest standard deviation is the sum over the components of
// Factors times the square of the component's standard deviation; without Factors it is not linear in them.
type Table struct {
	Name              string             `json:"name"`
	By                []string           `json:"by"`
	Cells             int                `json:"cells"`
	StandardDeviation float64            `json:"standard_deviation"`
	Factors           map[string]float64 `json:"factors,omitempty"`
}

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
