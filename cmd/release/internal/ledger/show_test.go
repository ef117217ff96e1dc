package ledger

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/internal/ledger"
)

// A period that the clock has not reached is marked in the text and in JSON.
func TestPeriodsAhead(t *testing.T) {
	one := big.NewFloat(1)
	balances := []ledger.Balance{{Cap: one, Spent: one, Left: new(big.Float), Budget: ledger.Budget{Epsilon: "1", Delta: "1e-6"},
		DeltaCap: new(big.Rat), DeltaSpent: new(big.Rat),
		Periods: []ledger.Period{{Per: "day", Name: "2026-11-21", Ahead: true, Cap: one, Spent: one, Left: new(big.Float)},
			{Per: "month", Name: "2026-11", Cap: one, Spent: one, Left: new(big.Float)}}}}
	accounts, err := accountsJSON(balances)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(accounts)
	if err != nil || !strings.Contains(string(text), `"2026-11-21","mu2_cap":"1","mu2_spent":"1","mu2_left":"0","ahead":true`) ||
		strings.Count(string(text), `"ahead":false`) != 1 {
		t.Errorf("%s, %v", text, err)
	}
	if shown := accountsText(balances, accounts); strings.Count(shown, "the clock has not reached it") != 1 {
		t.Error(shown)
	}
}
