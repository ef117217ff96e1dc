package mechanism_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
)

func TestChooseOnce(t *testing.T) {
	errNo := errors.New("no such choice")
	e := mechanism.HideChoice(func(r mechanism.Range) (mechanism.Exact, error) {
		if r.Low > r.High {
			return mechanism.Exact{}, errNo
		}
		return mechanism.Hide(1, []int64{r.Low, r.High})
	}, func(io.Writer) error { return nil })
	m := calibrate.Mechanism{Query: "q", Sens: calibrate.Sensitivity{L2: 1}, Sigma: 4, Grid: 0.25}
	r := ledgertest.Receipt(t, m)
	if _, err := mechanism.AddNoise(context.Background(), e, r, m, 1); !errors.Is(err, mechanism.ErrChoice) {
		t.Errorf("noised before the choice: %v", err)
	}
	if e.Cells() != 0 || strings.ContainsAny(fmt.Sprintf("%v %#v %x", e, e, e), "37") {
		t.Errorf("%v, %d cells", e, e.Cells())
	}
	if _, err := e.Choose(mechanism.Range{Low: 1}); !errors.Is(err, errNo) || !errors.Is(err, mechanism.ErrChoice) {
		t.Errorf("a wrong choice: %v", err)
	}
	chosen, err := e.Choose(mechanism.Range{Low: 3, High: 7})
	if err != nil {
		t.Fatal(err)
	}
	if _, cells := mechanismtest.Open(t, chosen); cells[0] != 3 || cells[1] != 7 {
		t.Errorf("chosen: %v", cells)
	}
	if _, err := e.Choose(mechanism.Range{Low: 3, High: 7}); !errors.Is(err, mechanism.ErrSpent) {
		t.Errorf("chosen twice: %v", err)
	}
	if _, err := chosen.Choose(mechanism.Range{}); !errors.Is(err, mechanism.ErrChoice) {
		t.Errorf("a choice of nothing: %v", err)
	}
	if _, err := mechanism.AddNoise(context.Background(), chosen, ledger.Receipt{}, m, 1); !errors.Is(err, mechanism.ErrReceipt) {
		t.Errorf("without a receipt: %v", err)
	}
	if _, err := mechanism.AddNoise(context.Background(), chosen, r, m, 1); err != nil {
		t.Error(err)
	}
}
