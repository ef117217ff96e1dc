package privateclamp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// rowsExamples are distributions of the number of rows of a unit.
var rowsExamples = []struct {
	name string
	draw func(r *rand.Rand) float64
}{
	{"one each", constant(1)},
	{"geometric, mean 3", func(r *rand.Rand) float64 { return math.Ceil(3 * r.ExpFloat64()) }},
	{"geometric, mean 40", func(r *rand.Rand) float64 { return math.Ceil(40 * r.ExpFloat64()) }},
	{"log-normal", func(r *rand.Rand) float64 { return math.Ceil(lognormal(5, 1)(r)) }},
	{"Pareto, a = 1.5", func(r *rand.Rand) float64 { return math.Ceil(pareto(1.5, 1)(r)) }},
	{"Pareto, a = 2.5", func(r *rand.Rand) float64 { return math.Ceil(pareto(2.5, 2)(r)) }},
	{"24 each", constant(24)},
	{"two modes", mix(0.95, constant(2), constant(365))},
	{"one each, some with all", mix(0.9998, constant(1), constant(1<<20))},
	{"uniform", func(r *rand.Rand) float64 { return math.Ceil(uniform(0, 100)(r)) }},
}

// rowsTable is a table of units, with what is needed to judge a bound on their rows.
type rowsTable struct {
	cells []int64   // the number of units by step: the first one that is not below their number of rows
	lost  []float64 // the number of rows that are dropped if the bound is the step
	best  float64   // the least error of any bound with all of mu²
	steps []int64
}

func prepareRows(draw func(*rand.Rand) float64, seed uint64) *rowsTable {
	const units, most = 20000, 1 << 20
	r := rand.New(rand.NewPCG(seed, 78))
	t := &rowsTable{steps: Steps(most), best: math.Inf(1)}
	t.cells, t.lost = make([]int64, len(t.steps)), make([]float64, len(t.steps))
	counts := make([]float64, units)
	for i := range counts {
		counts[i] = min(draw(r), most)
		step, _ := slices.BinarySearch(t.steps, int64(counts[i]))
		t.cells[step]++
	}
	lost := func(k float64) (sum float64) {
		for _, n := range counts {
			sum += max(n-k, 0)
		}
		return sum
	}
	for i, k := range t.steps {
		t.lost[i] = lost(float64(k))
	}
	for k := 1.0; k <= most; k = math.Ceil(k * 1.02) {
		t.best = min(t.best, math.Hypot(lost(k), k/mu1))
	}
	return t
}

func (t *rowsTable) run(r *rand.Rand) float64 {
	const share = 0.1
	s := RowsSearch{RuleVersion: RowsRule, Steps: t.steps, Groups: 1, Grid: 1. / 64,
		Deviation: 1 / (mu1 * math.Sqrt(share))}
	for i, n := range t.cells {
		s.Noise = append(s.Noise, float64(t.steps[i])/(mu1*math.Sqrt(1-share)))
		s.Cells = append(s.Cells, int64(math.Round((float64(n)+s.Deviation*r.NormFloat64())/s.Grid)))
	}
	if s.Choose() != nil || !s.Same() {
		return math.NaN()
	}
	at := slices.Index(t.steps, s.MaxRows)
	return math.Hypot(t.lost[at], s.Noise[at]) / t.best
}

// maxRatio is the largest allowed ratio of a run's error to the error of the best bound. The ratio can be larger if
// noise alone makes a cell count as occupied, which happens in about one of 10^5 runs.
const maxRatio = 11

// TestRowsRuleIsNearTheBestBound simulates the rule for a count at 20,000 units, epsilon 1, delta 1e-6 and a tenth of
// mu², against the best bound known beforehand with all of mu². With -v it prints the table of
// docs/explanation/methods.md; CLAMP_RUNS sets the number of runs a table. The seeds are fixed, so that the test cannot
// fail by chance.
func TestRowsRuleIsNearTheBestBound(t *testing.T) {
	runs := runsOfTable(300)
	var all []float64
	for k, e := range rowsExamples {
		table := prepareRows(e.draw, uint64(k))
		r := rand.New(rand.NewPCG(10, uint64(k)))
		sum, worst := 0.0, 0.0
		for range runs {
			ratio := table.run(r)
			sum += ratio * ratio
			worst = max(worst, ratio)
		}
		rmse := math.Sqrt(sum / float64(runs))
		t.Logf("| %s | %.2f | %.1f |", e.name, rmse, worst)
		if all = append(all, rmse); !(worst <= maxRatio) {
			t.Errorf("%s: a run is %.1f times as far off as the best bound", e.name, worst)
		}
	}
	slices.Sort(all)
	median := (all[len(all)/2-1] + all[len(all)/2]) / 2
	t.Logf("median %.2f, worst %.2f", median, all[len(all)-1])
	if !(median <= 1.5 && all[len(all)-1] <= 2.5) {
		t.Errorf("median %.2f, worst %.2f; want at most 1.5 and 2.5", median, all[len(all)-1])
	}
}

// If there are no rows, the smallest bound is chosen in each of 2,000 runs. Each run fails by chance with a probability
// below 1e-5.
func TestNoRowsAreFoundByChance(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	steps := Steps(MostRows)
	for range 2000 {
		s := RowsSearch{RuleVersion: RowsRule, Steps: steps, Groups: 1, Grid: 1. / 64, Deviation: 13}
		for range steps {
			s.Noise, s.Cells = append(s.Noise, 5), append(s.Cells, int64(13*64*r.NormFloat64()))
		}
		if err := s.Choose(); err != nil || s.Found || s.MaxRows != 1 {
			t.Fatalf("%v: a bound of %d was found", err, s.MaxRows)
		}
	}
}

// A search with inconsistent numbers chooses nothing, and does not panic.
func TestRowsSearchesThatAreNotWhole(t *testing.T) {
	whole := func() RowsSearch {
		return RowsSearch{RuleVersion: RowsRule, Steps: Steps(5), Groups: 1, Grid: 1, Deviation: 1, Noise: []float64{1, 2, 4,
			5},
			Cells: []int64{9, 0, 0, 0}}
	}
	if s := whole(); s.Choose() != nil || s.MaxRows != 1 || !s.Found {
		t.Fatalf("%+v", s)
	}
	for name, spoil := range map[string]func(*RowsSearch){
		"rule": func(s *RowsSearch) { s.RuleVersion++ }, "no steps": func(s *RowsSearch) { s.Steps = nil },
		"steps": func(s *RowsSearch) { s.Steps[1] = 3 },
		"cells": func(s *RowsSearch) { s.Cells = s.Cells[1:] }, "noise": func(s *RowsSearch) { s.Noise[2] = math.Inf(1) }, "groups": func(s *RowsSearch) { s.Groups = 0 },
		"too many": func(s *RowsSearch) { s.Steps = Steps(2 * MostRows) }, "grid": func(s *RowsSearch) { s.Grid = 0 }, "deviation": func(s *RowsSearch) { s.Deviation = math.NaN() },
	} {
		if s := whole(); true {
			if spoil(&s); s.Choose() == nil || s.Same() {
				t.Errorf("%s: a bound was chosen", name)
			}
		}
	}
}
