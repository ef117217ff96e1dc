package manifest

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/dprelease/dprelease/calibrate"
)

// The first format
//
// It stated each mechanism in its query's parts, in the query itself in the unit of the answer, and in the privacy block; steps and accuracy
// in the query and in the privacy block; and repeated the job's deployment block with "Not stated." in each gap. Releases in it stay as
// they were published. upgrade keeps each fact once; agrees compares the repetitions, so that verify still notices a change of any of them.
// The first versions had no more of the privacy block than the guarantee.

const format1 = "dprelease/1"

type manifest1 struct {
	Format    string            `json:"format"`
	Name      string            `json:"name"`
	Params    map[string]string `json:"params"`
	Privacy   privacy1          `json:"privacy"`
	Queries   []query1          `json:"queries"`
	Ledger    *Ledger           `json:"ledger"`
	MadeFrom  string            `json:"made_from"`
	Signature *Signature        `json:"signature"`
	Job       json.RawMessage   `json:"job"`
	Program   Program           `json:"program"`
}

type privacy1 struct {
	Epsilon      float64  `json:"epsilon"`
	Delta        float64  `json:"delta"`
	DeltaFailure float64  `json:"delta_failure"`
	Mu           float64  `json:"mu"`
	Unit         []string `json:"unit"`
	Adjacency    string   `json:"adjacency"`
	Statement    string   `json:"statement"`
	statement1
}

type statement1 struct {
	UnitSentence string   `json:"unit_sentence"`
	PerUnit      Bounds   `json:"per_unit"`
	UnitIsPerson string   `json:"unit_is_person"`
	NotProtected []string `json:"not_protected"`

	Guarantee struct {
		Measures
		DeltaFailure string `json:"delta_failure"`
	} `json:"guarantee"`
	Scope struct {
		ThisRelease string `json:"this_release"`
		Scope
	} `json:"scope"`
	FixedInAdvance bool `json:"fixed_in_advance"`

	DataDomain struct {
		Text string `json:"text"`
		Domain
	} `json:"data_domain"`
	Unprotected []string `json:"unprotected"`
	HowChosen   string   `json:"how_chosen"`

	Model          string `json:"model"`
	Actors         string `json:"actors"`
	ReleaseType    string `json:"release_type"`
	DataSourceType string `json:"data_source_type"`
	AccessType     string `json:"access_type"`

	Mechanisms []struct {
		Query     string  `json:"query"`
		Name      string  `json:"name"`
		L2        float64 `json:"l2"`
		Why       string  `json:"why"`
		Sigma     float64 `json:"sigma"`
		Grid      float64 `json:"grid"`
		Dimension int     `json:"dimension"`
	} `json:"mechanisms"`
	Noise          Noise `json:"noise"`
	PostProcessing []struct {
		Query  string   `json:"query"`
		Steps  []string `json:"steps"`
		Biased bool     `json:"biased"`
	} `json:"post_processing"`
	Accuracy []accuracy1 `json:"accuracy"`
	Tuning   string      `json:"tuning"`

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

type accuracy1 struct {
	Query    string  `json:"query"`
	SD       float64 `json:"standard_deviation"`
	CI95     float64 `json:"ci95_half_width"`
	OverRows bool    `json:"over_rows"`
}

type query1 struct {
	Name        string      `json:"name"`
	Kind        string      `json:"kind"`
	Cells       int         `json:"cells"`
	Sensitivity Sensitivity `json:"sensitivity"`
	Sigma       float64     `json:"sigma"`
	Grid        float64     `json:"grid"`
	Mu          float64     `json:"mu"`
	Selection   *struct {
		Selection
		Statement string `json:"statement"`
	} `json:"selection"`
	Parts []struct {
		Name              string      `json:"name"`
		Sensitivity       Sensitivity `json:"sensitivity"`
		Sigma             float64     `json:"sigma"`
		Grid              float64     `json:"grid"`
		StandardDeviation float64     `json:"standard_deviation"`
		Mu                float64     `json:"mu"`
	} `json:"parts"`
	Denoise  []string `json:"denoise"`
	Notes    []string `json:"denoise_notes"`
	Expected *Error   `json:"expected_error"`
	Files    []File   `json:"files"`
}

func (o *manifest1) complete() bool { return !reflect.ValueOf(o.Privacy.statement1).IsZero() }

// upgrade keeps each fact once.
func (o *manifest1) upgrade() Manifest {
	p := &o.Privacy
	m := Manifest{
		Format: o.Format, Name: o.Name, Params: o.Params, Ledger: o.Ledger, MadeFrom: o.MadeFrom, Signature: o.Signature, Job: o.Job,
		Program: o.Program, first: o,
		Privacy: Privacy{
			Statement: p.Statement, Unit: p.Unit, Adjacency: p.Adjacency, Epsilon: p.Epsilon, Delta: p.Delta,
			DeltaFailure: strconv.FormatFloat(p.DeltaFailure, 'g', -1, 64), Measures: Measures{Mu: p.Mu},
		},
	}
	if o.complete() {
		n := &m.Privacy
		n.DeltaFailure, n.Measures = p.Guarantee.DeltaFailure, p.Guarantee.Measures
		n.Mu = p.Mu
		n.PerUnit, n.Scope, n.DataDomain, n.Noise = p.PerUnit, p.Scope.Scope, p.DataDomain.Domain, p.Noise
		if n.Scope.Period == "total" {
			n.Scope.Period = ""
		}
		n.Model, n.AccessType, n.ReleaseType, n.DataSource = p.Model, p.AccessType, p.ReleaseType, p.DataSourceType
		d := m.Deployment()
		n.NotProtected, n.Unprotected, n.Errors = less(p.NotProtected, d.NotProtected), less(p.Unprotected, d.Unprotected), p.Errors
	}
	for i := range o.Queries {
		q := o.Queries[i].upgrade()
		if i < len(p.Accuracy) {
			half := p.Accuracy[i].CI95
			q.HalfWidth, q.OverRows = &half, p.Accuracy[i].OverRows
		}
		if o.Queries[i].Selection != nil {
			m.Privacy.Selected = o.Queries[i].Selection.Statement
		}
		m.Queries = append(m.Queries, q)
	}
	return m
}

// less is a list without what the owner of the data added at its end.
func less(list, added []string) []string {
	if n := len(list) - len(added); n >= 0 && slices.Equal(list[n:], added) {
		return list[:n]
	}
	return list
}

func (o *query1) upgrade() Query {
	q := Query{
		Name: o.Name, Kind: o.Kind, Cells: o.Cells, Denoise: o.Denoise, Notes: o.Notes, Expected: o.Expected, Files: o.Files,
		Biased: len(o.Denoise) > 0 || len(o.Parts) > 1,
	}
	for _, p := range o.Parts {
		component := p.Name
		if p.Name == o.Name && len(o.Parts) == 1 {
			component = ""
		}
		q.Mechanisms = append(q.Mechanisms, Mechanism{
			Component: component, Noise: gaussian, Sensitivity: p.Sensitivity, Sigma: p.Sigma, Grid: p.Grid,
			StandardDeviation: p.StandardDeviation, Mu: p.Mu,
		})
	}
	if len(o.Parts) > 0 && o.Grid != o.Parts[0].Grid {
		q.Scale = o.Grid / o.Parts[0].Grid // grids are exact
	}
	if o.Selection != nil {
		q.Selection = &o.Selection.Selection
	}
	return q
}

// agrees says whether all places of the old file state the same. The mechanisms of m are those of the queries' parts.
func (o *manifest1) agrees(m *Manifest) error {
	for i := range o.Queries {
		if err := o.Queries[i].agrees(&m.Queries[i]); err != nil {
			return err
		}
	}
	p := &o.Privacy
	if !o.complete() {
		return nil
	}
	if f, err := calibrate.ParseNearest(p.Guarantee.DeltaFailure); err != nil || f != p.DeltaFailure {
		return errors.New("the privacy block states delta_failure twice, and not the same")
	}
	ms := m.Mechanisms()
	same := len(ms) == len(p.Mechanisms) && p.Guarantee.Mu == p.Mu
	for i := 0; same && i < len(ms); i++ {
		s := &p.Mechanisms[i]
		same = s.Query == ms[i].Query && s.L2 == ms[i].Sens.L2 && s.Sigma == float64(ms[i].Sigma) && s.Grid == ms[i].Grid
	}
	switch {
	case !same:
		return errors.New("the privacy block states other mechanisms than the queries")
	case p.UnitSentence != p.Statement:
		return errors.New("the statement does not follow from the mechanisms, the unit and the adjacency")
	case len(p.Accuracy) != len(m.Queries):
		return errors.New("the privacy block states the accuracy of other queries")
	}
	for i, a := range p.Accuracy {
		if q := &m.Queries[i]; a.Query != q.Name || a.SD != q.Deviation() {
			return errors.New(q.Name + ": the accuracy that the privacy block states does not follow from its mechanisms")
		}
	}
	return nil
}

// agrees says whether what the old query states in the unit of the answer follows from its mechanisms.
func (o *query1) agrees(q *Query) error {
	ms := q.Calibrated()
	if math.IsNaN(q.Scale) || o.Mu != float64(calibrate.ComposedMu(ms)) || o.Sigma != q.Scaled(float64(ms[0].Sigma)) || o.Sensitivity.L2 != q.Scaled(ms[0].Sens.L2) {
		return errors.New(q.Name + ": its mu, sigma or sensitivity does not follow from those of its mechanisms")
	}
	return nil
}
