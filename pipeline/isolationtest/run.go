package isolationtest

import (
	"os"
	"strconv"
	"testing"

	"github.com/dprelease/dprelease/pipeline/stabilitytest"
)

// Seed returns the seed of the cases of every test; DPRELEASE_SEED sets another one.
func Seed(t testing.TB) uint64 {
	t.Helper()
	return stabilitytest.Seed(t)
}

// Pairs returns how many pairs a test tries: the second number for check-long. DPRELEASE_PAIRS sets another one.
func Pairs(t testing.TB, short, long int) int {
	t.Helper()
	if text := os.Getenv("DPRELEASE_PAIRS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal("DPRELEASE_PAIRS is no number")
		}
		return n
	}
	switch {
	case os.Getenv("DPRELEASE_LONG") != "":
		return long
	case testing.Short():
		return short / 15
	}
	return short
}
