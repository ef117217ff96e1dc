// Package earth finds the nearest of many public places: positions on the ellipsoid of WGS84, distances along it, a
// tree of places and an index by squares of latitudes and longitudes.
package earth

import "math"

// The earth is the ellipsoid of WGS84 (NIMA TR8350.2, 2000, 3.2).
const (
	semiMajor  = 6378137.0
	flattening = 1 / 298.257223563
	// eccentricity2 is the square of the first eccentricity.
	eccentricity2 = flattening * (2 - flattening)
	// MeanRadius is (2a + b)/3, as the IUGG defines it.
	MeanRadius = semiMajor * (1 - flattening/3)
)

// Formula holds the constants with which [OnEllipsoid] computes positions.
type Formula struct {
	// Degree is a degree in radians. Angles of a magnitude below Least degrees count as 0, so that no product is too
	// small for a double.
	Degree, Least float64
	// PerRadian times the magnitude of an angle is below 1, from 1 to below 3, or from 3 on; then 0, 2 or 4 times each
	// part of Quarter (pi/4) is subtracted.
	PerRadian float64
	Quarter   [3]float64
	// Sin and Cos are coefficients of polynomials, the highest power first.
	Sin, Cos [6]float64
	// SemiMajor is in metres; Eccentricity2 is the square of the first eccentricity, and Rest is 1 less that.
	SemiMajor, Eccentricity2, Rest float64
}

// WGS84 is the formula of this package.
var WGS84 = Formula{
	Degree: degree, Least: least, PerRadian: perRadian, Quarter: [3]float64{quarterA, quarterB, quarterC},
	Sin: sinCoefficients, Cos: cosCoefficients, SemiMajor: semiMajor, Eccentricity2: eccentricity2,
	Rest: 1 - eccentricity2,
}

// Position is a place in space in metres: the axes from the centre of the earth through latitude and longitude 0, 0; 0,
// 90; and the north pole.
type Position [3]float64

// OnEllipsoid returns the position of a place at height 0. It is off by a few nanometres.
//
//	x = N·cos φ·cos λ,  y = N·cos φ·sin λ,  z = N·(1 − e²)·sin φ,  N = a/sqrt(1 − e²·sin² φ)
func OnEllipsoid(lat, lon float64) Position {
	sinLat, cosLat := sincos(radians(lat))
	sinLon, cosLon := sincos(radians(lon))
	n := semiMajor / math.Sqrt(1-float64(float64(eccentricity2*sinLat)*sinLat))
	return Position{float64(float64(n*cosLat) * cosLon), float64(float64(n*cosLat) * sinLon),
		float64(float64(n*(1-eccentricity2)) * sinLat)}
}

// squareTo returns the square of the length of the straight line between two positions.
func (a *Position) squareTo(b *Position) float64 {
	x, y, z := a[0]-b[0], a[1]-b[1], a[2]-b[2]
	return float64(float64(x*x)+float64(y*y)) + float64(z*z)
}

// Along returns the length of the geodesic between two places whose straight distance is chord metres, at most the
// diameter: as on a sphere of radius R,
//
//	s = 2R·asin(c/2R) ≈ c·(1 + c²/24R²)
//
// The radius of the ellipsoid's curvature is within 0.6 % of R everywhere and in every direction, so the error of the
// second term, and of s, is less than 1.2 % of c³/24R²: 2 mm if c is 50 km, 13 m if it is 1000 km.
func Along(chord float64) float64 {
	return 2 * MeanRadius * math.Asin(min(chord/(2*MeanRadius), 1))
}

// mostSquare returns the square of the straight distance between places that are metres apart along the earth. Places
// whose squared distance is at most that are not further apart.
func mostSquare(metres float64) float64 {
	half, _ := sincos(metres / (2 * MeanRadius))
	chord := float64(2 * MeanRadius * half)
	return float64(chord * chord)
}

// Place is a place in decimal degrees.
type Place struct{ Lat, Lon float64 }

// Nobody is the index of the nearest place if all are too far.
const Nobody = -1
