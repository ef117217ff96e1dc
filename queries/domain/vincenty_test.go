package domain

import (
	"math"
	"testing"

	"github.com/dprelease/dprelease/queries/domain/domaintest"
)

// The formula agrees with published lengths: New York to London (C. Karney, GeographicLib, GeodSolve's manual), a
// quarter of the meridian (WGS84) and a degree of the equator, pi/180 of the semi-major axis.
func TestVincenty(t *testing.T) {
	for _, c := range [][5]float64{
		{40.6, -73.8, 51.6, -0.5, 5551759.400}, {0, 20, 90, -50, 10001965.729}, {0, 179.5, 0, -179.5, 111319.491}, {12, 5, 12,
			5, 0},
	} {
		if got := domaintest.Vincenty(c[0], c[1], c[2], c[3]); math.Abs(got-c[4]) > 0.001 {
			t.Errorf("%v: %.4f m", c, got)
		}
	}
}
