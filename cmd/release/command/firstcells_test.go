package command

import (
	"testing"

	"github.com/dprelease/dprelease/queries/domain"
)

// A key in the terminal has the text that it has in the files.
func TestLabelsAreTextsOfFiles(t *testing.T) {
	for x, want := range map[float64]string{1e6: "1000000", 0.5: "0.5", 1e-7: "1e-07"} {
		if got := label(domain.KeyColumn{Stride: 1, Labels: domain.Labels{Floats: []float64{x}}}, 0); got != want {
			t.Errorf("%v is %q, want %q", x, got, want)
		}
	}
}
