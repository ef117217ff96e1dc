package figure

import (
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

var lightGray = color.Gray{Y: 225}

// decades marks the powers of ten on an axis of decimal logarithms. If there are few, it marks multiples of them as
// well.
type decades struct{}

// Ticks returns the marks from low to high.
func (decades) Ticks(low, high float64) (ticks []plot.Tick) {
	span := high - low
	step := max(1, int(math.Ceil(span/7)))
	for e := int(math.Floor(low)); e <= int(math.Ceil(high)); e++ {
		for m := 1; m < 10; m++ {
			v := float64(e) + math.Log10(float64(m))
			if v < low-1e-9 || v > high+1e-9 || (m > 1 && span > 8) {
				continue
			}
			t := plot.Tick{Value: v}
			if (m == 1 && e%step == 0) || (span < 2 && (m == 2 || m == 5)) || (span < 1 && (m == 3 || m == 7)) {
				t.Label = power(m, e)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// power returns m times a power of ten as a text.
func power(m, e int) string {
	if e >= -2 && e <= 3 {
		return strconv.FormatFloat(float64(m)*math.Pow10(e), 'g', 6, 64)
	}
	return strconv.Itoa(m) + "e" + strconv.Itoa(e)
}
