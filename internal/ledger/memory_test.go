package ledger_test

import (
	"testing"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	ledgertest.Suite(t, func(t *testing.T) ledger.Store { return ledgertest.Memory(t) })
}
