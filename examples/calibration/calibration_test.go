//go:build check

package main

import (
	"math"
	"testing"

	"github.com/dprelease/dprelease/examples/internal/experimenttest"
)

// Everything here is exact: no test of this file can fail by chance.
func TestClaims(t *testing.T) {
	dir := experimenttest.Quick(t, calibration())
	experimenttest.Figures(t, dir, "gains", "failure_regions", "mechanisms")
	t.Run("gains", func(t *testing.T) { checkGains(t, experimenttest.Table(t, dir, "gains")) })
	t.Run("mechanisms", func(t *testing.T) { checkMechanisms(t, experimenttest.Table(t, dir, "mechanisms")) })
	t.Run("limits", func(t *testing.T) { checkLimits(t, experimenttest.Table(t, dir, "limits")) })
	t.Run("table1", func(t *testing.T) { checkTable1(t, experimenttest.Table(t, dir, "table1")) })
	t.Run("errata", func(t *testing.T) { checkErrata(t, experimenttest.Table(t, dir, "errata")) })
}

// "Analytical calibration removes at least a third of the variance" is true down to delta = 1e-6 and false at 1e-8 near
// epsilon = 1; the gain grows as epsilon falls and as delta grows.
func checkGains(t *testing.T, rows []experimenttest.Row) {
	short := false
	var before experimenttest.Row
	for _, r := range rows {
		removed := r.Float("removed")
		if r.Float("delta") > 5e-7 && removed < 1./3 {
			t.Errorf("only %g of the variance is removed at %v", removed, r)
		}
		short = short || removed < 1./3
		if before != nil && before["delta"] == r["delta"] && removed >= before.Float("removed") {
			t.Errorf("the gain does not fall with epsilon at %v", r)
		}
		before = r
	}
	if !short {
		t.Error("a third is removed at every delta: the claim's limit does not show")
	}
}

// The order of Zhao et al.: DP-OPT <= Mechanism 1 <= pDP-OPT <= Mechanism 3 <= Mechanism 4, and all of these always
// hold.
func checkMechanisms(t *testing.T, rows []experimenttest.Row) {
	order := []string{"analytic", "zhao-1", "pdp-opt", "zhao-3", "zhao-4"}
	sigma := map[string]map[string]float64{}
	for _, r := range rows {
		point := r["eps"] + " " + r["delta"]
		if sigma[point] == nil {
			sigma[point] = map[string]float64{}
		}
		sigma[point][r["method"]] = r.Float("sigma")
		classic := r["method"] == "dwork-2014" || r["method"] == "dwork-2006"
		if r["holds"] != "true" && (!classic || r.Float("eps") < 5) {
			t.Errorf("%s does not hold at %s", r["method"], point)
		}
	}
	for point, s := range sigma {
		for i := 1; i < len(order); i++ {
			if s[order[i]] < s[order[i-1]] {
				t.Errorf("%s needs less than %s at %s", order[i], order[i-1], point)
			}
		}
	}
}

// The exact limits of both classical formulas, to the digits of an independent computation.
func checkLimits(t *testing.T, rows []experimenttest.Row) {
	want := map[string]float64{
		"0.001 dwork-2014": 7.463474, "0.0001 dwork-2014": 7.990993, "1e-05 dwork-2014": 8.419771,
		"1e-06 dwork-2014": 8.782092,
		"0.001 dwork-2006": 8.512441, "0.0001 dwork-2006": 8.992664, "1e-05 dwork-2006": 9.391321,
		"1e-06 dwork-2006": 9.732751,
	}
	found := 0
	for _, r := range rows {
		if w, ok := want[r["delta"]+" "+r["method"]]; ok {
			found++
			if math.Abs(r.Float("G")-w) > 1e-6 {
				t.Errorf("G = %s at %v, want %g", r["G"], r, w)
			}
		}
	}
	if found != len(want) {
		t.Errorf("%d limits of %d", found, len(want))
	}
}

// The classical formulas fail at epsilon 10 and above for every delta of the table if they must.
func checkTable1(t *testing.T, rows []experimenttest.Row) {
	for _, r := range rows {
		classic := r["method"] == "dwork-2014" || r["method"] == "dwork-2006" || r["method"] == "lecture"
		fails := classic && r.Float("eps") >= 10
		if (r["holds"] == "false") != fails {
			t.Errorf("holds: %s at %v", r["holds"], r)
		}
	}
}

func checkErrata(t *testing.T, rows []experimenttest.Row) {
	for _, r := range rows {
		if r.Float("printed") == r.Float("exact") {
			t.Errorf("no error in %v", r)
		}
	}
	if len(rows) != 6 {
		t.Errorf("%d rows", len(rows))
	}
}

// The sigmas equal the reference values within a fraction of 1e-8, at the points that both tables have.
func TestReference(t *testing.T) {
	compared := 0
	columns := map[string]string{
		"analytic": "sigma_opt", "zhao-1": "sigma_m1", "zhao-2": "sigma_m2", "pdp-opt": "sigma_pdp_opt",
		"zhao-3": "sigma_m3", "zhao-4": "sigma_m4",
		"dwork-2006": "sigma_dwork2006", "dwork-2014": "sigma_dwork2014", "zcdp": "sigma_zcdp_simple",
	}
	reference := experimenttest.Golden(t, "calibration/closed_form.csv")
	table := experimenttest.Table(t, experimenttest.Quick(t, calibration()), "table1")
	for _, r := range table {
		for _, g := range reference {
			column, ok := columns[r["method"]]
			if !ok || g.Float("eps") != r.Float("eps") || g.Float("delta") != r.Float("delta") || g[column] == "" {
				continue
			}
			compared++
			if math.Abs(r.Float("sigma")/g.Float(column)-1) > 1e-8 {
				t.Errorf("%v: %s is %s", r, column, g[column])
			}
		}
	}
	if compared < 20 {
		t.Errorf("%d values compared", compared)
	}
}
