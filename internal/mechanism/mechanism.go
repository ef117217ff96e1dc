// Package mechanism is the trust boundary: exact answers go in, noisy ones come out, and nothing else does.
//
// An [Exact] holds private integers out of reach of every other package, encoder and formatter. Its only way out is
// [AddNoise] or, for counts by private keys, [SelectKeys]. Both require a receipt of the ledger, redeem it before the
// first random draw, and return a [Noisy]. For each cell f the noisy value is
//
//	grid · floor(f/grid + S·Z + 1/2),  S = sigma/grid,  Z ~ N(0, 1),
//
// saturated at the limits of int64 grid units. Z has exactly the normal distribution and S is exact. The output is
// therefore a fixed function of f + sigma·Z. So the delta(epsilon) curve of the Gaussian mechanism (Balle & Wang 2018,
// Theorem 8) holds for it unchanged. It holds in any dimension and for any grid that does not depend on the data.
// internal/gauss/proof.md has the proof. The variance of the noise is sigma² + grid²/12 to within rounding if sigma >=
// grid.
//
// A mechanism can also have Laplace or geometric noise, which is exact in the same sense (internal/laplace/proof.md).
// The ledger charges it like a Gaussian mechanism that reveals at least as much.
//
// A vector of very many cells, most of whose answers are 0 ([HideSparse]), is not held in memory. Its noise is drawn
// from stored keys each time it is read, and is the same each time. The workers draw at most one stripe (2^18 cells)
// ahead of the reader.
//
// The running time is not constant. It depends on the random bits, on public parameters and, if a sum comes close to
// the limits of int64, on an exact answer; see proof.md. Copies that the caller made before hiding the answers, and
// the random keys, are left to the garbage collector.
package mechanism

import "errors"

// Errors of this package. No error reveals anything about an exact answer.
var (
	ErrQuantum = errors.New("mechanism: the quantum of exact answers is not a power of two between 2^-1022 and 2^960")
	ErrEmpty   = errors.New("mechanism: no cells")
	ErrHalves  = errors.New("mechanism: the numbers of exact answers, of their low halves and of their cells differ")
	ErrPlaces  = errors.New("mechanism: the cells of sparse answers are not ascending, or do not exist")
	ErrKey     = errors.New("mechanism: the key of a fingerprint is a secret of at least 16 bytes")
	ErrKeys    = errors.New("mechanism: SelectKeys takes private keys only, and AddNoise none; keys must be distinct " +
		"and ascending")
	ErrChoice = errors.New("mechanism: these exact answers depend on no choice, or not on such a one; or the choice " +
		"is to be made first")
	ErrReceipt   = errors.New("mechanism: no receipt: noise needs a charge of the ledger")
	ErrMechanism = errors.New("mechanism: invalid mechanism")
	ErrSpent     = errors.New("mechanism: this exact answer was noised before")
	ErrEncode    = errors.New("mechanism: exact answers cannot be encoded")
	ErrPublished = errors.New("mechanism: not the noisy values of a published release")
	ErrRandom    = errors.New("mechanism: crypto/rand.Reader was replaced, so that the program could know the noise")
	ErrStep      = errors.New("mechanism: invalid post-processing step")
)
