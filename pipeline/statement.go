package pipeline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/query"
)

// Manifest returns the manifest of a run as far as the plan and the run's choices determine it. The ledger's entry, the
// signature and the files are missing.
func (c *RunPlan) Manifest(program manifest.Program) manifest.Manifest {
	p := c.plan
	m := manifest.Manifest{Format: manifest.Format, Name: p.job.Name, Params: p.Params(), Job: p.effective,
		Program: program, Privacy: p.privacy(mechanismsOf(c.queries))}
	for i := range c.queries {
		q := c.queries[i].manifest()
		if m.Queries = append(m.Queries, q); q.Selection != nil {
			m.Privacy.Selected = manifest.SelectedKeys
		}
	}
	return m
}

// privacy returns the manifest's section on the guarantee of some mechanisms.
func (p *Plan) privacy(ms []calibrate.Mechanism) manifest.Privacy {
	share := cmp.Or(p.failure.share, "0")
	s := manifest.Privacy{
		Statement: p.statement(ms), Unit: unitNames(p.job.Privacy.Unit), Tables: p.Tables(),
		Upstream: upstreamOf(p.job.Privacy.Unit), Adjacency: string(p.adjacency),
		PerUnit: statedBounds(p.job.Privacy.PerUnit),
		Epsilon: float64(p.guarantee.Epsilon), Delta: float64(p.guarantee.Delta), DeltaFailure: share,
		Measures: manifest.MeasuresOf(ms, share),
		DataDomain: manifest.Domain{
			Columns: p.Columns(), Filters: p.filterCount(),
			NullPolicy: "rows without a unit are left out; each dimension and value has the policy for nulls, other values " +
				"and NaN that the job states",
		},
		Noise: manifest.Noise{Rounding: "an exact normal variable, rounded once to the grid",
			Bits: "the operating system's source, expanded by a cipher"},
		NotProtected: []string{"what the data of others say about a person; rows beyond the bounds of a unit are not " +
			"counted at all"},
		Unprotected: []string{"the names and the number of the input files",
			"keys, bounds, public files and all else in the job"},
		Errors: "no error, log or duration that is published depends on a row",
		Model:  "Central", AccessType: "Non-interactive", ReleaseType: "One release", DataSource: "Static",
	}
	if u := s.Upstream; u != nil {
		s.NotProtected = []string{"what the data of others say about a person; what one " + u.Name + " adds to the table " +
			"beyond the promise of the table's producer"}
	}
	for k := range p.tables {
		if joins := p.tables[k].job.Joins(); len(joins) > 0 && joins[0].Units > 0 {
			s.NotProtected = append(s.NotProtected, "rows of table "+p.tables[k].name+" whose key several "+
				strings.Join(s.Unit, ", ")+" have in table "+joins[0].Table+": they are rows of each of them, and if one is "+
				"removed they stay rows of the others")
		}
	}
	if p.Refuses() {
		s.NotProtected = append(s.NotProtected, "that this release exists: there would be none if there had been no rows, "+
			"if no row had passed a filter or lain in a listed cell, if fewer than one row in twenty had been of use to a "+
			"query, or if half of the texts of a column could not have been read (data_checks: refuse)")
	}
	if p.noise.Delta == 0 {
		s.Noise.Rounding = "exact two-sided geometric variables; exact Laplace variables, rounded once to the grid"
	}
	for _, param := range p.job.Params {
		if param.Type == "date" {
			s.ReleaseType, s.DataSource = "Many releases", "Dynamic"
		}
	}
	return s
}

// unitNames returns the columns of the privacy unit for the manifest.
func unitNames(u configs.Unit) []string {
	if u.Upstream != nil {
		return []string{u.Upstream.Name}
	}
	return manifest.UnitColumns(u.Columns)
}

// upstreamOf returns what the table's producer guarantees about the rows of units; nil if the program bounds units
// itself.
func upstreamOf(u configs.Unit) *manifest.Upstream {
	p := u.Upstream
	if p == nil {
		return nil
	}
	return &manifest.Upstream{Name: p.Name, MaxRows: p.MaxRows, MaxChange: p.MaxChange, MaxSum: p.MaxSum,
		Distinct: p.Distinct}
}

func statedBounds(p configs.PerUnit) manifest.Bounds {
	out := manifest.Bounds{MaxGroups: p.MaxGroups, MaxRowsPerGroup: p.MaxRowsPerGroup, SampleBy: p.SampleBy}
	if p.MaxRows.Discovers() {
		out.MaxRowsUpTo = p.MaxRowsUpTo
	} else {
		out.MaxRows = int64(p.MaxRows)
	}
	return out
}

func (q *Planned) manifest() manifest.Query {
	half, perRow := q.HalfWidth()
	steps := stepNames(q.Steps)
	m := manifest.Query{
		Name: q.Query.Name(), Kind: string(q.Kind), Cells: q.Query.Cells(), HalfWidth: &half, OverRows: perRow,
		Denoise: steps, Biased: len(steps) > 0 || q.adjusted || len(q.Components) > 1 && q.Strategy == nil,
	}
	m.Search, m.RowsSearch = q.Search.Statement()
	if scale := q.Components[0].Scale; scale != 1 {
		m.Scale = scale
	}
	for i, mech := range q.Mechanisms {
		m.Mechanisms = append(m.Mechanisms, manifest.MechanismOf(q.Components[i].Name, mech))
	}
	if s := q.Strategy; s != nil {
		m.Strategy = manifest.StrategyOf(s)
	}
	if r := q.rule; r != (publishRule{}) {
		m.Publish = &manifest.Publish{MinCount: r.MinCount, MaxRelativeError: r.MaxRelative}
	}
	for i := range q.rates {
		m.Rates = append(m.Rates, q.rates[i].Rate)
	}
	if f, ok := q.Query.(query.KeyFollower); ok {
		m.KeysOf = f.Leader()
	}
	if s := q.Selection; s != nil {
		m.Selection = &manifest.Selection{MaxGroups: s.Keys, Delta: float64(s.Failure), Threshold: q.Threshold(),
			MinUnits: s.MinUnits, Weighted: s.Weighted}
	}
	return m
}

func stepNames(steps []*denoise.Step) []string {
	names := []string{}
	for _, s := range steps {
		names = append(names, s.Name())
	}
	return names
}

// leavesOut reports whether some query drops keys with few units before the noise.
func (p *Plan) leavesOut() bool {
	return slices.ContainsFunc(p.queries, func(q Planned) bool { return q.Selection != nil && q.Selection.Least() > 1 })
}

// Statement returns the guarantee of the release in words.
func (p *Plan) Statement() string { return p.statement(p.Mechanisms()) }

func (p *Plan) statement(ms []calibrate.Mechanism) string {
	return manifest.Promise{
		Epsilon: string(p.job.Privacy.Epsilon), Delta: string(p.job.Privacy.Delta), DeltaFailure: p.failure.share,
		MinUnits: p.leavesOut(),
		Mu:       calibrate.ComposedMu(ms), Unit: p.job.Privacy.Unit.Columns, Tables: p.Tables(),
		Upstream: upstreamOf(p.job.Privacy.Unit), Adjacency: p.adjacency,
	}.String()
}
