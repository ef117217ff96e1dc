package calibrate

import (
	"math/big"
	"sync"
)

// The table serves mills: at each node, the head of the Taylor series of R in double-double, the tail in float64.
const (
	millsStep  = 1. / 8
	millsHead  = 10
	millsTail  = 8
	millsNodes = asymptoticFrom*8 + 1

	// tablePrec is the precision, in bits, and tableTerms the number of terms, with which the table is made.
	tablePrec  = 384
	tableTerms = 40
)

// millsNode holds R^(n)(x)/n! at one node.
type millsNode struct {
	head [millsHead]dd
	tail [millsTail]float64
}

// millsTable makes the table once, in a few milliseconds, instead of shipping thousands of digits that nobody can read.
//
// Proof note. R solves y' = x·y - 1 (R = integral over t >= 0 of e^(-xt - t²/2)). Two solutions differ by a multiple of
// e^(x²/2), so an error at one node shrinks on the way down to 0: the walk starts at 26, where the asymptotic series is
// within 2^-450, and steps down by Taylor series. |R^(n)(x)|/n! = integral of t^n/n!·e^(-xt - t²/2), largest at x = 0,
// is below 2^-80 from n = 41 on, so a step leaves out less than 2^-200. The recurrence for the coefficients favours the
// other solution: by n = 18 it has lost a factor of at most 26^37/18! < 2^122 of 2^382, and what it loses later meets
// 8^-n. So entries are within 2^-200 of R^(n)/n!, relative, before they are rounded: to 2^-106 (head) and 2^-53 (tail).
var millsTable = sync.OnceValue(func() *[millsNodes]millsNode {
	t := new([millsNodes]millsNode)
	value := tableFloat(0).Set(bigMills(bigOf(asymptoticFrom)))
	for i := range t {
		k := millsNodes - 1 - i
		c := millsTaylor(float64(k)*millsStep, value)
		t[k].fill(c)
		value = stepDown(c)
	}
	return t
})

func tableFloat(x float64) *big.Float { return new(big.Float).SetPrec(tablePrec).SetFloat64(x) }

// millsTaylor is the Taylor coefficients c[n] of R at x, from c[0] = R(x), c[1] = x·R(x) - 1 and
// (n+2)·c[n+2] = c[n] + x·c[n+1], which is the derivative of R' = x·R - 1.
func millsTaylor(x float64, value *big.Float) []*big.Float {
	at := tableFloat(x)
	c := make([]*big.Float, tableTerms+1)
	c[0] = value
	c[1] = tableFloat(0).Mul(at, value)
	c[1].Sub(c[1], tableFloat(1))
	for n := 2; n <= tableTerms; n++ {
		c[n] = tableFloat(0).Mul(at, c[n-1])
		c[n].Add(c[n], c[n-2])
		c[n].Quo(c[n], tableFloat(float64(n)))
	}
	return c
}

// stepDown is the series at -millsStep.
func stepDown(c []*big.Float) *big.Float {
	s := tableFloat(0)
	step := tableFloat(-millsStep)
	for n := tableTerms; n >= 0; n-- {
		s.Mul(s, step)
		s.Add(s, c[n])
	}
	return s
}

func (n *millsNode) fill(c []*big.Float) {
	for i := range n.head {
		n.head[i] = ddOfBig(c[i])
	}
	for i := range n.tail {
		n.tail[i], _ = c[millsHead+i].Float64()
	}
}

// ddOfBig is x to within 2^-106, relative.
func ddOfBig(x *big.Float) dd {
	hi, _ := x.Float64()
	rest := newBig().Sub(x, bigOf(hi))
	lo, _ := rest.Float64()
	return dd{hi, lo}
}
