package laplace

// BitSource is a source of random bits, such as a gauss.Bits.
type BitSource interface {
	// Word draws 64 bits.
	Word() (uint64, error)
}

// uniform is a random number in [0, 1) whose first digits are drawn. Each item holds 64 digits, the most significant
// first.
type uniform []uint64

// extend draws 64 more digits.
func (u *uniform) extend(source BitSource) error {
	w, err := source.Word()
	if err != nil {
		return err
	}
	*u = append(*u, w)
	return nil
}

// isBelow reports whether x < y. It draws digits of both until they differ.
func (u *uniform) isBelow(y *uniform, source BitSource) (bool, error) {
	for i := 0; ; i++ {
		if len(*u) == i {
			if err := u.extend(source); err != nil {
				return false, err
			}
		}
		if len(*y) == i {
			if err := y.extend(source); err != nil {
				return false, err
			}
		}
		if a, b := (*u)[i], (*y)[i]; a != b {
			return a < b, nil
		}
	}
}

// exponential draws random numbers a + u >= 0 with density e^(−a−u), a an integer and 0 <= u < 1.
type exponential struct {
	source BitSource
	u      uniform
	chain  [2]uniform
}

// draw draws a number a + u and returns a. e.u holds the digits of u that were drawn.
func (e *exponential) draw() (a uint64, err error) {
	for {
		accepted, err := e.try()
		if accepted || err != nil {
			return a, err
		}
		a++
	}
}

// try draws u and accepts it with probability e^(−u) (von Neumann): it draws uniform numbers as long as each is below
// the one before it, and accepts u if the length of this descending run, which starts with u, is odd.
func (e *exponential) try() (accepted bool, err error) {
	e.u = e.u[:0]
	last := &e.u
	for n := 1; ; n++ {
		next := &e.chain[n&1]
		*next = (*next)[:0]
		falls, err := next.isBelow(last, e.source)
		if err != nil {
			return false, err
		}
		if !falls {
			return n&1 == 1, nil
		}
		last = next
	}
}
