package privateclamp

import (
	"errors"
	"math"
	"slices"
)

// ClampRule is the version of the rule that chooses a clamp. Any change to the results of [Search.Choose] needs a new
// version.
const ClampRule = 1

// Search is a noisy histogram and the clamp that was chosen from it.
type Search struct {
	// RuleVersion is the version of the rule.
	RuleVersion int `json:"rule"`
	// Values are multiples of 2^Exponent. Least and Most are the minimum and maximum of the public range, in these
	// multiples.
	Exponent int   `json:"quantum_log2"`
	Least    int64 `json:"least"`
	Most     int64 `json:"most"`
	// Centred is set if the centre of the clamp is subtracted from each value before summing.
	Centred bool `json:"centred,omitempty"`
	// Groups is the number of sums that share the clamp.
	Groups int `json:"groups"`
	// Noise is the standard deviation of a sum's noise for the clamp [-1, 1], or for any clamp of length 2 if Centred is
	// set.
	Noise float64 `json:"noise"`
	// Grid is the spacing of the histogram's noisy values, Deviation their standard deviation, and Cells the values in
	// multiples of the grid.
	Grid      float64 `json:"grid"`
	Deviation float64 `json:"standard_deviation"`
	Cells     []int64 `json:"noisy_histogram"`
	// Low and High are the minimum and maximum of the chosen clamp in multiples of 2^Exponent. Clamp holds both in the
	// column's unit.
	Low   int64      `json:"low"`
	High  int64      `json:"high"`
	Clamp [2]float64 `json:"clamp"`
	// Found is set if at least one octave exceeded the noise threshold.
	Found bool `json:"found"`
}

// ErrSearch means that the fields of a Search contradict each other.
var ErrSearch = errors.New("the histogram from which a clamp was chosen is not complete")

// Choose sets the clamp (Low, High, Clamp and Found) from the other fields. The only error is ErrSearch.
func (s *Search) Choose() error {
	positive := func(x float64) bool { return x > 0 && x <= math.MaxFloat64 }
	if s.RuleVersion != ClampRule || len(s.Cells) != s.layout().Cells() || s.Least >= s.Most || max(s.Most,
		-s.Least) > 1<<Bits ||
		s.Groups < 1 || !positive(s.Noise) || !positive(s.Grid) || !positive(s.Deviation) {
		return ErrSearch
	}
	h := s.histogram()
	var low, high int64
	if s.Centred {
		low, high = h.Interval(s.Noise, s.Groups)
	} else {
		high = Edge(h.Symmetric(s.Noise, s.Groups))
		low = -high
	}
	s.Found = high > Edge(0) || low < -Edge(0)
	s.Low, s.High = s.clip(low, high)
	s.Clamp = [2]float64{math.Ldexp(float64(s.Low), s.Exponent), math.Ldexp(float64(s.High), s.Exponent)}
	return nil
}

func (s *Search) layout() Layout { return Layout{Signed: s.Least < 0} }

// histogram returns the noisy histogram. Cells beyond the public range are set to 0.
func (s *Search) histogram() *Histogram {
	h := &Histogram{Layout: s.layout(), Deviation: s.Deviation}
	for _, n := range s.Cells {
		h.Cells = append(h.Cells, float64(n)*s.Grid)
	}
	clearBeyond := func(cells []float64, end int64) {
		for i := range side {
			if Edge(i) >= end {
				cells[Octaves+i] = 0
			}
			if i%PerOctave == 0 && Edge(i) >= end {
				cells[i/PerOctave] = 0
			}
		}
	}
	clearBeyond(h.Cells[1:], s.Most)
	if h.Signed {
		clearBeyond(h.Cells[1+Octaves+side:], -s.Least)
	}
	return h
}

// clip moves the minimum and maximum of a clamp into the public range. If the whole clamp is outside of the range, it
// becomes the narrowest possible clamp at the end of the range that is nearer.
func (s *Search) clip(low, high int64) (int64, int64) {
	switch {
	case high <= s.Least:
		low, high = s.Least, s.Most
		for i := Edges - 1; i >= 0; i-- {
			if e := Edge(i); e > low {
				high = min(high, e)
			}
			if e := -Edge(i); e > low {
				high = min(high, e)
			}
		}
	case low >= s.Most:
		low, high = s.Least, s.Most
		for i := range Edges {
			if e := Edge(i); e < high {
				low = max(low, e)
			}
			if e := -Edge(i); e < high {
				low = max(low, e)
			}
		}
	}
	return max(low, s.Least), min(high, s.Most)
}

// Same reports whether Choose would choose the stored clamp.
func (s *Search) Same() bool {
	again := *s
	again.Cells = slices.Clone(s.Cells)
	return again.Choose() == nil && again.Low == s.Low && again.High == s.High && again.Clamp == s.Clamp &&
		again.Found == s.Found
}
