// Package numeric evaluates the curve delta(epsilon) of the Gaussian mechanism and its inverses for float64s, with a
// proof for each rounding. It is part of the trusted base.
//
// It has two evaluations of the curve. The fast one works in double-double arithmetic (doubledouble.go, exp.go,
// mills.go, curve.go), with a relative error of at most 2^-76. The slow one works in up to 1024 bits (bigfloat.go,
// bigerf.go, bigcurve.go) and decides if the fast one cannot (meets.go). A solver proposes candidates (solve.go) and is
// not trusted: boundary.go searches from the candidate for the extreme float64 that is proven. inverse.go combines
// these files. rounding.go has the roundings in a known direction.
package numeric
