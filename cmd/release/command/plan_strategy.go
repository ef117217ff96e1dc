package command

import (
	"errors"
	"fmt"
	"math"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries"
)

// plannedPart is one mechanism of a query whose tables are put together from several.
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
		out = append(out, plannedPart{Name: c.Name, Cells: c.Cells, Sensitivity: m.Sens.L2, Why: m.Sens.Why, Sigma: float64(m.Sigma), Mu: float64(m.Mu())})
	}
	return out
}

// printStrategy shows how the tables of a query share their noise, what other ways would give, and the error of each table.
func (a *app) printStrategy(q *pipeline.Planned) error {
	s := q.Strategy
	if s == nil {
		return nil
	}
	bound := ""
	if s.Bound > 0 {
		bound = fmt.Sprintf("; no Gaussian noise of this mu has less than %.5g", s.Bound)
	}
	rows := [][]string{{"way", "root mean square error"}, {s.Name + " (taken)", fmt.Sprintf("%.5g", s.Error)}}
	for _, c := range s.Others {
		rows = append(rows, []string{c.Name, fmt.Sprintf("%.5g", c.Error)})
	}
	tables := [][]string{{"table", "cells", "standard deviation", "95 % ±"}}
	for _, t := range s.Tables {
		name := q.Query.Name() + "." + t.Name
		if q.Kind == queries.Histogram && t.Name == "cells" { // the answer itself
			name = q.Query.Name()
		}
		tables = append(tables, []string{name, fmt.Sprint(t.Cells), fmt.Sprintf("%.5g", t.Deviation), fmt.Sprintf("%.5g", calibrate.Z95*t.Deviation)})
	}
	return errors.Join(a.Printf("\n%s: least error by %s%s\n", q.Query.Name(), s.Loss, bound), a.PrintTable(rows), a.printComponents(q),
		a.Printf("\n"), a.PrintTable(tables), a.printSums(q))
}

// mostComponents is how many components a plan explains; JSON has all.
const mostComponents = 8

// printComponents says what each component of a strategy has, if they are few.
func (a *app) printComponents(q *pipeline.Planned) error {
	if len(q.Mechanisms) < 2 || len(q.Mechanisms) > mostComponents {
		return nil
	}
	rows := [][]string{{"component", "numbers", "sensitivity", "sigma", "because"}}
	for _, c := range plannedParts(q) {
		rows = append(rows, []string{c.Name, fmt.Sprint(c.Cells), fmt.Sprintf("%.6g", c.Sensitivity), fmt.Sprintf("%.6g", c.Sigma), c.Why})
	}
	if err := a.Printf("\n"); err != nil {
		return err
	}
	return a.PrintTable(rows)
}

// printSums says how the errors of cells add up that share noise.
func (a *app) printSums(q *pipeline.Planned) error {
	s := q.Strategy.Sums
	if s == nil {
		return nil
	}
	n := q.Query.Cells()
	return a.Printf("its cells share noise: the sum of all %d cells has the standard deviation %.5g, the sum of k cells sqrt(%.5g·k + %.5g·k²), the difference of two %.5g\n",
		n, s.Deviation(n), s.Each, s.Common, math.Sqrt(2*s.Each))
}
