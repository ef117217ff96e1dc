package privateclamp

import (
	"math"

	"github.com/dprelease/dprelease/calibrate"
)

// The loss of a discovered clamp
//
// The noisy histogram gives two public facts about the values beyond the clamp. [Search.Cut] estimates the amount that
// the clamp cuts off from values that the histogram shows, and from an extrapolated tail. [Search.Noticed] returns how
// many rows the histogram can miss.

// Cut is the estimated amount that a clamp cuts off, in the unit of the values, summed over all groups.
type Cut struct {
	// Off is the expected sum, over all rows beyond the clamp, of their distances from the clamp.
	Off float64
	// Half is half the width of the 95 % interval of a sum.
	Half float64
	// Chance is the probability that the clamp cuts off more than Half: FewChance or SomeChance.
	Chance float64
}

// The two probabilities that [Search.Cut] can state. A noisy histogram does not show whether a tail continues, so only
// two kinds of tables can be told apart. In simulations over tables of 24 kinds, more than Half was cut off in 9 % of
// the tables with FewChance and in 38 % of those with SomeChance; over twelve other kinds, in 9 % and 20 %.
const (
	FewChance  = 0.1
	SomeChance = 0.4

	// someFrom is the estimated probability above which Cut states SomeChance.
	someFrom = 0.25
)

// Cut estimates how much the clamp cuts off. The rule that chose the clamp assumes that the tail of the values becomes
// steeper. Cut does not assume it, so its probability holds for the worse tables (see FewChance):
//   - If the values continue beyond the highest occupied octave, their tail is taken to be a power law, as steep as at
//     that octave, up to the public bound. Off = Σ n_i·(x_i − c) for the clamp's end c, with n_i rows expected in octave
//     i and their values x_i. The amount that is cut off is taken to be exponential with this mean, because the size of
//     a tail is known to within a factor only: it exceeds the half-width h with the probability e^(−h/Off).
//   - If the values end, r rows can be hidden in the octave above. Given the noisy count y and a flat prior, r is normal
//     around y with the standard deviation s of the count, but not negative. If less than a fifth of a tail reaches the
//     next octave, and the tail at least halves from octave to octave, its values are 0.275·c above c on average, so the
//     probability is P(0.275·c·r > h). For a centred clamp, c is the distance of its end from the centre.
//
// If there are several sums, the estimate is for all of them together, because it is not known which sums have rows
// beyond the clamp. A clamp at the public bound cuts nothing off. ok is false if no octave counted as occupied.
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

// cutAt returns the amount off that the clamp is expected to cut off at one end, and the probability that it cuts off
// more than half. The public bound on values is bound. reach is the distance of the end from zero, or from the clamp's
// centre if values are centred.
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
			// If the noisy count is far below 0, both probabilities are 0, and their quotient is not a number.
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

// Noticed returns a number of rows that the histogram rarely misses: if this number of rows have values in one octave,
// the octave counts as occupied with a probability of 97.5 %. The number is (5 + 1.96)·s, with s the standard deviation
// of an octave's noise, because an octave counts as occupied if its noisy count is at least 5·s.
func (s *Search) Noticed() float64 {
	return math.Ceil((threshold + calibrate.Z95) * s.Deviation / CoarseWeight)
}
