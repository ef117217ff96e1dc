package configs

import (
	"math/big"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/configs/internal/yamltree"
)

// Scalar is a scalar as it is written in the job file: NO, 02139 and 2013-01-01 stay texts.
type Scalar string

// Decimal is a number as it is written in the job file; "" if the key is absent. A budget is rounded down to a float64.
type Decimal string

// Down returns the largest float64 that is at most the number, so that a budget is never rounded up.
func (d Decimal) Down() (float64, error) { return calibrate.ParseDown(string(d)) }

// rat returns the number. ok is false if d is not a number.
func (d Decimal) rat() (r *big.Rat, ok bool) { return yamltree.ParseDecimal(string(d)) }

// number returns the scalar as a number. It allows leading zeros. ok is false if the text is not a number.
func (s Scalar) number() (r *big.Rat, ok bool) { return yamltree.ParseNumber(string(s)) }

// WithEpsilon replaces privacy.epsilon in a job file, and leaves the rest unchanged byte for byte. ok is false if the
// value is not a plain number: a reference, an alias or a quoted text.
func WithEpsilon(src []byte, epsilon string) (out []byte, ok bool) {
	return yamltree.WithScalar(src, epsilon, "privacy", "epsilon")
}
