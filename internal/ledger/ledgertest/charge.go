package ledgertest

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger"
)

// Receipt returns a receipt for mechanisms, charged to a ledger in memory with a very large budget: the sum of
// (L2/sigma)² may reach 2e6 (epsilon 1e6).
func Receipt(tb testing.TB, mechanisms ...calibrate.Mechanism) ledger.Receipt {
	tb.Helper()
	return ShareReceipt(tb, "", mechanisms...)
}

// ShareReceipt does the same as Receipt for a charge that also has the DeltaShare share, a decimal below 0.5.
func ShareReceipt(tb testing.TB, share string, mechanisms ...calibrate.Mechanism) ledger.Receipt {
	tb.Helper()
	c := Quarter(tb, "receipt")
	c.Budget.Epsilon, c.DeltaShare, c.Mechanisms = "1e6", share, mechanisms
	if share != "" {
		c.Budget.Delta, c.Budget.DeltaCap = "0.9", "0.5"
	}
	r, err := ledger.NewBook(Memory(tb), time.Now).Charge(tb.Context(), c)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// Quarter returns a charge for the first release of a run, with one mechanism. It takes exactly a quarter of its
// budget's mu squared.
func Quarter(tb testing.TB, run string) ledger.Charge {
	tb.Helper()
	c := ledger.Charge{
		Run:     run,
		Number:  1,
		Job:     "job",
		Params:  map[string]string{"hour": "12"},
		Dir:     filepath.Join(os.TempDir(), "out", run),
		Account: ledger.Account{Dataset: "taxi", Unit: "cab_id", Adjacency: "add-remove"},
		Budget:  ledger.Budget{Epsilon: "1", Delta: "1e-6"},
	}
	c.Mechanisms = []calibrate.Mechanism{Mechanism(tb, c.Budget, 2)}
	return c
}

// Mechanism returns a mechanism that takes exactly 1/k² of the mu squared of budget b. k is a power of two.
func Mechanism(tb testing.TB, b ledger.Budget, k float64) calibrate.Mechanism {
	tb.Helper()
	mu := muCap(tb, b)
	return calibrate.Mechanism{
		Query: "pickups",
		Sens:  calibrate.Sensitivity{L2: mu, Why: "one row in one cell"},
		Sigma: calibrate.Sigma(k),
		Grid:  math.Ldexp(1, -4),
	}
}

// muCap returns the largest mu that the budget allows.
func muCap(tb testing.TB, b ledger.Budget) float64 {
	tb.Helper()
	e, err := calibrate.ParseDown(b.Epsilon)
	if err != nil {
		tb.Fatal(err)
	}
	d, err := calibrate.ParseDown(b.Delta)
	if err != nil {
		tb.Fatal(err)
	}
	mu, err := calibrate.GaussianMu(calibrate.Guarantee{Epsilon: calibrate.Epsilon(e), Delta: calibrate.Delta(d)})
	if err != nil {
		tb.Fatal(err)
	}
	return float64(mu)
}

// Digests returns well-formed digests that consist of mark, one hex digit.
func Digests(mark string) ledger.Digests {
	return ledger.Digests{Input: strings.Repeat(mark, 64), Release: strings.Repeat(mark, 64),
		Rendering: strings.Repeat(mark, 64)}
}
