package regular_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/internal/regular"
	"github.com/dprelease/dprelease/internal/spelling"
)

// The hint about a missing file names the entry of its folder with almost the same spelling, if there is one.
func TestHint(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"loans.yaml", "people.csv"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"loan.yaml": "is it loans.yaml?", "peple.cvs": "is it people.csv?", "zebra": "check the path",
		"no/loans.yaml": "the folder",
	} {
		got := regular.Hint(filepath.Join(dir, name), "it starts here", spelling.Distance)
		if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "it starts here") {
			t.Errorf("%s: %s", name, got)
		}
	}
}
