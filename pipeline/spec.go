package pipeline

import (
	"fmt"
	"slices"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/quantize"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/queries/strategy"
)

// maxCount is the largest count that a row of a table of counts may have: 2^40. It keeps sums exact.
const maxCount = "1099511627776"

// spec translates a query of the job into a query.Spec. It reads the public files that the query names.
func (b *builder) spec(jq *configs.Query, path string) query.Spec {
	s := query.Spec{
		Name: jq.Name, Kind: query.Count, Unit: b.job.Privacy.Unit.Columns, Called: b.called,
		FloatUnit: b.job.Privacy.FloatUnit == "allow", Location: b.location,
		Filtered: len(b.job.Input.Where)+len(jq.Where) > 0,
		Bounds:   bounds(b.job, jq), RowsShare: rowsShare(b.job, jq), Declared: b.number(jq.Sensitivity, path+".sensitivity"),
	}
	if u := b.job.Privacy.Unit.Upstream; u != nil {
		s.Upstream = &query.Upstream{Name: u.Name, Rows: u.MaxRows, Change: max(u.MaxChange, 1), Sum: u.MaxSum,
			Distinct: u.Distinct}
	}
	if c := b.job.Input.Counts; c != nil {
		s.Counts = &quantize.Value{Columns: []string{c.Column}, Lo: "0", Hi: maxCount}
	}
	if !jq.CountsUnits() { // which counts units with more rows than are kept, however these are chosen
		s.SampleBy = b.job.Bounds(jq).SampleBy
	}
	for kind, by := range jq.Dimensions() {
		s.Kind, s.By = query.Kind(kind), b.dimensions(by, path+"."+kind)
	}
	switch {
	case jq.CountsUnits():
		s.Kind = query.OverBound
	case jq.Histogram != nil:
		s.Read, s.MinUnits = read(jq.Histogram), jq.Histogram.MinUnits
		s.ByWeights = jq.Histogram.Optimize == "keys"
		if jq.Histogram.Noise == "auto" {
			s.CommonNoise = query.Adjacency(b.job.Privacy.Adjacency)
		}
	case jq.Crosstabs != nil:
		s.Crosstabs = b.crosstabs(jq.Crosstabs, path+".crosstabs")
		s.Crosstabs.Known = b.known(jq.Crosstabs.Known, s.By, path+".crosstabs.known")
	}
	if w, kind := jq.RowWeight(); w != nil && kind != "mean" {
		s.Value = weight(w)
	}
	for _, a := range jq.Aggregates() {
		s.Value = value(a)
		if s.Value.Rows = a.Rows; a == jq.Mean {
			s.Value.Rows = b.job.Terms(jq, a)
		}
	}
	return s
}

func (b *builder) crosstabs(x *configs.Crosstabs, path string) *query.Crosstabs {
	out := &query.Crosstabs{
		Ways: x.Ways, Loss: strategy.Loss(x.Optimize), Nonnegative: x.Nonnegative != nil && *x.Nonnegative,
		RoundTo: x.RoundTo,
	}
	if out.RoundTo == 0 && x.Integers != nil && *x.Integers {
		out.RoundTo = 1
	}
	for i, t := range x.Tables {
		weight := b.number(t.Weight, fmt.Sprintf("%s.tables[%d].weight", path, i))
		out.Tables = append(out.Tables, query.CrosstabTable{By: t.By, Weight: weight})
	}
	return out
}

func read(h *configs.Histogram) query.Read {
	r := query.Read{CDF: h.CDF != nil && *h.CDF, Sums: h.Optimize == "cdf"}
	for _, q := range h.Quantiles {
		r.Quantiles = append(r.Quantiles, string(q))
	}
	return r
}

func value(a *configs.Aggregate) *quantize.Value {
	v := &quantize.Value{Columns: a.Columns, List: a.Length > 0, Length: a.Length, ClipL2: string(a.ClipL2)}
	if a.Column != "" {
		v.Columns = []string{a.Column}
	}
	if c := a.Bounds(); len(c) == 2 {
		v.Lo, v.Hi = string(c[0]), string(c[1])
	}
	if a.Weight != nil {
		v.Weight = weight(a.Weight)
	}
	if a.Clamp.Discovers() {
		v.Share = shareOf(a.ClampShare)
	}
	return v
}

func weight(w *configs.RowWeight) *quantize.Value {
	v := &quantize.Value{Columns: []string{w.Column}}
	if len(w.Clamp) == 2 {
		v.Lo, v.Hi = string(w.Clamp[0]), string(w.Clamp[1])
	}
	return v
}

// shareOf returns the fraction of a query's mu² that the job spends on a search.
func shareOf(d configs.Decimal) float64 {
	if share, err := calibrate.ParseNearest(string(d)); err == nil {
		return share
	}
	return 0.1
}

// rowsShare returns the fraction of the query's mu² that is spent on finding its row bound (max_rows); 0 if the job
// sets the bound.
func rowsShare(job *configs.Job, jq *configs.Query) float64 {
	if p := job.Bounds(jq); p.MaxRows.Discovers() {
		return shareOf(p.MaxRowsShare)
	}
	return 0
}

// bounds returns the limits on one unit's contribution to the query.
func bounds(job *configs.Job, jq *configs.Query) query.Bounds {
	p := job.Bounds(jq)
	return query.Bounds{MaxRows: p.MostRows(), MaxGroups: p.MaxGroups, MaxRowsPerGroup: p.MaxRowsPerGroup}
}

func policy(p string) domain.Policy {
	if p == string(domain.OwnCell) {
		return domain.OwnCell
	}
	return domain.Drop
}

func texts(scalars []configs.Scalar) []string {
	out := slices.Grow([]string(nil), len(scalars)) // nil if there are none
	for _, s := range scalars {
		out = append(out, string(s))
	}
	return out
}
