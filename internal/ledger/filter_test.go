package ledger

import (
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/owntest"
)

// farOut is a number of standard errors that chance exceeds once in 10^9 runs.
const farOut = 6.11

// adversary tries to tell two neighbouring tables apart, whose only cells are 1 and 0. The true table is the one with
// 1. The adversary asks one mechanism after the other on one account, and chooses each from all answers so far.
// evidence is the log-likelihood ratio of the two tables, given these answers.
type adversary struct {
	account  *account
	epsilon  float64
	evidence float64
	random   *rand.Rand
	admits   func(*account, Charge) bool
}

// run asks until no further charge is accepted. It stops early if the evidence is already strong.
func (v *adversary) run() {
	for _, mu := range []float64{0.9, 0.25, 0.125} {
		for v.evidence < v.epsilon+2 && v.worth(mu) && v.ask(mu) {
		}
	}
}

// worth reports whether to ask a mechanism of this mu: an expensive one only while the evidence is within 3 of epsilon.
func (v *adversary) worth(mu float64) bool { return mu < 0.5 || math.Abs(v.evidence-v.epsilon) < 3 }

func (v *adversary) ask(mu float64) bool {
	m := calibrate.Mechanism{Query: "cell", Sens: calibrate.Sensitivity{L2: 1}, Sigma: calibrate.Sigma(1 / mu), Grid: 1}
	c := Charge{Account: v.account.Account, Mechanisms: []calibrate.Mechanism{m}}
	if !v.admits(v.account, c) {
		return false
	}
	v.account.runs = append(v.account.runs, &run{Run: Run{State: Reserved, Mu2: v.account.cost(c)}, share: new(big.Rat)})
	v.evidence += mu*mu/2 + mu*v.random.NormFloat64()
	return true
}

// leak returns the mean advantage of the best test for adversaries with a budget, and its standard error. It is an
// unbiased estimate of the delta at epsilon of everything that they saw.
func leak(t *testing.T, b Budget, epsilon float64, admits func(*account, Charge) bool) (delta, deviation float64) {
	t.Helper()
	limits, err := b.caps()
	if err != nil {
		t.Fatal(err)
	}
	adversaries := 5_000
	if os.Getenv("DPRELEASE_LONG") != "" {
		adversaries = 200_000
	}
	var sum, squares float64
	r := rand.New(rand.NewPCG(2022, 10))
	for range adversaries {
		a := &account{Account: Account{Dataset: "d", Unit: "u", Adjacency: "add-remove"}, Budget: b, caps: limits}
		v := &adversary{account: a, epsilon: epsilon, random: r, admits: admits}
		v.run()
		x := max(0, -math.Expm1(epsilon-v.evidence))
		sum, squares = sum+x, squares+x*x
	}
	n := float64(adversaries)
	delta = sum / n
	return delta, math.Sqrt((squares/n - delta*delta) / n)
}

// Adversaries who choose each charge from all answers so far learn no more than the lifetime's guarantee allows, at
// several epsilons (Smith & Thakurta 2022: a filter on the sum of mu squared). The four comparisons fail by chance in
// at most 4 of 10^9 runs. An account that accepts a charge as long as anything is left, and so one too many, exceeds
// the guarantee by twice the tolerance, so the test would miss it in less than one of 10^9 runs.
func TestAdversary(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("statistics run without -short")
	}
	t.Parallel()
	b := Budget{Epsilon: "1", Delta: "0.12693"} // mu = 1
	cap1, err := b.caps()
	if err != nil || math.Abs(float64(cap1.mu)-1) > 1e-4 {
		t.Fatalf("mu %v, %v", cap1.mu, err)
	}
	now := newState().moment(time.Unix(0, 0))
	filter := func(a *account, c Charge) bool { return a.checkBudget(c, now) == nil }
	late := func(a *account, _ Charge) bool { return a.balance(now).Left.Sign() > 0 }
	for _, epsilon := range []float64{0, 0.5, 1, 2} {
		most, err := calibrate.GaussianDelta(calibrate.Epsilon(epsilon), cap1.mu)
		if err != nil {
			t.Fatal(err)
		}
		delta, deviation := leak(t, b, epsilon, filter)
		wrong, wide := leak(t, b, epsilon, late)
		t.Logf("epsilon %v: %.4f ± %.4f of %.4f; with one charge too many %.4f ± %.4f", epsilon, delta, deviation,
			float64(most), wrong, wide)
		if delta > float64(most)+farOut*deviation {
			t.Errorf("epsilon %v: delta %.4f ± %.4f, above %.4f", epsilon, delta, deviation, float64(most))
		}
		if delta < float64(most)/2 {
			t.Errorf("epsilon %v: the adversary is weak: delta %.4f of %.4f", epsilon, delta, float64(most))
		}
		if wrong < float64(most)+2*farOut*wide {
			t.Errorf("epsilon %v: one charge too many was not seen: %.4f ± %.4f", epsilon, wrong, wide)
		}
	}
}
