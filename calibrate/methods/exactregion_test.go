package methods

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/internal/curvetest"
	"github.com/dprelease/dprelease/internal/owntest"
)

// regionOracle is Theorem 3.3 of Kairouz, Oh & Viswanath 2017 as the definition has it: the loss of k randomised
// responses, summed over their outcomes,
//
//	lost(eps) = sum over l of C(k,l)·max(0, e^((k-l)e) - e^(eps + l·e))/(1 + e^e)^k,
//
// with as many bits as the smallest double needs in a difference.
type regionOracle struct {
	*curvetest.Oracle
	k int
	// grown[i] is e^(e·i), choose holds the binomial coefficients, all is (1 + e^e)^k and kept is (1-d)^k.
	grown, choose []*big.Float
	all, kept     *big.Float
}

func newRegionOracle(p Part) *regionOracle {
	r := &regionOracle{Oracle: curvetest.OracleOf(1536), k: p.Times}
	one := r.Exp(r.Of(float64(p.Guarantee.Epsilon)))
	both, rest := r.Add(one, r.Of(1)), r.Sub(r.Of(1), r.Of(float64(p.Guarantee.Delta)))
	r.all, r.kept = r.Of(1), r.Of(1)
	r.grown, r.choose = []*big.Float{r.Of(1)}, []*big.Float{r.Of(1)}
	for l := 1; l <= p.Times; l++ {
		r.all, r.kept = r.Mul(r.all, both), r.Mul(r.kept, rest)
		r.grown = append(r.grown, r.Mul(r.grown[l-1], one))
		r.choose = append(r.choose, r.Quo(r.Mul(r.choose[l-1], r.Of(float64(p.Times-l+1))), r.Of(float64(l))))
	}
	return r
}

func (r *regionOracle) lost(eps *big.Float) *big.Float {
	sum, shift := r.Zero(), r.Exp(eps)
	for l := 0; 2*l <= r.k; l++ {
		// otherwise the difference is rounding
		if gap := r.Sub(r.grown[r.k-l], r.Mul(shift, r.grown[l])); gap.Sign() > 0 &&
			gap.MantExp(nil) > r.grown[r.k-l].MantExp(nil)-1450 {
			sum = r.Add(sum, r.Mul(gap, r.choose[l]))
		}
	}
	return r.Quo(sum, r.all)
}

// region returns delta(eps) = 1 - (1-d)^k·(1 - lost(eps)).
func (r *regionOracle) region(eps *big.Float) *big.Float {
	return r.Sub(r.Of(1), r.Mul(r.kept, r.Sub(r.Of(1), r.lost(eps))))
}

// errorf is the common interface of testing.T and rapid.T.
type errorf interface{ Errorf(string, ...any) }

// rightDelta checks that got is region(eps), rounded up; one place more if that is within 2^-90 of a float64.
func (r *regionOracle) rightDelta(t errorf, p Part, eps float64, got calibrate.Delta) {
	exact := r.region(r.Of(eps))
	if r.Of(float64(got)).Cmp(exact) < 0 {
		t.Errorf("%v: delta(%g) = %g is below %.20g", p, eps, float64(got), exact)
	}
	if below := math.Nextafter(float64(got), 0); below > 0 && r.Sub(r.Of(below), r.Of(below*0x1p-90)).Cmp(exact) > 0 {
		t.Errorf("%v: delta(%g) = %g is not %.20g, rounded up", p, eps, float64(got), exact)
	}
}

// rightEpsilon checks that got is the least epsilon at delta, within 1e-15 of itself and 1e-28 of the largest loss.
func (r *regionOracle) rightEpsilon(t errorf, p Part, delta calibrate.Delta, got calibrate.Epsilon) {
	limit := r.Of(float64(delta))
	if at := r.region(r.Of(float64(got))); at.Cmp(limit) > 0 {
		t.Errorf("%v: epsilon = %g at %g, where delta is %.20g", p, float64(got), float64(delta), at)
	}
	most := float64(p.Times) * float64(p.Guarantee.Epsilon)
	less := r.Sub(r.Of(float64(got)), r.Of(float64(got)*1e-15+most*1e-28))
	if got > 0x1p-960 && less.Sign() > 0 && r.region(less).Cmp(limit) <= 0 {
		t.Errorf("%v: epsilon = %g at %g could be %.20g", p, float64(got), float64(delta), less)
	}
}

// TestExactRegionAgreesWithReference compares the corners of Theorem 3.3, and the exact curve between them, with a
// table. The table's delta has a rounding error of 1e-103, so small deltas are compared through their delta_i.
func TestExactRegionAgreesWithReference(t *testing.T) {
	owntest.Slow(t)
	for _, row := range golden(t, "composition.csv") {
		what := row["kind"] + " " + row["eps"] + ", " + row["delta"] + ", k = " + row["k"] + ", " + row["i_or_dtilde"]
		switch row["kind"] {
		case "thm3.3":
			goldenCorner(t, what, row)
		case "exact_eps_at_delta":
			goldenRegion(t, what, row)
		}
	}
}

func goldenCorner(t *testing.T, what string, row map[string]string) {
	t.Helper()
	p := goldenPart(t, row)
	i, _ := strconv.Atoi(row["i_or_dtilde"])
	corners, err := p.Corners()
	if err != nil || len(corners) != p.Times/2+1 {
		t.Fatalf("%s: %d corners, %v", what, len(corners), err)
	}
	loss := curvetest.Precise(t, strings.TrimPrefix(row["note"], "delta_i="))
	delta := curvetest.Precise(t, row["delta_out"])
	if p.Guarantee.Delta == 0 {
		delta = loss
	}
	curvetest.Within(t, what+" epsilon", float64(corners[i].Guarantee.Epsilon), curvetest.Precise(t, row["eps_out"]),
		4e-16)
	curvetest.Within(t, what+" delta", float64(corners[i].Guarantee.Delta), delta, 4e-16)
	curvetest.Within(t, what+" loss", corners[i].Loss, loss, 4e-16)
	at, err := p.Delta(corners[i].Guarantee.Epsilon)
	if err != nil || at > corners[i].Guarantee.Delta || float64(at) < float64(corners[i].Guarantee.Delta)*(1-1e-9) {
		t.Errorf("%s: delta at the corner is %v, %v, not %v", what, at, err, corners[i].Guarantee.Delta)
	}
}

// goldenRegion compares the oracle with the table, and the package with the oracle at the float64s nearest to it.
func goldenRegion(t *testing.T, what string, row map[string]string) {
	t.Helper()
	p, r := goldenPart(t, row), newRegionOracle(goldenPart(t, row))
	want := curvetest.Precise(t, row["eps_out"])
	gap := r.Sub(r.region(want), curvetest.Precise(t, row["delta_out"]))
	if want.Sign() > 0 && new(big.Float).Abs(gap).Cmp(big.NewFloat(1e-27)) > 0 || gap.Cmp(big.NewFloat(1e-27)) > 0 {
		t.Errorf("%s: the oracle's delta is off by %.3g", what, gap)
	}
	eps := curvetest.Nearest(t, row["eps_out"])
	at, err := p.Delta(calibrate.Epsilon(eps))
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	r.rightDelta(t, p, eps, at)
	target := calibrate.Delta(curvetest.Nearest(t, row["delta_out"]))
	if target >= 1 || target < calibrate.MinDelta {
		return
	}
	least, err := p.Epsilon(target)
	if err != nil && float64(target) > 1-math.Pow(1-float64(p.Guarantee.Delta), float64(p.Times)) {
		t.Errorf("%s: %v", what, err)
	}
	if err == nil {
		r.rightEpsilon(t, p, target, least)
	}
}

// TestExactRegionAgreesWithItsDefinition compares the exact curve and its inverse with the definition at random
// arguments.
func TestExactRegionAgreesWithItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPart(t)
		r := newRegionOracle(p)
		most := float64(p.Times) * float64(p.Guarantee.Epsilon)
		eps := rapid.OneOf(rapid.Float64Range(0, most), rapid.Float64Range(0, 2),
			rapid.SampledFrom([]float64{0, 5e-324, most, math.MaxFloat64})).
			Draw(t, "epsilon at")
		at, err := p.Delta(calibrate.Epsilon(eps))
		if err != nil {
			t.Fatal(err)
		}
		r.rightDelta(t, p, math.Min(eps, most+1), at)
		target := rapid.OneOf(rapid.Float64Range(1e-15, 0.999),
			rapid.SampledFrom([]float64{calibrate.MinDelta, 1e-100, 1 - 0x1p-53}),
			rapid.Just(math.Max(float64(at), calibrate.MinDelta))).Draw(t, "target")
		if target >= 1 {
			return
		}
		least, err := p.Epsilon(calibrate.Delta(target))
		if own := r.Sub(r.Of(1), r.kept); (err != nil) != (r.Of(target).Cmp(own) < 0) {
			t.Fatalf("epsilon at %g: %v, though the parts' deltas are %.20g together", target, err, own)
		}
		if err == nil {
			r.rightEpsilon(t, p, calibrate.Delta(target), least)
		}
	})
}
