package picture

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/dprelease/dprelease/internal/spelling"
)

// Axis is one of the axes of a panel.
type Axis struct {
	Label string
	Log   bool
	// From and To are the limits of the axis. If they are equal, the limits are the minimum and the maximum of the values.
	From, To float64
	// Zero extends limits that come from the values so that they include 0.
	Zero bool
	// Names are written at 0, 1, 2, … instead of numbers. Names that would overlap are left out.
	Names []string
	// Ticks lists the labelled values; nil for round numbers.
	Ticks []Tick
}

// Tick is a labelled value of an axis.
type Tick struct {
	Value float64
	Label string
}

// shows reports whether x can be drawn on the axis.
func (a Axis) shows(x float64) bool {
	return !math.IsNaN(x) && !math.IsInf(x, 0) && (!a.Log || x > 0)
}

// place returns the position of x on the axis: its decimal logarithm if the axis is logarithmic.
func (a Axis) place(x float64) float64 {
	if a.Log {
		return math.Log10(x)
	}
	return x
}

// largest is the maximum of an axis's limits, so that their difference does not overflow.
const largest = math.MaxFloat64 / 8

// limits returns the positions of the axis's ends for values between low and high.
func (a Axis) limits(low, high float64) (from, to float64) {
	switch {
	case a.From != a.To:
		return a.place(a.From), a.place(a.To)
	case !(low <= high): // there are no values
		return 0, 1
	case a.Zero:
		low, high = min(low, 0), max(high, 0)
	}
	if low == high {
		return low - 0.5, high + 0.5
	}
	return max(low, -largest), min(high, largest)
}

// apply sets the limits, the label and the ticks of gonum's axis to. from and end are its limits, length is its length,
// and across is the panel's size in the other direction.
func (a Axis) apply(to *plot.Axis, from, end float64, length, across vg.Length, upright bool) {
	to.Min, to.Max = from, end
	to.Label.TextStyle.Font, to.Label.TextStyle.Handler, to.Label.Padding = face(9), handler, vg.Points(2)
	to.Label.Text = fit(to.Label.TextStyle, a.Label, length)
	to.Tick.Label.Font, to.Tick.Label.Handler = face(8), handler
	to.Tick.Length, to.Padding = vg.Points(4), 0
	switch {
	case a.Names != nil:
		a.applyNames(to, length, across, upright)
	case a.Ticks != nil:
		ticks := make([]plot.Tick, len(a.Ticks))
		for i, t := range a.Ticks {
			ticks[i] = plot.Tick{Value: a.place(t.Value), Label: t.Label}
		}
		to.Tick.Marker = plot.ConstantTicks(ticks)
	case a.Log:
		to.Tick.Marker = decades{most: labels(1.5*length, upright)} // labels of powers of ten are short
	default:
		to.Tick.Marker = round{limit: labels(length, upright)}
	}
}

// labels returns how many numbers fit along an axis of the given length.
func labels(length vg.Length, upright bool) int {
	each := 1.7 * vg.Centimeter
	if upright {
		each = 0.8 * vg.Centimeter
	}
	return min(max(int(length/each), 2), 9)
}

// applyNames puts the names on the axis, at an angle if they are too long to stand side by side.
func (a Axis) applyNames(to *plot.Axis, length, across vg.Length, upright bool) {
	longest, high := vg.Length(0), 1.25*to.Tick.Label.Font.Size
	names := make([]string, len(a.Names))
	most := 0.46 * across // at an angle, a name takes less height than its length
	if upright {
		most = 0.4 * across
	}
	for i, name := range a.Names {
		names[i] = fit(to.Tick.Label, name, most)
		longest = max(longest, to.Tick.Label.Width(names[i]))
	}
	room := length / vg.Length(max(1, len(names)))
	step := int(math.Ceil(float64(high / room)))
	switch wide := longest + vg.Points(6); {
	case upright:
	case wide <= 3*room && wide <= 1.2*vg.Centimeter: // the names are short, and some can be left out
		step = int(math.Ceil(float64(wide / room)))
	case wide > room:
		to.Tick.Label.Rotation, to.Tick.Label.XAlign, to.Tick.Label.YAlign = math.Pi/3, draw.XRight, draw.YCenter
	default:
		step = 1
	}
	var ticks []plot.Tick
	for i := 0; i < len(names); i += max(step, 1) {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: names[i]})
	}
	to.Tick.Marker = plot.ConstantTicks(ticks)
}

// round places at most limit ticks, at round numbers.
type round struct{ limit int }

// Ticks returns up to most ticks between low and high; at least two, unless the axis is too short for the numbers.
func (r round) Ticks(low, high float64) (ticks []plot.Tick) {
	span := high - low
	if !(span > 0) || math.IsInf(span, 0) {
		return nil
	}
	step := math.Pow(10, math.Floor(math.Log10(span/float64(r.limit))))
	for _, more := range []float64{1, 2, 5, 10} {
		if span/(more*step) <= float64(r.limit) {
			step *= more
			break
		}
	}
	// Beyond 2^53 steps from 0, i + 1 equals i; then the count n ends the loop.
	for i, n := math.Ceil(low/step-1e-9), 0; n <= r.limit && (i+float64(n))*step <= high+1e-9*span; n++ {
		x := (i + float64(n)) * step
		ticks = append(ticks, plot.Tick{Value: x, Label: Number(x)})
	}
	return ticks
}

// decades places ticks at the powers of ten on an axis of decimal logarithms, and at their multiples if there are few
// powers.
type decades struct{ most int }

func (d decades) Ticks(low, high float64) (ticks []plot.Tick) {
	span := high - low
	if !(span >= 0) || math.IsInf(span, 0) {
		return nil
	}
	step := max(1, int(math.Ceil(span/float64(max(2, d.most-1)))))
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

// power returns m·10^e as text: as a decimal if e is small, otherwise with an exponent.
func power(m, e int) string {
	if e >= -2 && e <= 3 {
		return strconv.FormatFloat(float64(m)*math.Pow10(e), 'g', 6, 64)
	}
	return strconv.Itoa(m) + "e" + strconv.Itoa(e)
}

// Number returns a number of an axis as a text: 1,200,000, 0.25, 1e-7.
func Number(x float64) string { return spelling.Number(x, 6) }
