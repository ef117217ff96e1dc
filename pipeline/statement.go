package pipeline

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/queries"
)

// release makes the public result of the plan.
func (p *Plan) release(results []Result, program Program) *Release {
	m := p.manifest(program)
	for i := range m.Queries {
		m.Queries[i].Cells = results[i].Answer.Cells // of discovered keys it is known now
	}
	return &Release{manifest: m, formats: p.job.Output.Formats, results: results}
}

func (p *Plan) manifest(program Program) Manifest {
	m := Manifest{
		Format: ManifestFormat, Name: p.job.Name, Params: p.Params(), Job: p.effective, Program: program,
		Privacy: ManifestPrivacy{
			Epsilon: float64(p.guarantee.Epsilon), Delta: float64(p.guarantee.Delta), DeltaFailure: p.FailureShare(),
			Mu:   float64(calibrate.ComposedMu(p.Mechanisms())),
			Unit: unitColumns(p.job.Privacy.Unit), Adjacency: string(p.adjacency), Statement: p.Statement(),
			PrivacyStatement: p.privacyStatement(program),
		},
	}
	for i := range p.queries {
		m.Queries = append(m.Queries, p.queries[i].manifest())
	}
	return m
}

func unitColumns(unit []string) []string {
	if len(unit) == 0 {
		return []string{"row"}
	}
	return unit
}

func (q *Planned) manifest() ManifestQuery {
	m := ManifestQuery{
		Name: q.Query.Name(), Kind: string(q.Kind), Cells: q.Query.Cells(), Mu: float64(q.Mu()),
		Denoise: stepNames(q.Steps), Sigma: q.Sigma(), Grid: q.Mechanisms[0].Grid * q.Components[0].Scale,
		Sensitivity: sensitivity(q.Sensitivity()),
	}
	for i, mech := range q.Mechanisms {
		m.Parts = append(m.Parts, ManifestPart{
			Name: partLabel(q.Query.Name(), q.Components[i].Name), Sensitivity: sensitivity(mech.Sens), Sigma: float64(mech.Sigma),
			Grid: mech.Grid, StandardDeviation: mech.Deviation(), Mu: float64(mech.Mu()),
		})
	}
	if s := q.Selection; s != nil {
		m.Selection = &ManifestSelection{
			MaxGroups: s.Keys, Delta: float64(s.Failure), Threshold: q.Threshold(),
			Statement: "The keys are those of the private table whose noisy counts reached the threshold. Others may exist, and counts near the threshold are too large on average.",
		}
	}
	return m
}

func partLabel(query, part string) string {
	if part == "" {
		return query
	}
	return part
}

func sensitivity(s calibrate.Sensitivity) ManifestSensitivity {
	return ManifestSensitivity{L2: s.L2, Why: s.Why}
}

func stepNames(steps []denoise.Step) []string {
	names := []string{}
	for _, s := range steps {
		names = append(names, s.Name())
	}
	return names
}

// Statement is the promise of the release in words.
func (p *Plan) Statement() string {
	return promise{
		epsilon: string(p.job.Privacy.Epsilon), delta: string(p.job.Privacy.Delta), deltaFailure: p.failure.share,
		mu: calibrate.ComposedMu(p.Mechanisms()), unit: p.job.Privacy.Unit, adjacency: string(p.adjacency),
	}.String()
}

// promise is what a release promises. Its decimals are as the job writes them; the unit is empty if it is a row, deltaFailure if nothing
// can fail.
type promise struct {
	epsilon, delta, deltaFailure string
	mu                           calibrate.Mu
	unit                         []string
	adjacency                    string
}

// String is the promise in words.
func (p promise) String() string {
	unit, change, failure := "one row", "added or removed", ""
	if len(p.unit) > 0 {
		unit = "all rows of one " + strings.Join(p.unit, ", ")
	}
	if p.adjacency == string(queries.ReplaceOne) {
		change = "replaced"
	}
	if p.deltaFailure != "" {
		failure = fmt.Sprintf(" Of this delta, %s is the probability that a key is published which one unit alone has; but for that the release is as Gaussian differentially private as it says.", p.deltaFailure)
	}
	return fmt.Sprintf("Whatever else is known, this release as a whole is (%s, %s)-differentially private, and %s-Gaussian differentially private, for %s being %s.%s",
		p.epsilon, p.delta, strconv.FormatFloat(float64(p.mu), 'g', -1, 64), unit, change, failure)
}
