package ledger

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger"
)

// exported is one release in the output of `ledger export`.
type exported struct {
	Run        string              `json:"run"`
	Window     string              `json:"window"`
	State      ledger.State        `json:"state"`
	Mechanisms []exportedMechanism `json:"mechanisms"`
	// Mu is the mu of this release alone: the square root of the sum of (L2/sigma)² over its mechanisms, rounded up.
	Mu float64 `json:"mu"`
}

// exportedMechanism is a mechanism of a release, with numbers as exact decimals.
type exportedMechanism struct {
	Query string `json:"query"`
	L2    string `json:"l2"`
	Sigma string `json:"sigma"`
	// Noise and Scale are set if the noise is not Gaussian. Sigma is then the sigma of the Gaussian noise that was charged
	// in its place.
	Noise string `json:"noise,omitempty"`
	Scale string `json:"scale,omitempty"`
	Grid  string `json:"grid"`
	Why   string `json:"why"`
}

func (a *accounts) ledgerExport(ctx context.Context, o *openedLedger) error {
	s, err := o.snapshot(ctx)
	if err != nil {
		return err
	}
	entries := make([]exported, 0, len(s.Runs))
	for i := range s.Runs {
		entries = append(entries, export(&s.Runs[i]))
	}
	if !o.csv {
		return a.PrintJSON(map[string]any{"entries": entries})
	}
	rows := [][]string{{"run", "window", "state", "mechanisms", "mu"}}
	for _, e := range entries {
		mechanisms, err := json.Marshal(e.Mechanisms)
		if err != nil {
			return err
		}
		rows = append(rows, []string{e.Run, e.Window, string(e.State), string(mechanisms), calibrate.FormatExact(e.Mu)})
	}
	return a.printCSV(rows)
}

func export(r *ledger.Run) exported {
	state := r.State
	if r.Withdrawn != nil {
		state = "withdrawn"
	} else if _, pruned := r.Pruned[r.Digests.Release]; pruned {
		state = "pruned"
	}
	e := exported{Run: r.Charge.Run, Window: Window(r.Charge.Params), State: state,
		Mu: float64(calibrate.ComposedMu(r.Charge.Mechanisms))}
	for _, m := range r.Charge.Mechanisms {
		x := exportedMechanism{
			Query: m.Query, L2: calibrate.FormatExact(m.Sens.L2), Sigma: calibrate.FormatExact(float64(m.Sigma)),
			Grid: calibrate.FormatExact(m.Grid), Why: m.Sens.Why,
		}
		if m.Noise != calibrate.Gaussian {
			x.Noise, x.Scale = string(m.Noise), calibrate.FormatExact(m.Scale)
		}
		e.Mechanisms = append(e.Mechanisms, x)
	}
	return e
}

// Window returns the values of a release's parameters: the value if there is one parameter, else name=value for each.
func Window(params map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if len(params) == 1 {
			return params[name]
		}
		parts = append(parts, name+"="+params[name])
	}
	return strings.Join(parts, ",")
}
