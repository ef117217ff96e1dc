package strategy

import (
	"math"
	"math/big"
)

// Changes by a replaced row
//
// If a row is replaced by another, it moves to another cell. Let D be the attributes whose values differ. The residual
// of S then changes by the difference of two columns, whose squared norm is
//
//	2·p_S·(1 − prod_{i in S and D} −1/(d_i − 1)).
//
// It is 0 if no attribute of D is in S. No single D gives the largest change of every residual. So mu² is the largest
// value, over all D, of the sum over the residuals. This is less than the sum of each residual's largest change. The
// best noise makes this sum equal for several D (see [Marginals.Solve]).

// maxChanges limits the length of the list of changes: the number of sets D times the number of residuals.
const maxChanges = 1 << 20

// interval is the range of integers from low to high. Both are nil if it is empty.
type interval struct{ low, high *big.Int }

// with returns the smallest interval that contains v and x.
func (v interval) with(x *big.Int) interval {
	if v.low == nil || x.Cmp(v.low) < 0 {
		v.low = x
	}
	if v.high == nil || x.Cmp(v.high) > 0 {
		v.high = x
	}
	return v
}

// times returns the smallest interval that contains all products of a number of v and a number of w.
func (v interval) times(w interval) (out interval) {
	for _, a := range []*big.Int{v.low, v.high} {
		for _, b := range []*big.Int{w.low, w.high} {
			out = out.with(new(big.Int).Mul(a, b))
		}
	}
	return out
}

// Added returns the squared norm by which one added row changes each residual, in rows², rounded up.
func (m *Marginals) Added() []float64 {
	out := make([]float64, len(m.residuals))
	for i, s := range m.residuals {
		out[i] = roundUp(m.ColumnNorm(s))
	}
	return out
}

// Replaced returns the changes that replacing or removing one row can make: item [c][i] is the squared norm of the
// change of residual i in case c, in rows², rounded up. If there are too many cases, it returns one case that has the
// largest change of each residual.
func (m *Marginals) Replaced() [][]float64 {
	all := Set(0)
	for _, s := range m.residuals {
		all |= s
	}
	attributes := all.Attributes()
	if len(attributes) >= 20 || len(m.residuals)<<len(attributes) > maxChanges {
		alone := make([]float64, len(m.residuals))
		for i, s := range m.residuals {
			alone[i] = roundUp(m.replacedNorm(s))
		}
		return [][]float64{alone}
	}
	out, known := [][]float64{m.Added()}, make([]map[Set]float64, len(m.residuals))
	for d := 1; d < 1<<len(attributes); d++ {
		changed := Set(0)
		for k, i := range attributes {
			if d>>k&1 == 1 {
				changed |= SetOf(i)
			}
		}
		costs := make([]float64, len(m.residuals))
		for i, s := range m.residuals {
			cost, ok := known[i][changed&s]
			if !ok {
				if known[i] == nil {
					known[i] = map[Set]float64{}
				}
				cost = roundUp(m.changeNorm(s, changed&s))
				known[i][changed&s] = cost
			}
			costs[i] = cost
		}
		out = append(out, costs)
	}
	return out
}

// changeNorm returns an upper bound on the squared norm by which residual s changes if the values of a row change in
// all attributes of the set changed.
func (m *Marginals) changeNorm(s, changed Set) *big.Rat {
	if changed == 0 {
		return new(big.Rat)
	}
	one := big.NewInt(1)
	norm, inner := new(big.Int).Set(one), interval{one, one}
	for _, i := range s.Attributes() {
		norm.Mul(norm, m.facts[i].alike.high)
		if changed.Has(SetOf(i)) {
			inner = inner.times(m.facts[i].unlike)
		} else {
			inner = inner.times(m.facts[i].alike)
		}
	}
	return m.inRows2(norm.Lsh(norm.Sub(norm, inner.low), 1), s)
}

// roundUp returns the least float64 that is at least x.
func roundUp(x *big.Rat) float64 {
	f, _ := x.Float64()
	if new(big.Rat).SetFloat64(f).Cmp(x) < 0 {
		f = math.Nextafter(f, math.Inf(1))
	}
	return f
}
