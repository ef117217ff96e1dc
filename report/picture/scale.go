package picture

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
)

// Scale gives values their colours: from the least to the largest, by the root if counts differ by orders of magnitude.
type Scale struct {
	Low, High float64
	Root      bool
}

// share is where a value lies on the scale, between 0 and 1.
func (s Scale) share(value float64) float64 {
	x := (value - s.Low) / (s.High - s.Low)
	if !(x > 0) {
		return 0
	}
	if x = math.Min(x, 1); s.Root {
		return math.Sqrt(x)
	}
	return x
}

// colour is that of a value.
func (s Scale) colour(value float64) color.RGBA {
	at := s.share(value) * float64(len(magma)-1)
	i := min(int(at), len(magma)-2)
	mix := func(a, b uint8) uint8 { return uint8(float64(a) + (at-float64(i))*(float64(b)-float64(a)) + 0.5) }
	a, b := magma[i], magma[i+1]
	return color.RGBA{R: mix(a.R, b.R), G: mix(a.G, b.G), B: mix(a.B, b.B), A: 255}
}

// keyHeight is the room for the key below the title.
const keyHeight = 0.9 * vg.Centimeter
