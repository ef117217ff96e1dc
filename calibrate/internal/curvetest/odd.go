package curvetest

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/calibrate/internal/argument"
)

// Odd holds numbers that often reveal bugs, such as zeros, subnormals, limits of ranges, infinities and NaN.
var Odd = []float64{
	0, math.Copysign(0, -1), 5e-324, 0x1p-1022, 1e-310, 1e-300, math.Nextafter(1e-300,
		0), 1e-154, 1e-17, 0.5, 1 - 0x1p-53, 1,
	math.Nextafter(1, 2), 2, 38, 709.44, 745.2, 1e6, math.Nextafter(1e6, 2e6), 1e17, 1e154, 1e308, math.MaxFloat64,
	math.Inf(1), math.Inf(-1), math.NaN(), -1, -5e-324,
}

// MustAnswer checks the result of a call. It must be a number in [low, high], or else 0 with an *ArgumentError whose
// argument occurs in the text arguments.
func MustAnswer(t *testing.T, call string, got, low, high float64, err error, arguments string) {
	t.Helper()
	if err == nil {
		if !(got >= low && got <= high) {
			t.Errorf("%s = %v", call, got)
		}
		return
	}
	var bad *argument.Error
	if !errors.As(err, &bad) || !strings.Contains(arguments, bad.Argument) || got != 0 {
		t.Errorf("%s = %v, %v", call, got, err)
	}
}
