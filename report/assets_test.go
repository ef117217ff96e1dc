package report

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"regexp"
	"testing"
)

// The libraries are those that the table names, byte for byte.
func TestAssetsAreUnchanged(t *testing.T) {
	table, err := os.ReadFile("assets/README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("`([a-z0-9.]+\\.js)` \\|.*`([0-9a-f]{64})`").FindAllSubmatch(table, -1)
	if len(rows) != 2 {
		t.Fatalf("the table has %d libraries, want 2", len(rows))
	}
	for _, r := range rows {
		text, err := os.ReadFile("assets/" + string(r[1]))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != string(r[2]) {
			t.Errorf("%s has another digest than the table says", r[1])
		}
	}
}
