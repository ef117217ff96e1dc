package gauss

import "math/big"

// interval encloses a number in [0, ∞): low <= number·2^precision <= high. Its bounds are never changed once it is
// made.
type interval struct{ low, high *big.Int }

// fixed is the precision of fixed-point interval arithmetic, in binary digits. Every operation rounds outwards.
type fixed uint

var one = big.NewInt(1)

// ratio encloses num/2^n, exactly if n <= the precision.
func (p fixed) ratio(num *big.Int, n uint) interval {
	if n <= uint(p) {
		x := new(big.Int).Lsh(num, uint(p)-n)
		return interval{x, x}
	}
	return roundOutwards(num, num, n-uint(p))
}

// roundOutwards returns [low/2^n, high/2^n], the lower bound rounded down and the upper one up.
func roundOutwards(low, high *big.Int, n uint) interval {
	down := new(big.Int).Rsh(low, n)
	up := new(big.Int).Neg(high)
	up.Rsh(up, n)
	return interval{down, up.Neg(up)}
}

func (p fixed) mul(x, y interval) interval {
	return roundOutwards(new(big.Int).Mul(x.low, y.low), new(big.Int).Mul(x.high, y.high), uint(p))
}

func (p fixed) add(x, y interval) interval {
	return interval{new(big.Int).Add(x.low, y.low), new(big.Int).Add(x.high, y.high)}
}

// complement encloses 1 − x/k, for x/k <= 1.
func (p fixed) complement(x interval, k int64) interval {
	unit := new(big.Int).Lsh(one, uint(p))
	d := big.NewInt(k)
	least := new(big.Int).Div(x.low, d)
	most := new(big.Int).Div(new(big.Int).Add(x.high, big.NewInt(k-1)), d)
	return interval{new(big.Int).Sub(unit, most), new(big.Int).Sub(unit, least)}
}

// exp encloses e^(−t). It halves t until it is at most 1/2, encloses Taylor's remainder from the inside out (R_(k−1) =
// 1 − t/k·R_k with R_k in [0, 1], as expFixed does), and squares the result once per halving.
func (p fixed) exp(t interval) interval {
	halvings := max(0, t.high.BitLen()-int(p)+1)
	t = roundOutwards(t.low, t.high, uint(halvings))
	r := interval{new(big.Int), new(big.Int).Lsh(one, uint(p))}
	for k := int64(p)/4 + 8; k > 0; k-- { // (1/2)^k/k! is below 2^-p for this k
		r = p.complement(p.mul(t, r), k)
	}
	for range halvings {
		r = p.mul(r, r)
	}
	return r
}

// halving is the level from which each term e^(−a²/512) is less than half of the one before: (2·178+1)/512 > ln 2.
const halving = 178

// sums encloses G(j) = Σ e^(−i²/512) over i <= j, for every j up to the first term below two units of precision, and N,
// the sum of all terms. With q = e^(−1/512), the term is q^(i²) and the next one is q^(2i+1) times as large.
func (p fixed) sums() (g []interval, n interval) {
	q := p.exp(p.ratio(one, 9))
	square, ratio := p.mul(q, q), q
	term := p.ratio(one, 0)
	sum := interval{new(big.Int), new(big.Int)}
	for j := 0; j < halving || term.high.Cmp(one) > 0; j++ {
		sum = p.add(sum, term)
		g = append(g, sum)
		term, ratio = p.mul(term, ratio), p.mul(ratio, square)
	}
	rest := new(big.Int).Lsh(term.high, 1) // from here on, each term is at most half of the term before
	return g, interval{sum.low, new(big.Int).Add(sum.high, rest)}
}
