package pipeline_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/pipeline"
)

// A ledger can become full or read-only after the charge, before the seal. So the advice does not say that nothing was
// spent.
func TestAdviceHoldsAfterTheCharge(t *testing.T) {
	for _, cause := range []error{ledger.ErrFull, ledger.ErrReadOnly} {
		var e *pipeline.Error
		if err := pipeline.LedgerError("seal", cause); !errors.As(err, &e) || strings.Contains(e.Hint, "nothing was spent") ||
			!strings.Contains(e.Hint, "a run that was charged continues at no cost") {
			t.Errorf("%v: %v", cause, err)
		}
	}
}
