package yamltree

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A decimal becomes a JSON number of exactly the same value.
func TestDecimalsKeepTheirValueInJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[+-]?((0|[1-9][0-9]{0,4})(\.[0-9]{0,4})?|\.[0-9]{1,4})([eE][+-]?[0-9]{1,2})?`).Draw(t,
			"decimal")
		want, ok := ParseDecimal(text)
		if !ok {
			t.Fatalf("%s is not a decimal", text)
		}
		inJSON := Literal(text)
		got, ok := new(big.Rat).SetString(inJSON)
		if !json.Valid([]byte(inJSON)) || !ok || got.Cmp(want) != 0 {
			t.Fatalf("%s became %s", text, inJSON)
		}
	})
}

func TestDecimalSyntax(t *testing.T) {
	for _, bad := range []string{"", ".", "1.2.3", "0x10", "1_000", "inf", "NaN", "010", "1e", "1e1000", "e5", "--1", " 1",
		"1 ", "1/2", "½", strings.Repeat("1", 65)} {
		if _, ok := ParseDecimal(bad); ok {
			t.Errorf("%q is a decimal", bad)
		}
		if Literal(bad) != "" {
			t.Errorf("%q has a literal", bad)
		}
	}
}
