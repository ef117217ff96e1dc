package privateclamp

import "math"

// threshold is the number of standard deviations by which an octave, or a run of octaves, must exceed the noise to
// count as occupied anywhere. Missing a tail of that size costs about ten times the noise of the clamp that holds it,
// and a false positive costs that noise: therefore the threshold is not higher. There are about 250 runs of up to six
// octaves on a side, and 320 bins, so chance alone raises one in about one histogram in 10^4, or in three if both signs
// are searched. thresholdNear and thresholdNext apply to octaves two above and next to occupied octaves, since a
// mistake costs little there.
const (
	threshold     = 5.0
	thresholdNear = 4.5
	thresholdNext = 3.0
	// thresholdBin is the threshold of a bin at which the values of the highest octave may end. If chance alone raises
	// a bin below the values, the clamp cuts them off. Without such a bin the clamp is at most twice too large.
	thresholdBin = 4.5
	longestRun   = 6
	farthest     = 4 // octaves above the last occupied run, beyond which no tail is extrapolated
)

// magnitudes is one side of a noisy histogram, or both folded together, in rows.
type magnitudes struct {
	coarse []float64 // the coarse counts, by octave
	fine   []float64 // the fine counts, by bin
	// sdCoarse and sdFine are the standard deviations of their noise.
	sdCoarse, sdFine float64
}

// highest returns the highest octave that is occupied, by its own count or by the count of its run, if there is one.
// After a gap no tail is extrapolated, so that a mistake is not multiplied.
func (m *magnitudes) highest(firm int) (top int, gap bool) {
	for top = firm; ; {
		switch {
		case top+1 < len(m.coarse) && m.coarse[top+1] >= thresholdNext*m.sdCoarse:
			top, gap = top+1, false
		case top+2 < len(m.coarse) && m.coarse[top+2] >= thresholdNear*m.sdCoarse:
			top, gap = top+2, true
		default:
			return top, gap
		}
	}
}

// highestRun returns the highest octave of the highest run of occupied octaves. A run of several octaves does not count
// as occupied if its lowest octave is occupied by its own count: the others may be empty. Octaves at the upper end of a
// run that do not exceed the noise at all are left out.
func (m *magnitudes) highestRun() int {
	for top := len(m.coarse) - 1; top >= 0; top-- {
		sum := 0.0
		for n := 1; n <= longestRun && top-n+1 >= 0; n++ {
			low := m.coarse[top-n+1]
			if n > 1 && m.evidence(top-n+1) >= threshold {
				break
			}
			if n == 1 && m.evidence(top) >= threshold {
				return top
			}
			if sum += low; sum >= threshold*m.sdCoarse*math.Sqrt(float64(n)) {
				return m.upperEnd(top, n)
			}
		}
	}
	return -1
}

// evidence returns by how many standard deviations an octave exceeds the noise: by its own count or, if all its values
// are in one bin, by this count and the bin's count, each weighted by its precision.
func (m *magnitudes) evidence(octave int) float64 {
	most := m.coarse[octave] / m.sdCoarse
	for i := range len(m.fine) / len(m.coarse) { // row counts have no bins
		most = max(most, m.evidenceOfBin(octave, octave*PerOctave+i))
	}
	return most
}

func (m *magnitudes) evidenceOfBin(octave, bin int) float64 {
	coarse, fine := 1/(m.sdCoarse*m.sdCoarse), 1/(m.sdFine*m.sdFine)
	return (m.coarse[octave]*coarse + m.fine[bin]*fine) / math.Sqrt(coarse+fine)
}

// mostKept is the largest number of groups for which a clamp holds every octave that exceeds the threshold. With more
// groups, cutting such a tail off from a few groups costs about as much as the noise of a clamp that holds it.
const mostKept = 32

// kept returns the first and the last bin that a clamp must hold, from 1 on: the bins of octaves, and of runs of
// octaves, that exceed the threshold. They are 0 if there is none. An octave whose values may be in any of its bins has
// its last bin as the first and its first one as the last, so that no clamp is outside of it.
func (m *magnitudes) kept() (first, last int) {
	for j := range m.coarse {
		if m.evidence(j) < threshold {
			continue
		}
		from, to := 0, 0
		for bin := j * PerOctave; bin < (j+1)*PerOctave; bin++ {
			if m.fine[bin] >= threshold*m.sdFine || m.mayHoldAll(j, bin) {
				if to = bin + 1; from == 0 {
					from = to
				}
			}
		}
		if from == 0 {
			from, to = (j+1)*PerOctave, j*PerOctave+1
		}
		if last = max(last, to); first == 0 {
			first = from
		}
		first = min(first, from)
	}
	if run := m.highestRun(); run >= 0 {
		last = max(last, run*PerOctave+1)
	}
	return first, last
}

// mayHoldAll reports whether an octave and one of its bins together exceed the threshold, and have the same count up to
// four standard deviations of the difference.
func (m *magnitudes) mayHoldAll(octave, bin int) bool {
	return m.evidenceOfBin(octave, bin) >= threshold &&
		math.Abs(m.coarse[octave]-m.fine[bin]) <= 4*math.Hypot(m.sdCoarse, m.sdFine)
}

// upperEnd returns the highest octave of a run that holds values, if some octave does: the first one from the top whose
// count exceeds what chance gives in one of a hundred runs.
func (m *magnitudes) upperEnd(top, n int) int {
	sum := 0.0
	for i := range n {
		if sum += m.coarse[top-i]; sum >= 3.5*m.sdCoarse*math.Sqrt(float64(i+1)) {
			return top - i
		}
	}
	return top - n + 1
}

// decay is a geometric sequence that was fitted to the cells below and at one: at·ratio^i in the i-th cell above it.
type decay struct{ at, ratio float64 }

const (
	steepest = 0.02
	flattest = 0.92
)

// fitDecay fits the logarithms of up to four cells that end at top; cells near top have more weight. It stops at a cell
// that does not exceed the noise.
func fitDecay(cells []float64, top int, sd float64) decay {
	var sw, sx, sy, sxx, sxy float64
	for i := 0; i < 4 && top-i >= 0; i++ {
		n := cells[top-i]
		if i > 0 && n < 3*sd {
			break
		}
		n = max(n, sd)
		w := min(n*n/(sd*sd), 200) * math.Pow(0.5, float64(i))
		x, y := -float64(i), math.Log(n)
		sw, sx, sy, sxx, sxy = sw+w, sx+w*x, sy+w*y, sxx+w*x*x, sxy+w*x*y
	}
	d := decay{at: max(cells[top], sd), ratio: flattest}
	if det := sw*sxx - sx*sx; det > 0 {
		slope := (sw*sxy - sx*sy) / det
		d.ratio = min(max(math.Exp(slope), steepest), flattest)
		d.at = math.Exp((sy - slope*sx) / sw)
	}
	return d
}

// continued returns the expected rows of the cells above top if the sequence continues, corrected by the noisy counts
// there. A cell is expected to have ratio times the rows of the cell below, with this number as the standard deviation;
// its noisy count has the standard deviation sd. The ratio falls if a count is below the expected number.
func (d decay) continued(cells []float64, top int, sd, bend float64) []float64 {
	out := make([]float64, max(len(cells)-top-1, 0))
	n, ratio := d.at, d.ratio
	for i := range out {
		expected := n * ratio
		if expected < nothing {
			break
		}
		own := expected * expected / (expected*expected + sd*sd)
		n = min(max(expected+own*(cells[top+1+i]-expected), 0.01*expected), expected)
		ratio *= bend * math.Sqrt(n/expected)
		out[i] = n
	}
	return out
}

// bend is the factor by which the ratio of a tail falls from cell to cell: tails of power laws keep their ratio, tails
// of log-normal values do not.
const bend = 0.85

// nothing is a number of rows that is too small to matter for a clamp.
const nothing = 1e-3

// ends reports whether the values end at top: whether next, the estimated rows above, are much fewer than expected.
func (d decay) ends(next []float64) bool {
	return len(next) > 0 && next[0] < ended*d.at*d.ratio
}

// ended is the fraction of the expected rows below which the values are taken to end.
const ended = 0.2

// rows estimates the rows of each bin, with an extrapolated tail above the highest occupied octave; nil if none is
// occupied.
func (m *magnitudes) rows() []float64 {
	firm := m.highestRun()
	if firm < 0 {
		return nil
	}
	top, gap := m.highest(firm)
	out := make([]float64, len(m.fine))
	defer func() { clear(out[min((firm+1+farthest)*PerOctave, len(out)):]) }()
	for j := 0; j <= top; j++ {
		m.spread(out, j)
	}
	d := fitDecay(m.coarse, top, m.sdCoarse)
	if next := d.continued(m.coarse, top, m.sdCoarse, bend); !gap && !m.isMode(top) && !d.ends(next) {
		for i, n := range next {
			j := top + 1 + i
			shape(out[j*PerOctave:(j+1)*PerOctave], n, d.ratio)
		}
		return out
	}
	m.endIn(out, top)
	return out
}

// isMode reports whether an octave clearly has more rows than the octave below it. Such an octave is not a tail but
// holds separate values, such as a code or a cap.
func (m *magnitudes) isMode(octave int) bool {
	return octave > 0 && m.coarse[octave]-m.coarse[octave-1] > modeAbove*m.sdCoarse
}

// modeAbove is in standard deviations of an octave.
const modeAbove = 2

// endIn estimates the bins from the highest bin above the noise on, if the values end in an octave.
func (m *magnitudes) endIn(out []float64, octave int) {
	last := min((octave+2)*PerOctave, len(m.fine)) - 1
	for ; last >= octave*PerOctave && m.fine[last] < thresholdBin*m.sdFine; last-- {
	}
	if last < octave*PerOctave {
		return // spread as if the octave were filled evenly
	}
	clear(out[last+1:])
	out[last] = max(out[last], m.fine[last])
	d := fitDecay(m.fine, last, m.sdFine)
	if next := d.continued(m.fine, last, m.sdFine, math.Pow(bend, 1./PerOctave)); !d.ends(next) {
		copy(out[last+1:], next)
	}
}

// spread distributes the rows of an octave over its bins: evenly, or as the bins' noisy counts as far as these differ
// from an even density by more than their noise (James & Stein).
func (m *magnitudes) spread(out []float64, octave int) {
	n := m.coarse[octave]
	if n <= m.sdCoarse {
		return
	}
	bins := m.fine[octave*PerOctave : (octave+1)*PerOctave]
	even, far := n/PerOctave, 0.0
	for _, f := range bins {
		far += (f - even) * (f - even)
	}
	own := max(0, 1-PerOctave*m.sdFine*m.sdFine/far)
	total := 0.0
	for i, f := range bins {
		x := max(0, even+own*(f-even))
		out[octave*PerOctave+i] = x
		total += x
	}
	for i := range bins {
		if total > 0 {
			out[octave*PerOctave+i] *= n / total
		}
	}
}

// shape distributes the rows of an octave as a density that falls by the ratio, times one half, within it.
func shape(bins []float64, n, ratio float64) {
	total := 0.0
	for i := range bins {
		bins[i] = math.Pow(1+(float64(i)+0.5)/PerOctave, math.Log2(ratio)-1)
		total += bins[i]
	}
	for i := range bins {
		bins[i] *= n / total
	}
}
