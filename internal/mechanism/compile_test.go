package mechanism_test

import (
	"strings"
	"testing"
)

// frame is the source of a package outside the trust boundary. BODY is replaced by the statements of a probe, in which
// e is an Exact, n a Noisy, m a Mechanism, ctx a context and r a receipt.
const frame = `package probe
import (
	"context"
	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/mechanism"
)
func probe(ctx context.Context, r ledger.Receipt, m calibrate.Mechanism, e mechanism.Exact, n mechanism.Noisy) {
	_, _, _, _, _ = ctx, r, m, e, n
	BODY
}
var _ context.Context; var _ calibrate.Mechanism; var _ ledger.Receipt`

// Code that bypasses the trust boundary does not compile.
func TestDoesNotCompile(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the compiler: without -short")
	}
	for body, want := range map[string]string{
		`_ = mechanism.Noisy{multiples: []int64{1}}`:                                "unexported field",
		`_ = mechanism.Noisy{values: []float64{1}}`:                                 "unexported field",
		`_ = mechanism.Noisy{m, nil, []float64{1}, nil, nil, nil, false}`:           "unexported field",
		`n.values = []float64{1}`:                                                   "unexported field",
		`n.mechanism = m`:                                                           "no field or method mechanism",
		`_ = mechanism.Noisy(e)`:                                                    "cannot convert",
		`_ = mechanism.Noisy(struct{ values []float64 }{})`:                         "cannot convert",
		`_ = mechanism.Exact{open: nil}`:                                            "unexported field",
		`_ = mechanism.Exact{nil}`:                                                  "unexported field",
		`_ = e.open()`:                                                              "unexported field",
		`_ = e.open().held`:                                                         "unexported field",
		`_ = struct{ open func() any }(e)`:                                          "cannot convert",
		`var _ interface{ open() } = e`:                                             "does not implement",
		`_ = e.Cells()[0]`:                                                          "cannot index",
		`var _ []int64 = e`:                                                         "cannot use",
		`_, _ = e.Then("step", nil)`:                                                "no field or method Then",
		`e.Fill(0, nil)`:                                                            "no field or method Fill",
		`for range e { }`:                                                           "cannot range",
		`_, _ = mechanism.AddNoise(ctx, n, r, m, 1)`:                                "cannot use n",
		`_, _ = mechanism.AddNoise(ctx, e, nil, m, 1)`:                              "cannot use nil",
		`_, _ = mechanism.AddNoise(ctx, e, m, 1)`:                                   "not enough arguments",
		`_, _ = mechanism.AddNoise(ctx, e, ledger.Receipt{t: nil}, m, 1)`:           "unexported field",
		`_, _ = mechanism.AddNoise(ctx, e, struct{}{}, m, 1)`:                       "cannot use",
		`_, _ = mechanism.AddNoise(ctx, e, r, calibrate.Sigma(1), 1)`:               "cannot use",
		`_, _ = mechanism.Hide(1, []float64{1})`:                                    "cannot use",
		`_ = mechanism.hidden{}`:                                                    "not exported",
		`_ = mechanism.draw{}`:                                                      "not exported",
		`_ = mechanism.payload{}`:                                                   "not exported",
		`_, _, _ = mechanism.openForTest(e)`:                                        "not exported",
		`_ = mechanism.makeForTest(m, []float64{1})`:                                "not exported",
		`type mine mechanism.Noisy; var x mine; _ = x.Len()`:                        "no field or method Len",
		`_, _ = n.Then("step", func(f []int64) ([]int64, error) { return f, nil })`: "cannot use",
		`var f func([]float64) = n.Blocks; _ = f`:                                   "cannot use",
		`_, _ = mechanism.Published(ledger.Publication{p: nil}, "", m, nil)`:        "unexported field",
		`_, _ = mechanism.Published(r, "", m, []int64{1})`:                          "cannot use",
		`_ = n.open()`:                                                              "unexported field",
		`_, _ = n.ThenEach("step", func(f []int64) {})`:                             "cannot use",
		`_, _ = e.Noise(ctx, r, m, 1)`:                                              "no field or method Noise",
		`e.Cells, n.Then = nil, nil`:                                                "cannot assign",
		`_ = interface{ Open() []int64 }(e)`:                                        "missing method",
		`switch x := any(e).(type) { case interface{ open() }: _ = x.open().held }`: "no value",
	} {
		l := newLoader()
		_, errs := l.check("example.org/probe", l.source(t, strings.Replace(frame, "BODY", body, 1)))
		if len(errs) == 0 {
			t.Errorf("compiles: %s", body)
		} else if !strings.Contains(errs[0].Error(), want) {
			t.Errorf("%s: %v; want %q", body, errs[0], want)
		}
	}
}

// Permitted code compiles in the same frame, so the probes fail because of what they do.
func TestCompiles(t *testing.T) {
	for _, body := range []string{
		``,
		`x, err := mechanism.AddNoise(ctx, e, r, m, 2); _, _ = x, err`,
		`x, err := mechanism.Hide(1, []int64{1}); _, _ = x.Cells(), err`,
		`x, err := n.Then("step", func(f []float64) ([]float64, error) { return f, nil }); _, _ = x, err`,
		`for start, block := range n.Blocks() { _, _ = start, block }; n.Fill(0, nil); _, _, _ = n.Len(), n.Steps(), n.Mechanism()`,
	} {
		l := newLoader()
		if _, errs := l.check("example.org/probe", l.source(t, strings.Replace(frame, "BODY", body, 1))); len(errs) > 0 {
			t.Errorf("%s: %v", body, errs)
		}
	}
}
