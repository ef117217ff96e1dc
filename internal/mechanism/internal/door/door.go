// Package door passes functions of package mechanism to package mechanismtest. Nobody else can import it, since it is
// internal to mechanism.
package door

import (
	"math/big"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism/int128"
)

// Keys are functions that look into package mechanism's hidden values, for tests.
type Keys struct {
	// Open returns a copy of the cells of a mechanism.Exact, and their quantum.
	Open func(exact any) (quantum float64, cells int128.Slice, err error)
	// OpenKeyed returns a copy of the keys and counts of a mechanism.Exact that has private keys.
	OpenKeyed func(exact any) (keys []string, counts []int64, err error)
	// OpenForKeys returns the answers of every key that can be selected from a mechanism.Exact, by name, and their
	// quantum.
	OpenForKeys func(exact any) (quantum float64, named map[string]*big.Int, err error)
	// Make returns a mechanism.Noisy with these values.
	Make func(m calibrate.Mechanism, values []float64) any
	// Select returns a mechanism.Noisy of these keys, as if they had been selected.
	Select func(keys []string) any
	// Fix adds by (1 or -1) to the number of running tests that draw noise from a reader of their own.
	Fix func(by int32)
}

var keys Keys

// Lend stores the functions. Package mechanism calls it once, when it is initialised.
func Lend(k Keys) { keys = k }

// Borrow returns the functions that package mechanism lent.
func Borrow() Keys { return keys }
