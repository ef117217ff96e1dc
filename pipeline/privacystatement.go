package pipeline

import (
	"cmp"
	"fmt"
	"math/big"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/ledger"
)

// PrivacyStatement is what a reader needs to judge the guarantee, after NIST SP 800-226 and the OpenDP deployments registry. All of it is
// public: it follows from the job, the plan and the ledger's account.
type PrivacyStatement struct {
	UnitSentence string       `json:"unit_sentence"`
	PerUnit      StatedBounds `json:"per_unit"`
	UnitIsPerson string       `json:"unit_is_person"`
	NotProtected []string     `json:"not_protected"`

	Guarantee      StatedGuarantee `json:"guarantee"`
	Scope          StatedScope     `json:"scope"`
	FixedInAdvance bool            `json:"fixed_in_advance"`

	DataDomain  StatedDomain `json:"data_domain"`
	Unprotected []string     `json:"unprotected"`
	HowChosen   string       `json:"how_chosen"`

	Model          string `json:"model"`
	Actors         string `json:"actors"`
	ReleaseType    string `json:"release_type"`
	DataSourceType string `json:"data_source_type"`
	AccessType     string `json:"access_type"`

	Mechanisms     []StatedMechanism `json:"mechanisms"`
	Noise          StatedNoise       `json:"noise"`
	PostProcessing []StatedSteps     `json:"post_processing"`
	Accuracy       []StatedAccuracy  `json:"accuracy"`
	Tuning         string            `json:"tuning"`

	Code          Program  `json:"code"`
	Errors        string   `json:"errors"`
	Custody       string   `json:"custody"`
	Purpose       string   `json:"purpose"`
	Justification string   `json:"justification"`
	Description   string   `json:"description"`
	Curators      []string `json:"curators"`
	Region        string   `json:"region"`
	Sector        string   `json:"sector"`
	Contact       string   `json:"contact"`
	Authors       []string `json:"authors"`
	Slug          string   `json:"slug"`
}

// StatedBounds are what one unit may contribute to a query that sets no bounds of its own; 0: not bounded. The queries' sensitivities say
// what each takes.
type StatedBounds struct {
	MaxRows         int64 `json:"max_rows"`
	MaxGroups       int64 `json:"max_groups"`
	MaxRowsPerGroup int64 `json:"max_rows_per_group"`
}

// StatedGuarantee is the release's own guarantee in several measures.
type StatedGuarantee struct {
	Mu           float64            `json:"mu"`
	Mu2          string             `json:"mu2"` // rounded up
	EpsilonAt    map[string]float64 `json:"epsilon_at"`
	Rho          float64            `json:"rho"`       // zero-concentrated
	PurePart     string             `json:"pure_part"` // of the mechanisms that are pure
	DeltaFailure string             `json:"delta_failure"`
}

// StatedScope says what else is released under the same budget.
type StatedScope struct {
	ThisRelease   string `json:"this_release"`
	LedgerCap     string `json:"ledger_cap"`
	LedgerCharged string `json:"ledger_charged"` // mu squared of the releases published before and of this one, rounded up
	Period        string `json:"period"`
	PeriodKey     string `json:"period_key"`
	LifetimeCap   string `json:"lifetime_cap"`
	Refund        string `json:"refund"`
}

// StatedDomain says which tables are possible, and how rows are treated.
type StatedDomain struct {
	Text       string   `json:"text"`
	Columns    []string `json:"columns"`
	Filters    int      `json:"filters"`
	NullPolicy string   `json:"null_policy"`
}

// StatedMechanism is one mechanism of the release.
type StatedMechanism struct {
	Query     string  `json:"query"`
	Name      string  `json:"name"`
	L2        float64 `json:"l2"`
	Why       string  `json:"why"`
	Sigma     float64 `json:"sigma"`
	Grid      float64 `json:"grid"`
	Dimension int     `json:"dimension"`
}

// StatedNoise says how noise is drawn.
type StatedNoise struct {
	Rounding     string `json:"rounding"`
	Bits         string `json:"bits"`
	ConstantTime bool   `json:"constant_time"`
}

// StatedSteps are the steps of a query after its noise; Biased if an estimate's mean is not the answer.
type StatedSteps struct {
	Query  string   `json:"query"`
	Steps  []string `json:"steps"`
	Biased bool     `json:"biased"`
}

// StatedAccuracy is the error of a query's noisy cells. What to expect of the estimates is the query's expected_error.
type StatedAccuracy struct {
	Query    string  `json:"query"`
	SD       float64 `json:"standard_deviation"`
	CI95     float64 `json:"ci95_half_width"`
	OverRows bool    `json:"over_rows"` // to be divided by the private number of rows
}

// notStated stands where the job says nothing.
const notStated = "Not stated."

func said(text string) string {
	if text == "" {
		return notStated
	}
	return text
}

func saidAll(texts []string) []string {
	if len(texts) == 0 {
		return []string{notStated}
	}
	return texts
}

// privacyStatement states all but where the ledger stands.
func (p *Plan) privacyStatement(program Program) *PrivacyStatement {
	d := p.job.Deployment
	if d == nil {
		d = &configs.Deployment{UnitIsPerson: "unknown"}
	}
	s := &PrivacyStatement{
		UnitSentence: p.Statement(), PerUnit: StatedBounds(p.job.Privacy.PerUnit), UnitIsPerson: d.UnitIsPerson, FixedInAdvance: d.FixedInAdvance,
		NotProtected: append([]string{"what rows of other units tell; what a unit contributes beyond the bounds is left out, not protected elsewhere"}, d.NotProtected...),
		Guarantee:    guaranteeOf(p.Mechanisms(), cmp.Or(p.failure.share, "0")),
		DataDomain: StatedDomain{
			Text: said(d.DataDomain), Columns: p.Columns(), Filters: len(p.job.Input.Where),
			NullPolicy: "rows without a unit are left out; each dimension and value has the policy for nulls, other values and NaN that the job states",
		},
		Unprotected: append([]string{"the names and the number of the input files", "keys, bounds, public files and all else in the job"}, d.Unprotected...),
		HowChosen:   said(d.HowChosen), Model: "Central", Actors: said(d.Actors), AccessType: "Non-interactive",
		ReleaseType: "One release", DataSourceType: "Static",
		Noise:  StatedNoise{Rounding: "an exact normal variable, rounded once to the grid", Bits: "the operating system's source, expanded by a cipher", ConstantTime: false},
		Errors: "no error, log or duration that is published depends on a row", Tuning: said(d.Tuning), Code: program,
		Custody: said(d.Custody), Purpose: said(d.IntendedUse), Justification: said(d.Justification), Description: said(d.Description),
		Curators: saidAll(d.Curators), Region: said(d.Region), Sector: d.Sector, Contact: d.Contact, Authors: saidAll(d.Authors), Slug: d.Slug,
	}
	for _, param := range p.job.Params {
		if param.Type == "date" {
			s.ReleaseType, s.DataSourceType = "Many releases", "Dynamic"
		}
	}
	p.statedQueries(s)
	return s
}

// guaranteeOf states what mechanisms promise together, of which a share of delta may fail.
func guaranteeOf(ms []calibrate.Mechanism, deltaFailure string) StatedGuarantee {
	mu2 := calibrate.ComposedMu2(ms)
	g := StatedGuarantee{
		Mu: float64(calibrate.ComposedMu(ms)), Mu2: up(mu2), EpsilonAt: map[string]float64{}, PurePart: "0", DeltaFailure: deltaFailure,
	}
	g.Rho, _ = new(big.Float).SetPrec(53).SetMode(big.ToPositiveInf).Quo(mu2, big.NewFloat(2)).Float64()
	for _, delta := range []string{"1e-5", "1e-6", "1e-9"} {
		// What selecting keys takes of delta comes on top of the noise's; if nothing is left no epsilon is proven.
		left := calibrate.Delta(deltaLess(delta, g.DeltaFailure))
		if at, err := calibrate.Compose(ms, left); err == nil {
			g.EpsilonAt[delta] = float64(at.Epsilon)
		}
	}
	return g
}

// statedBits is more than a sum of mu squared has digits for.
const statedBits = 200

// up is x with 17 digits, at least x.
func up(x *big.Float) string {
	y := new(big.Float).SetPrec(statedBits).SetMode(big.ToPositiveInf).Set(x)
	y.Add(y, new(big.Float).SetMantExp(y, -50)) // more than half a unit of the last digit
	return y.Text('g', 17)
}

func (p *Plan) statedQueries(s *PrivacyStatement) {
	for i := range p.queries {
		q := &p.queries[i]
		for _, m := range q.Mechanisms {
			s.Mechanisms = append(s.Mechanisms, StatedMechanism{
				Query: m.Query, Name: "Gaussian", L2: m.Sens.L2, Why: m.Sens.Why, Sigma: float64(m.Sigma), Grid: m.Grid, Dimension: q.Query.Cells(),
			})
		}
		steps := stepNames(q.Steps)
		s.PostProcessing = append(s.PostProcessing, StatedSteps{Query: q.Query.Name(), Steps: steps, Biased: len(steps) > 0 || len(q.Components) > 1})
		half, perRow := q.HalfWidth()
		s.Accuracy = append(s.Accuracy, StatedAccuracy{Query: q.Query.Name(), SD: q.Deviation(), CI95: half, OverRows: perRow})
	}
}

// within states where the account stands with this release, of mu2, in it. Charges that never became visible are not counted: they
// would tell that a run failed.
func (s *PrivacyStatement) within(b ledger.Balance, mu2 *big.Float, g calibrate.Guarantee) {
	charged := new(big.Float).SetPrec(statedBits).SetMode(big.ToPositiveInf).Add(b.Published, mu2)
	s.Scope = StatedScope{
		ThisRelease: fmt.Sprintf("epsilon %g, delta %g", float64(g.Epsilon), float64(g.Delta)),
		LedgerCap:   fmt.Sprintf("mu %g: %s", float64(b.Largest), b.Budget), LedgerCharged: up(charged),
		Period: "total", LifetimeCap: fmt.Sprintf("epsilon %s, delta %s", b.Budget.Epsilon, b.Budget.Delta),
		Refund: "never, once noise may have been drawn",
	}
	var pers, keys []string
	for _, p := range b.Periods {
		pers, keys = append(pers, p.Per), append(keys, p.Name)
	}
	if len(pers) > 0 {
		s.Scope.Period, s.Scope.PeriodKey = strings.Join(pers, ", "), strings.Join(keys, ", ")
	}
}
