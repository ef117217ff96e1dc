package picture

import (
	"image/color"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// The page's colours.
var (
	blue      = color.RGBA{R: 0, G: 114, B: 178, A: 255}
	vermilion = color.RGBA{R: 213, G: 94, B: 0, A: 255}
	pale      = color.NRGBA{R: 213, G: 94, B: 0, A: 60}
	gray      = color.Gray{Y: 190}
)

// magma is even to the eye, also in print and for any colour vision (Smith & van der Walt 2015). It begins with nearly
// the colour of paper, so that what is little steps back, and ends before black: interpolateMagma(0.97 - 0.82·t) of D3
// at t = 0, 1/12, …, 1, as on the page.
var magma = []color.RGBA{
	{R: 252, G: 240, B: 178, A: 255}, {R: 254, G: 207, B: 146, A: 255}, {R: 254, G: 176, B: 120, A: 255}, {R: 252, G: 142,
		B: 100, A: 255}, {R: 246, G: 110, B: 92, A: 255},
	{R: 231, G: 82, B: 99, A: 255}, {R: 207, G: 64, B: 112, A: 255}, {R: 178, G: 53, B: 123, A: 255}, {R: 150, G: 44,
		B: 128, A: 255}, {R: 121, G: 34, B: 130, A: 255},
	{R: 95, G: 24, B: 127, A: 255}, {R: 66, G: 15, B: 117, A: 255}, {R: 37, G: 18, B: 85, A: 255},
}

const dotsPerInch = 150

var handler = text.Plain{Fonts: font.NewCache(liberation.Collection())}

func face(points float64) font.Font {
	return font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Points(points))
}
