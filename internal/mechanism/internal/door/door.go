// Package door passes functions of package mechanism to package mechanismtest, for tests. It is internal to the two, so
// nobody else can import it.
package door

import (
	"math/big"

	"github.com/dprelease/dprelease/calibrate"
)

// Keys are the functions that package mechanism lends.
type Keys struct {
	// Open returns a copy of the cells of a mechanism.Exact, and their quantum.
	Open func(exact any) (quantum float64, cells []int64, err error)
	// OpenWide is Open for cells of any width.
	OpenWide func(exact any) (quantum float64, cells []*big.Int, err error)
	// OpenKeyed returns a copy of the keys and counts of a mechanism.Exact that has private keys.
	OpenKeyed func(exact any) (keys []string, counts []int64, err error)
	// OpenForKeys returns the answers that a mechanism.Exact holds of every key that can be selected, by name, and
	// their quantum.
	OpenForKeys func(exact any) (quantum float64, named map[string]*big.Int, err error)
	// Make returns a mechanism.Noisy of these values.
	Make func(m calibrate.Mechanism, values []float64) any
	// Select returns a mechanism.Noisy of these keys, as if they had been selected.
	Select func(keys []string) any
	// Fix counts the tests that draw from a reader of their own.
	Fix func(by int32)
}

var keys Keys

// Lend stores the functions. Package mechanism calls it once, when it is initialised.
func Lend(k Keys) { keys = k }

// Borrow returns the functions that package mechanism lent.
func Borrow() Keys { return keys }
