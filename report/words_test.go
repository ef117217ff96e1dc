package report

import (
	"strings"
	"testing"

	"github.com/dprelease/dprelease/pipeline/manifest"
)

// Limits that a job says are shown as it says them, and not rounded as noisy numbers are.
func TestStatedNumbersAreShownAsStated(t *testing.T) {
	for _, text := range []string{"1e-7", "1e-12", "0.1", "0.25", "3.5e-10", "1e-6"} {
		if got := ceilingText(ceilingOf(text)); got != text {
			t.Errorf("%s is shown as %s", text, got)
		}
	}
	q := queryFacts{cells: 7, publish: &manifest.Publish{MinCount: 20, MaxRelativeError: 0.1, Withheld: 2}}
	for _, words := range []string{"below 20, or", "further than 0.1 times", "of 7 cells, 2 are left empty"} {
		if !strings.Contains(q.withheld(), words) {
			t.Errorf("no %q in %q", words, q.withheld())
		}
	}
}
