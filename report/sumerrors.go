package report

import (
	"math"
	"strings"

	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/kinds"
	"github.com/dprelease/dprelease/queries/query"
)

// sumsData holds the numbers from which the page's script computes the error of a sum of noisy cells. Package
// internal/combine explains the formulas.
type sumsData struct {
	// Variance is the variance of the noise that each cell has alone, Common of the noise that all cells have in
	// common. Variance is 0 if each row states its own standard deviation, and for marginals.
	Variance float64 `json:"variance,omitempty"`
	Common   float64 `json:"common,omitempty"`
	// Sizes[i] is the number of values of a marginal's dimension i, which is key column i. Parts are the residuals of the
	// marginal.
	Sizes []int      `json:"sizes,omitempty"`
	Parts []partData `json:"parts,omitempty"`
	// Tails lists pairs: an excess kurtosis of the noise of a sum, and the half-width of its 95 % interval in standard
	// deviations, in order of falling kurtosis.
	Tails [][2]float64 `json:"tails"`
	// Heavy is true if the noise is Laplace or geometric, whose tails are heavier than Gaussian ones.
	Heavy bool `json:"heavy,omitempty"`
	// Step is the grid of geometric noise: the noise is a multiple of Step. 0 for other noise.
	Step float64 `json:"step,omitempty"`
}

// partData is one noisy residual of a marginal: the key columns of its dimensions, and the variance of each of its
// values.
type partData struct {
	Keys     []int   `json:"keys"`
	Variance float64 `json:"variance"`
}

// sumsOf returns the data for the errors of sums of cells; nil if the cells of the table cannot be added up, or if a
// variance is not a positive 64-bit number.
func sumsOf(q *manifest.Query, t *Table, readers *pageTable) *sumsData {
	if q.WhyNoSum(t.Holds) != "" || q.Strategy != nil && q.Strategy.Name == query.StrategyNested ||
		readers.Shown < max(2, readers.Rows) || t.column(noisyColumn) == nil {
		return nil
	}
	s := &sumsData{Tails: kinds.HeavyTails(), Heavy: q.Mechanisms[0].Noise != manifest.Gaussian, Step: q.GeometricStep()}
	switch {
	case q.Kind == string(query.Crosstab):
		if !s.ofMarginal(q, t.Holds, readers) {
			return nil
		}
	case q.Strategy != nil && q.Strategy.SumsOfCells != nil:
		s.Variance, s.Common = q.Strategy.SumsOfCells.Each, q.Strategy.SumsOfCells.Common
	case t.Uniform:
		d := read(t.column("standard_deviation"), []int{0})[0]
		s.Variance = d * d
		if s.Variance == 0 {
			return nil
		}
	}
	total := s.Variance + s.Common
	for _, p := range s.Parts {
		total += p.Variance
	}
	if math.IsInf(total, 1) {
		return nil
	}
	return s
}

// ofMarginal sets the residuals of a marginal. It returns false if the page does not hold the whole marginal with one
// key column for each dimension.
func (s *sumsData) ofMarginal(q *manifest.Query, holds string, readers *pageTable) bool {
	for _, of := range q.Strategy.Tables {
		if of.Name != holds || len(of.By) != len(readers.Keys) || readers.Shown != of.Cells {
			continue
		}
		at := map[string]int{}
		for i, name := range of.By {
			at[name] = i
			s.Sizes = append(s.Sizes, len(readers.Keys[i].Labels))
		}
		for _, m := range q.Mechanisms {
			part := partData{Keys: []int{}, Variance: m.StandardDeviation * m.StandardDeviation}
			inside := true
			if m.Component != kinds.ResidualOfAll {
				for name := range strings.SplitSeq(m.Component, "*") {
					i, ok := at[name]
					inside = inside && ok
					part.Keys = append(part.Keys, i)
				}
			}
			if inside {
				s.Parts = append(s.Parts, part)
			}
		}
		return true
	}
	return false
}
