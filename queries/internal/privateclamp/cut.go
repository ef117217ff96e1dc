package privateclamp

import (
	"math"

	"github.com/dprelease/dprelease/calibrate"
)

// The loss of a discovered clamp
//
// The noisy histogram gives two public facts about the rows beyond the clamp. [Search.Cut] estimates the rows that the
// histogram shows or to which its tail continues. [Search.Noticed] bounds the number of rows that the histogram does
// not show.

// Cut is the estimated amount that a clamp cuts off the sum of all rows, in the unit of the values.
type Cut struct {
	// Off is the sum of the distances from the clamp, over the rows that are expected beyond it.
	Off float64
	// Half is half the width of a sum's 95 % interval.
	Half float64
	// Chance is the probability that more than Half is cut off: FewChance or SomeChance.
	Chance float64
}

// The chances that [Search.Cut] states. A noisy histogram does not show whether a tail continues, so that only two
// kinds of tables can be distinguished. In simulations over tables of 24 kinds, 9 % of those with FewChance and 38 % of
// those with SomeChance had lost more than their interval; over twelve other kinds, 9 % and 20 %.
const (
	FewChance  = 0.1
	SomeChance = 0.4

	// someFrom is the estimated probability from which on a table has SomeChance.
	someFrom = 0.25
)

// Cut estimates what the clamp cuts off. The rule that chose the clamp assumes that the tail of the values bends. This
// estimate does not, and its probability holds for the worse tables (see FewChance):
//
//   - If the values continue beyond the highest occupied octave, their tail is a power law, as steep as it is at
//     that octave, up to the public bound. With the clamp's end c, n_i rows expected in octave i and values x_i there,
//     Off = Σ n_i·(x_i − c). What is cut off is taken to be exponential with this mean, since the size of a tail is known
//     to within a factor only: it is more than the half-width h with the probability e^(−h/Off).
//   - If the values end, r rows can be hidden in the octave above. With a noisy count y and a flat prior, r is normal
//     around y with the deviation s of the count, given that it is not negative. A tail of which less than a fifth
//     reaches the next octave, and that halves at least, is 0.275·c above c on average (of a centred clamp, c is its distance
//     from the centre), so that the probability is P(0.275·c·r > h).
//
// If there are several sums, the estimate is for all of them together, since the distribution of the rows beyond the
// clamp is not known. At the public bound the choice cuts nothing off. ok is false if no octave was found.
func (s *Search) Cut() (c Cut, ok bool) {
	if !s.Found || len(s.Cells) != s.layout().Cells() {
		return Cut{}, false
	}
	h := s.histogram()
	size := float64(max(s.High, -s.Low))
	half := size
	if s.Centred {
		half = float64(s.High-s.Low) / 2
	}
	c.Half = calibrate.Z95 * s.Noise * half
	stay := 1.0
	cut := func(end, bound int64, sides ...*magnitudes) {
		most, risk := 0.0, 0.0
		for _, m := range sides {
			off, chance := m.cutAt(float64(end), float64(bound), half, c.Half)
			most, risk = max(most, off), max(risk, chance)
		}
		c.Off += most
		stay *= 1 - risk
	}
	switch {
	case !s.Centred:
		cut(int64(size), max(s.Most, -s.Least), h.sides()...)
	default:
		if s.High > 0 {
			cut(s.High, s.Most, h.side(1))
		}
		if s.Low < 0 && h.Signed {
			cut(-s.Low, -s.Least, h.side(1+Octaves+side))
		}
	}
	scale := math.Ldexp(1, s.Exponent)
	c.Off, c.Half, c.Chance = scale*c.Off, scale*c.Half, FewChance
	if 1-stay > someFrom {
		c.Chance = SomeChance
	}
	return c, true
}

// cutAt returns how much is expected to be cut off at an end of a clamp, up to the public bound, and the probability of
// more than half. Reach is the distance of the end from zero or, if values are centred, from the centre.
func (m *magnitudes) cutAt(end, bound, reach, half float64) (off, chance float64) {
	firm := m.highestRun()
	if firm < 0 || end >= bound {
		return 0, 0
	}
	for i, n := range m.rows() {
		off += n * max(min(float64(Edge(i)+Edge(i+1))/2, bound)-end, 0)
	}
	top, gap := m.highest(firm)
	d := fitDecay(m.coarse, top, m.sdCoarse)
	next := d.continued(m.coarse, top, m.sdCoarse, bend)
	if gap || m.isMode(top) || d.ends(next) {
		chance = math.Exp(-half / off)
		if above := top + 1; above < len(m.coarse) {
			const distance = 0.275
			hidden := func(r float64) float64 { return math.Erfc((r - m.coarse[above]) / (m.sdCoarse * math.Sqrt2)) }
			// Far below the noise both tails vanish, and their quotient with them.
			if all := hidden(0); all > 0 {
				chance = max(chance, hidden(half/(distance*reach))/all)
			}
		}
		return off, chance
	}
	straight := 0.0
	for j, n := top+1, d.at; j < len(m.coarse); j++ {
		n *= d.ratio
		straight += n * max(min(math.Sqrt2*float64(Edge(j*PerOctave)), bound)-end, 0)
	}
	off = max(off, straight)
	return off, math.Exp(-half / off)
}

// Noticed returns the least number of rows, whose values are within one octave, that make the octave count as occupied
// with a probability of 97.5 %, for any octave: (5 + 1.96)·s with the standard deviation s of an octave's noise, since
// an octave counts as occupied from 5·s on.
func (s *Search) Noticed() float64 {
	return math.Ceil((threshold + calibrate.Z95) * s.Deviation / CoarseWeight)
}
