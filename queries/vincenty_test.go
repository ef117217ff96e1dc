package queries

import (
	"math"
	"testing"
)

// vincenty returns the length of the geodesic between two places on WGS84: T. Vincenty, Direct and inverse solutions of geodesics
// on the ellipsoid with application of nested equations, Survey Review 23 (1975), pages 88 to 93. NaN where the
// iteration does not converge, near antipodes.
func vincenty(lat1, lon1, lat2, lon2 float64) float64 {
	const a, f = 6378137.0, 1 / 298.257223563
	const b = a * (1 - f)
	radians := func(x float64) float64 { return x * math.Pi / 180 }
	l := math.Remainder(radians(lon2)-radians(lon1), 2*math.Pi)
	sinU1, cosU1 := math.Sincos(math.Atan2((1-f)*math.Sin(radians(lat1)), math.Cos(radians(lat1))))
	sinU2, cosU2 := math.Sincos(math.Atan2((1-f)*math.Sin(radians(lat2)), math.Cos(radians(lat2))))
	lambda := l
	for range 200 {
		sinL, cosL := math.Sincos(lambda)
		sinS := math.Hypot(cosU2*sinL, cosU1*sinU2-sinU1*cosU2*cosL)
		if sinS == 0 {
			return 0
		}
		cosS := sinU1*sinU2 + cosU1*cosU2*cosL
		sigma := math.Atan2(sinS, cosS)
		sinA := cosU1 * cosU2 * sinL / sinS
		cos2A := 1 - sinA*sinA
		cos2M := 0.0
		if cos2A > 0 {
			cos2M = cosS - 2*sinU1*sinU2/cos2A
		}
		c := f / 16 * cos2A * (4 + f*(4-3*cos2A))
		last := lambda
		lambda = l + (1-c)*f*sinA*(sigma+c*sinS*(cos2M+c*cosS*(2*cos2M*cos2M-1)))
		if math.Abs(lambda-last) > 1e-14 {
			continue
		}
		u2 := cos2A * (a*a - b*b) / (b * b)
		k := u2 / 1024 * (256 + u2*(-128+u2*(74-47*u2)))
		delta := k * sinS * (cos2M + k/4*(cosS*(2*cos2M*cos2M-1)-k/6*cos2M*(4*sinS*sinS-3)*(4*cos2M*cos2M-3)))
		return b * (1 + u2/16384*(4096+u2*(-768+u2*(320-175*u2)))) * (sigma - delta)
	}
	return math.NaN()
}

// The formula agrees with published lengths: New York to London (C. Karney, GeographicLib, GeodSolve's manual), a quarter of the
// meridian (WGS84) and a degree of the equator, pi/180 of the semi-major axis.
func TestVincenty(t *testing.T) {
	for _, c := range [][5]float64{
		{40.6, -73.8, 51.6, -0.5, 5551759.400}, {0, 20, 90, -50, 10001965.729}, {0, 179.5, 0, -179.5, 111319.491}, {12, 5, 12, 5, 0},
	} {
		if got := vincenty(c[0], c[1], c[2], c[3]); math.Abs(got-c[4]) > 0.001 {
			t.Errorf("%v: %.4f m", c, got)
		}
	}
}
