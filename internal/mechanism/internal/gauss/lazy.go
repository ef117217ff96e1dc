package gauss

import "math/big"

// lazy is a uniform number in [0, 1) whose first n binary digits are drawn: it lies in [drawn, drawn+1)/2^n.
type lazy struct {
	drawn *big.Int
	n     uint
}

func newLazy(first uint64, n uint) *lazy {
	return &lazy{drawn: new(big.Int).SetUint64(first), n: n}
}

// extend draws 64 more digits.
func (l *lazy) extend(source *Bits) error {
	w, err := source.Word()
	if err != nil {
		return err
	}
	l.appendDigits(w)
	return nil
}

// appendDigits adds 64 digits.
func (l *lazy) appendDigits(w uint64) {
	l.drawn.Lsh(l.drawn, 64)
	l.drawn.Or(l.drawn, new(big.Int).SetUint64(w))
	l.n += 64
}

// upperLimit returns drawn + 1, the upper limit of the number in units of 2^-n.
func (l *lazy) upperLimit() *big.Int { return new(big.Int).Add(l.drawn, one) }

// enclose returns the interval in which the number lies.
func (l *lazy) enclose(p fixed) interval {
	return interval{p.ratio(l.drawn, l.n).low, p.ratio(l.upperLimit(), l.n).high}
}
