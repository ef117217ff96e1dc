package mechanism

import (
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/cryptotest"

	"github.com/dprelease/dprelease/calibrate"
)

// A program that puts a reader of its own into crypto/rand.Reader gets no draw, and the answer is not spent.
func TestReplacedRandomReaderIsRefused(t *testing.T) {
	if _, err := systemRandom(); err != nil {
		t.Fatal(err)
	}
	system := rand.Reader
	defer func() { rand.Reader = system }()
	for name, r := range map[string]io.Reader{
		"nil": nil, "a reader of the program": strings.NewReader(strings.Repeat("0", 1<<12)),
		"the system's within another":    struct{ io.Reader }{system},
		"a reader of another package":    cipher.StreamReader{R: system},
		"a pointer to such a one":        &cipher.StreamReader{R: system},
		"the system's, of fewer methods": io.LimitReader(system, 1<<12),
	} {
		rand.Reader = r
		if _, err := newDraw(calibrate.Mechanism{Sigma: 1, Grid: 1}, 0, 1); !errors.Is(err, ErrRandom) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Random bits that testing/cryptotest fixes are refused, unless a test of this module asks for them.
func TestFixedRandomIsRefused(t *testing.T) {
	cryptotest.SetGlobalRandom(t, 1)
	if _, err := systemRandom(); !errors.Is(err, ErrRandom) {
		t.Error(err)
	}
}
