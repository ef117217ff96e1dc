// Package earth finds the nearest of many public places on the ellipsoid of WGS84. It computes positions in space and
// distances along the ellipsoid, and has two indexes of places: a k-d tree, and squares of latitude and longitude.
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

// Formula holds the constants with which [OnEllipsoid] computes positions, for databases that must compute the same
// numbers.
type Formula struct {
	// Degree is a degree in radians. An angle below Least degrees in magnitude counts as 0, so that no product is too
	// small for a float64.
	Degree, Least float64
	// The sine and cosine are computed for an angle from which multiples of pi/2 are subtracted, in three parts for
	// precision. Quarter is pi/4 in three parts. None is subtracted if the angle's magnitude times PerRadian is below
	// 1, twice each part if it is below 3, otherwise four times each part.
	PerRadian float64
	Quarter   [3]float64
	// Sin and Cos are coefficients of polynomials, highest power first.
	Sin, Cos [6]float64
	// SemiMajor is in metres, Eccentricity2 is the square of the first eccentricity, and Rest is 1 - Eccentricity2.
	SemiMajor, Eccentricity2, Rest float64
}

// WGS84 is the Formula that this package uses.
var WGS84 = Formula{
	Degree: degree, Least: least, PerRadian: perRadian, Quarter: [3]float64{quarterA, quarterB, quarterC},
	Sin: sinCoefficients, Cos: cosCoefficients, SemiMajor: semiMajor, Eccentricity2: eccentricity2,
	Rest: 1 - eccentricity2,
}

// Position is a point in space, in metres from the centre of the earth. The axes go through latitude and longitude 0,
// 0; through 0, 90; and through the north pole.
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

// squareTo returns the squared straight-line distance between two positions.
func (a *Position) squareTo(b *Position) float64 {
	x, y, z := a[0]-b[0], a[1]-b[1], a[2]-b[2]
	return float64(float64(x*x)+float64(y*y)) + float64(z*z)
}

// Along returns the distance along the earth between two places whose straight-line distance is chord metres. It
// computes as on a sphere of radius R:
//
//	s = 2R·asin(c/2R) ≈ c·(1 + c²/24R²)
//
// The ellipsoid's radius of curvature is within 0.6 % of R everywhere and in every direction. So the error of s is less
// than 1.2 % of c³/24R²: 2 mm if c is 50 km, 13 m if it is 1000 km.
func Along(chord float64) float64 {
	return 2 * MeanRadius * math.Asin(min(chord/(2*MeanRadius), 1))
}

// squaredChord returns the squared straight-line distance between two places whose distance along the earth is metres.
func squaredChord(metres float64) float64 {
	half, _ := sincos(metres / (2 * MeanRadius))
	chord := float64(2 * MeanRadius * half)
	return float64(chord * chord)
}

// Place is a latitude and a longitude in decimal degrees.
type Place struct{ Lat, Lon float64 }

// Nobody is returned instead of the index of a place if no place is near enough.
const Nobody = -1
