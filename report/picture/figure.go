package picture

// Figure is one or more panels beside one another.
type Figure struct {
	Title  string
	Panels []Panel
	// Estimates, Noisy and Intervals name the marks of points for the key, Colours what the colours of shades stand for;
	// "" for none.
	Estimates, Noisy, Intervals, Colours string
	// Width and Height of all, in centimetres.
	Width, Height float64
}

// Panel is a chart. It has Points, or Shades.
type Panel struct {
	Title, X, Y string
	// Points are drawn from left to right; with Names they stand below one another, each at its name.
	Points []Point
	Names  []string
	// Lines joins points and draws the interval as a band.
	Lines bool
	// Shades are cells or places with a value each, and Roads are drawn below them.
	Shades []Shade
	Roads  []Road
	Scale  Scale
	// Round: shades are places on a map, not cells. Aspect is the height of a unit of y over the width of one of x.
	Round  bool
	Aspect float64
	// XNames and YNames are the labels of cells; nil if there are too many.
	XNames, YNames []string
}

// Point is a value with its interval.
type Point struct {
	X, Estimate, Noisy, Low, High float64
}

// Road joins two places, x and y, and has the mean of their values.
type Road struct {
	From, To [2]float64
	Value    float64
}

// Shade is a value at a place.
type Shade struct{ X, Y, Value float64 }
