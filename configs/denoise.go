package configs

import (
	"fmt"
	"reflect"
)

// Denoise is one post-processing step: a method, and parameters of that method alone. What is absent follows the noise, or has
// the default that `release denoise --methods` shows.
type Denoise struct {
	// Method of the step. Steps that need to know the noise come first, and once.
	Method string `yaml:"method" enum:"auto|empirical-bayes|hard-threshold|isotonic|james-stein|nonnegative|round|soft-threshold|total|total-variation|tree-ensemble|tree-wavelet|trend-filter|wavelet" example:"james-stein"`
	// PositivePart keeps james-stein from ever flipping a sign; true if it is absent.
	PositivePart *bool `yaml:"positive_part,omitempty" example:"false"`
	// Toward is what james-stein moves all cells towards: zero if it is absent, their mean, or a public number in the query's unit.
	Toward Setting `yaml:"toward,omitempty" words:"zero|mean" example:"mean"`
	// PriorVariance is the public variance of the cells around what james-stein moves them towards, in the query's unit squared; estimated if it is absent.
	PriorVariance Decimal `yaml:"prior_variance,omitempty" example:"400"`
	// Threshold of soft-threshold, hard-threshold, wavelet and tree-wavelet: a number in the query's unit; universal, which is sigma * sqrt(2 ln cells); sure, the one of least estimated error; or, for wavelets, level, James-Stein for each size of blocks. If it is absent thresholds are universal, those of a wavelet sure, of a tree-wavelet level.
	Threshold Setting `yaml:"threshold,omitempty" words:"universal|sure|level" example:"sure"`
	// Invariant says whether a wavelet estimate is averaged over all places where blocks can begin; true where it is absent.
	Invariant *bool `yaml:"invariant,omitempty" example:"false"`
	// Nonnegative says that no cell can be below 0, as counts cannot; false where it is absent, but true for tree-ensemble.
	Nonnegative *bool `yaml:"nonnegative,omitempty" example:"true"`
	// Lambda is what a difference between neighbours costs in total-variation, trend-filter and tree-ensemble: sure, the value of least estimated error, if it is absent; or a number in the query's unit.
	Lambda Setting `yaml:"lambda,omitempty" words:"sure" example:"sure"`
	// K is the order of a trend-filter: 0 for areas of one level, 1 for linear changes, 2 for quadratic ones; 0 if it is absent.
	K *int `yaml:"k,omitempty" min:"0" example:"0"`
	// Trees is the number of random spanning trees of a tree-wavelet or tree-ensemble.
	Trees int `yaml:"trees,omitempty" min:"1" example:"40"`
	// Direction in which the cells of isotonic go along their order; increasing if it is absent.
	Direction string `yaml:"direction,omitempty" enum:"increasing|decreasing" example:"decreasing"`
	// Total is the public sum of all cells that total gives them, in the query's unit.
	Total Decimal `yaml:"total,omitempty" example:"10000"`
	// Graph says which cells are neighbours, for auto, tree-wavelet, trend-filter and tree-ensemble; absent: the neighbours along dimensions with an order, such as edges, parts of times and grids.
	Graph *Graph `yaml:"graph,omitempty" example:"{edges: sections.csv, from: from_junction, to: to_junction, length: length_m}"`
}

// Graph is a public list of edges between the cells of a query with one dimension: an edge joins two cells by their keys as they
// stand in the release. Loops are left out, and parallel edges count as one of their common weight.
type Graph struct {
	// Edges is the public file of edges, relative to the job file: .parquet, .arrow, .csv, .csv.gz or .csv.zst. It must hold nothing private.
	Edges string `yaml:"edges" example:"sections.csv"`
	// From is the column of one end.
	From string `yaml:"from" example:"from_junction"`
	// To is the column of the other end.
	To string `yaml:"to" example:"to_junction"`
	// Length is the column of the edges' lengths, in any unit: tree-ensemble prefers short edges.
	Length string `yaml:"length,omitempty" example:"length_m"`
	// Weight is the column of the edges' weights: a difference across an edge of weight 2 costs twice as much. Absent: 1.
	Weight string `yaml:"weight,omitempty" example:"lanes"`
}

// Params returns the step's parameters that the job sets, as text by key; method and graph are none.
func (d *Denoise) Params() map[string]string {
	out := map[string]string{}
	v := reflect.ValueOf(d).Elem()
	for name, i := range keysOf(v.Type()).index {
		f := v.Field(i)
		if name == "method" || name == "graph" || f.IsZero() {
			continue
		}
		out[name] = fmt.Sprint(reflect.Indirect(f).Interface())
	}
	return out
}
