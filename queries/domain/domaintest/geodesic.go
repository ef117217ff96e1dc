// Package domaintest draws random places for tests, and computes distances on earth by a method that is independent of
// the tested one.
package domaintest

import (
	"math"
	"math/rand/v2"
)

// Somewhere returns a random place on earth, often at a pole or on the 180th meridian.
func Somewhere(rng *rand.Rand) (lat, lon float64) {
	lat, lon = math.Asin(2*rng.Float64()-1)*180/math.Pi, 360*rng.Float64()-180
	switch rng.IntN(8) {
	case 0:
		lat = math.Copysign(90, lat)
	case 1:
		lon = math.Copysign(180, lon)
	}
	return lat, lon
}

// Beside returns a random place that is about the given number of metres away from the place at lat, lon.
func Beside(rng *rand.Rand, lat, lon, metres float64) (float64, float64) {
	sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
	degrees := metres / 111_195
	north := min(max(lat+degrees*cos, -90), 90)
	east := lon + degrees*sin/max(math.Cos(lat*math.Pi/180), 1e-3)
	return north, math.Remainder(east, 360)
}

// Vincenty returns the length in metres of the geodesic between two places on WGS84, or NaN if the iteration does not
// converge, near antipodes. Source: T. Vincenty, Direct and inverse solutions of geodesics on the ellipsoid with
// application of nested equations, Survey Review 23 (1975), pages 88 to 93.
func Vincenty(lat1, lon1, lat2, lon2 float64) float64 {
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
