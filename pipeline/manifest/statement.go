package manifest

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/queries/query"
)

// Promise holds the facts that the sentence about a release's guarantee states. Its decimals are written as in the job.
type Promise struct {
	Epsilon, Delta string
	// DeltaFailure is the part of delta for selecting keys; "" if none are selected.
	DeltaFailure string
	// MinUnits is set if some query drops keys with few units before it selects keys.
	MinUnits bool
	Mu       calibrate.Mu
	// Unit lists the columns of the privacy unit; empty if the unit is a row, or if Upstream is set.
	Unit []string
	// Tables are the names of the private tables, if there are several.
	Tables []string
	// Upstream is what the table's producer promises about units that the program did not bound; nil if it bounded them.
	Upstream  *Upstream
	Adjacency query.Adjacency
}

// String returns the guarantee as a sentence: the manifest's statement.
func (p Promise) String() string {
	unit, change, failure := "one row", "added or removed", ""
	if u := p.Upstream; u != nil {
		unit = "all rows of one " + u.Name
		if u.MaxChange > 0 || u.MaxSum > 0 {
			unit = "everything that one " + u.Name + " adds to the counts of the table"
		}
		failure = " This holds if the producer of the table kept the promise that " + u.String() + ": this program did not " +
			"bound what one " + u.Name + " adds, and did not check the promise."
	} else if len(p.Unit) > 0 {
		unit = "all rows of one " + strings.Join(p.Unit, ", ")
	}
	if len(p.Tables) > 0 {
		unit += " in all tables (" + strings.Join(p.Tables, ", ") + ")"
	}
	if p.Adjacency == query.ReplaceOne {
		change = "replaced"
	}
	if p.DeltaFailure != "" {
		rare := "which one unit alone has"
		if p.MinUnits {
			rare = "which has as many units as its query asks of it (min_units, or 1) only with that one unit"
		}
		failure += fmt.Sprintf(" Of this delta, %s is the probability that a key is published %s; but for that the release "+
			"is as Gaussian differentially private as it says.", p.DeltaFailure, rare)
	}
	return fmt.Sprintf("Whatever else is known, this release as a whole is (%s, %s)-differentially private, and "+
		"%s-Gaussian differentially private, for %s being %s.%s",
		p.Epsilon, p.Delta, strconv.FormatFloat(float64(p.Mu), 'g', -1, 64), unit, change, failure)
}

// UnitColumns returns the privacy unit as a manifest lists it: its columns, or "row".
func UnitColumns(unit []string) []string {
	if len(unit) == 0 {
		return []string{"row"}
	}
	return unit
}

// SelectedKeys explains discovered keys to readers.
const SelectedKeys = "The keys are those of the private table whose noisy counts reached the threshold. Others may " +
	"exist, and counts near the threshold are too large on average."

// leavesOut reports whether some query drops keys with few units before it selects keys.
func (m *Manifest) leavesOut() bool {
	return slices.ContainsFunc(m.Queries, func(q Query) bool { return q.Selection != nil && q.Selection.MinUnits > 1 })
}

// MeasuresOf returns measures of the composed guarantee of mechanisms. deltaFailure is the part of delta for selecting
// keys; "0" if there is none.
func MeasuresOf(ms []calibrate.Mechanism, deltaFailure string) Measures {
	mu2 := calibrate.ComposedMu2(ms)
	g := Measures{Mu: float64(calibrate.ComposedMu(ms)), Mu2: up(mu2), EpsilonAt: map[string]float64{}, Pure: "0"}
	g.Rho, _ = new(big.Float).SetPrec(53).SetMode(big.ToPositiveInf).Quo(mu2, big.NewFloat(2)).Float64()
	if pure := calibrate.ComposedPure(ms); pure != nil {
		sum, _ := new(big.Float).SetPrec(53).SetMode(big.ToPositiveInf).Set(pure).Float64()
		g.Pure = strconv.FormatFloat(sum, 'g', -1, 64)
	}
	for _, delta := range []string{"1e-5", "1e-6", "1e-9"} {
		// The failure of key selection takes its part of delta. If nothing is left for the noise, no epsilon is proven.
		left := calibrate.Delta(LeftForNoise(delta, deltaFailure))
		if at, err := calibrate.Compose(ms, left); err == nil {
			g.EpsilonAt[delta] = float64(at.Epsilon)
		}
	}
	return g
}

// LeftForNoise returns delta minus share, the part for selecting keys, rounded down to a float64. Both are decimals. It
// returns 0 if one of them is not a number, or if the result is negative.
func LeftForNoise(delta, share string) float64 {
	whole, err1 := calibrate.ParseDecimal(delta)
	part, err2 := calibrate.ParseDecimal(share)
	if err1 != nil || err2 != nil || part.Rat().Sign() < 0 {
		return 0
	}
	return calibrate.RoundDown(new(big.Rat).Sub(whole.Rat(), part.Rat()))
}

// ScopeOf returns the state of a budget after a release with this mu². It does not count charges that never led to a
// published release, since they would reveal that a run failed.
func ScopeOf(b ledger.Balance, mu2 *big.Float) Scope {
	charged := new(big.Float).SetPrec(statedBits).SetMode(big.ToPositiveInf).Add(b.Published, mu2)
	s := Scope{
		LedgerCap: fmt.Sprintf("mu %g: %s", float64(b.Largest), b.Budget), LedgerCharged: up(charged),
		LifetimeCap: fmt.Sprintf("epsilon %s, delta %s", b.Budget.Epsilon, b.Budget.Delta),
		Refund:      "never, once noise may have been drawn",
	}
	var pers, keys []string
	for _, p := range b.Periods {
		pers, keys = append(pers, p.Per), append(keys, p.Name)
	}
	s.Period, s.PeriodKey = strings.Join(pers, ", "), strings.Join(keys, ", ")
	return s
}

// statedBits is the precision of sums of mu², in bits: far more than the 17 digits that are stated.
const statedBits = 200

// up formats x with 17 digits, rounded up.
func up(x *big.Float) string {
	y := new(big.Float).SetPrec(statedBits).SetMode(big.ToPositiveInf).Set(x)
	y.Add(y, new(big.Float).SetMantExp(y, -50)) // a relative margin of 2^-50, more than half a unit in the 17th digit
	return y.Text('g', 17)
}
