package ledger

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/dprelease/dprelease/calibrate"
)

// The JSON bodies of entries. The fields of each struct are in the order of their JSON keys, so that encoding/json
// writes sorted keys.
type (
	budgetBody struct {
		Account  Account `json:"account"`
		Day      Limit   `json:"day,omitzero"`
		Delta    string  `json:"delta"`
		DeltaCap string  `json:"delta_cap"`
		Epsilon  string  `json:"epsilon"`
		Month    Limit   `json:"month,omitzero"`
		Note     string  `json:"note,omitempty"` // the owner's reason for the change
		Year     Limit   `json:"year,omitzero"`
	}
	mechanismBody struct {
		// The query whose noisy answer decides the sensitivity of this mechanism. l2 and sigma are then the largest
		// possible ones. Empty if the sensitivity is fixed.
		After string `json:"after,omitempty"`
		Grid  string `json:"grid"`
		L2    string `json:"l2"`
		// The distribution of the noise; empty if it is Gaussian. Otherwise l2 is the L1 sensitivity, and sigma is the
		// standard deviation of a Gaussian mechanism that reveals at least as much.
		Noise string `json:"noise,omitempty"`
		Query string `json:"query"`
		Rule  int    `json:"rule,omitempty"`  // version of the rule that chooses the sensitivity; missing if it is fixed
		Scale string `json:"scale,omitempty"` // the scale of noise that is not Gaussian
		Sigma string `json:"sigma"`
		Why   string `json:"why"`
	}
	reserveBody struct {
		Account    Account           `json:"account"`
		DeltaShare string            `json:"delta_share"`
		Dir        string            `json:"dir"`
		Input      string            `json:"input,omitempty"`
		Job        string            `json:"job"`
		Mechanisms []mechanismBody   `json:"mechanisms"`
		Number     int               `json:"number"`
		Params     map[string]string `json:"params"`
		Run        string            `json:"run"`
		Units      map[string]string `json:"units,omitempty"`
	}
	sealBody struct {
		Input     string `json:"input"`
		Number    int    `json:"number"`
		Rendering string `json:"rendering"`
		Release   string `json:"release"`
		Run       string `json:"run"`
	}
	rerenderBody struct {
		Dir       string `json:"dir"`
		Job       string `json:"job"`
		Number    int    `json:"number"`
		Rendering string `json:"rendering"`
		Release   string `json:"release"`
		Run       string `json:"run"`
	}
	withdrawBody struct {
		Number int    `json:"number"`
		Reason string `json:"reason"`
		Run    string `json:"run"`
	}
	pruneBody struct {
		Number  int    `json:"number"`
		Release string `json:"release"` // SHA-256 of the manifest of the publication
		Run     string `json:"run"`
	}
	moveBody struct {
		To string `json:"to"`
	}
	stepBody struct {
		// The folder in which the release was published; empty if it is the folder in the reservation.
		Dir    string `json:"dir,omitempty"`
		Number int    `json:"number"`
		Run    string `json:"run"`
	}
)

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// decode reads the body of e. An unknown field is a CorruptError, since this package did not write it.
func decode[T any](e Entry) (T, error) {
	var v T
	dec := json.NewDecoder(bytes.NewReader(e.Body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		return v, &CorruptError{e.Seq, "its body cannot be read"}
	}
	if _, err := dec.Token(); err != io.EOF {
		return v, &CorruptError{e.Seq, "its body has a tail"}
	}
	return v, nil
}

func reserveOf(c Charge) reserveBody {
	ms := make([]mechanismBody, len(c.Mechanisms))
	for i, m := range c.Mechanisms {
		ms[i] = mechanismBody{After: m.ChosenBy, Grid: calibrate.FormatExact(m.Grid),
			L2: calibrate.FormatExact(m.Sens.L2), Noise: string(m.Noise), Query: m.Query, Rule: m.RuleVersion,
			Sigma: calibrate.FormatExact(float64(m.Sigma)), Why: m.Sens.Why}
		if m.Noise != calibrate.Gaussian {
			ms[i].Scale = calibrate.FormatExact(m.Scale)
		}
	}
	params := c.Params
	if params == nil {
		params = map[string]string{}
	}
	return reserveBody{Account: c.Account, DeltaShare: zeroIfEmpty(c.DeltaShare), Dir: c.Dir,
		Input: c.Input, Job: c.Job,
		Mechanisms: ms, Number: c.Number,
		Params: params, Run: c.Run, Units: c.Units}
}

func (b reserveBody) charge() (Charge, error) {
	ms := make([]calibrate.Mechanism, len(b.Mechanisms))
	for i, m := range b.Mechanisms {
		var err error
		if ms[i], err = m.mechanism(); err != nil {
			return Charge{}, err
		}
	}
	return Charge{
		Run: b.Run, Number: b.Number, Job: b.Job, Params: b.Params, Input: b.Input, Dir: b.Dir, Account: b.Account,
		Mechanisms: ms,
		DeltaShare: emptyIfZero(b.DeltaShare), Units: b.Units,
	}, nil
}

func (b mechanismBody) mechanism() (calibrate.Mechanism, error) {
	texts := []string{b.L2, b.Sigma, b.Grid}
	if b.Noise != "" || b.Scale != "" {
		texts = append(texts, b.Scale)
	}
	var v [4]float64
	for i, s := range texts {
		x, err := calibrate.ParseNearest(s)
		if err != nil || calibrate.FormatExact(x) != s {
			return calibrate.Mechanism{}, ErrCorrupt
		}
		v[i] = x
	}
	return calibrate.Mechanism{
		Query: b.Query, Sens: calibrate.Sensitivity{L2: v[0], Why: b.Why}, Sigma: calibrate.Sigma(v[1]), Grid: v[2],
		Noise: calibrate.Distribution(b.Noise), Scale: v[3], ChosenBy: b.After, RuleVersion: b.Rule,
	}, nil
}

func (b budgetBody) budget() Budget {
	return Budget{
		Epsilon: b.Epsilon, Delta: b.Delta, DeltaCap: emptyIfZero(b.DeltaCap),
		Day: b.Day, Month: b.Month, Year: b.Year,
	}
}
