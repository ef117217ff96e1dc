package privateclamp

import "math"

// threshold is the noisy count, in standard deviations of its noise, from which an octave, or the sum of several
// neighbouring octaves (a run), counts as occupied. It is not higher, because missing a tail of this size costs about
// ten times the noise of the clamp that includes the tail, and a false positive costs this noise once. One side has
// about 250 runs of up to six octaves, and 320 bins. In about one of 10^4 histograms, noise alone makes one of them
// exceed the threshold, or in three of 10^4 if both signs are searched. thresholdNear and thresholdNext apply to the
// second and the first octave above an occupied octave, because a mistake costs little there.
const (
	threshold     = 5.0
	thresholdNear = 4.5
	thresholdNext = 3.0
	// thresholdBin is the threshold for the bin at which the values of the highest octave may end. If noise alone raises a
	// bin below the largest values, the clamp cuts these values off. If no bin exceeds thresholdBin, the clamp is at most
	// twice too large.
	thresholdBin = 4.5
	longestRun   = 6
	farthest     = 4 // a tail is extrapolated over at most this many octaves above the highest occupied run
)

// magnitudes is the cells of one side of a noisy histogram, or the sums of both sides, by magnitude.
type magnitudes struct {
	coarse []float64 // noisy row counts by octave
	fine   []float64 // noisy row counts by bin
	// sdCoarse and sdFine are the standard deviations of coarse and fine.
	sdCoarse, sdFine float64
}

// highest returns the highest occupied octave, given firm, the result of highestRun. The next octaves above an occupied
// one have lower thresholds. gap is set if the octave just below top is not occupied. Then the caller extrapolates no
// tail, so that a mistake is not multiplied.
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

// highestRun returns the highest octave with values, or -1 if nothing counts as occupied. It searches octaves and runs
// from the top. A run must not include an octave that counts as occupied by its own count, because the run's other
// octaves may be empty. Octaves at the upper end of a run that hardly exceed the noise do not count.
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

// evidence returns an octave's noisy count in standard deviations of its noise. If all its values may be in one bin,
// the precision-weighted mean of the octave's and the bin's count is more precise: the largest of these numbers is
// returned.
func (m *magnitudes) evidence(octave int) float64 {
	most := m.coarse[octave] / m.sdCoarse
	for i := range len(m.fine) / len(m.coarse) { // histograms of rows per unit have no bins
		most = max(most, m.evidenceOfBin(octave, octave*PerOctave+i))
	}
	return most
}

func (m *magnitudes) evidenceOfBin(octave, bin int) float64 {
	coarse, fine := 1/(m.sdCoarse*m.sdCoarse), 1/(m.sdFine*m.sdFine)
	return (m.coarse[octave]*coarse + m.fine[bin]*fine) / math.Sqrt(coarse+fine)
}

// maxKeptGroups is the largest number of groups for which a clamp must include every octave that exceeds the threshold.
// With more groups, cutting a tail off from a few of them costs about as much as the noise of a clamp that includes the
// tail.
const maxKeptGroups = 32

// kept returns the lowest and the highest bin, counted from 1, that a clamp must include because an octave or run
// exceeds the threshold, or 0, 0 if there is none. If the bins do not show where an octave's values are, the clamp
// needs to include only one bin of the octave: then first is the octave's last bin and last is its first bin.
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

// mayHoldAll reports whether all values of an octave may be in one of its bins: the weighted mean of both counts
// exceeds the threshold, and the counts differ by at most four standard deviations of their difference.
func (m *magnitudes) mayHoldAll(octave, bin int) bool {
	return m.evidenceOfBin(octave, bin) >= threshold &&
		math.Abs(m.coarse[octave]-m.fine[bin]) <= 4*math.Hypot(m.sdCoarse, m.sdFine)
}

// upperEnd returns the highest octave with values in a run of n octaves whose highest octave is top. It adds up counts
// from the top down, and returns the octave at which the sum exceeds 3.5 standard deviations of its noise.
func (m *magnitudes) upperEnd(top, n int) int {
	sum := 0.0
	for i := range n {
		if sum += m.coarse[top-i]; sum >= 3.5*m.sdCoarse*math.Sqrt(float64(i+1)) {
			return top - i
		}
	}
	return top - n + 1
}

// decay is a geometric sequence that was fitted to the row counts of some cells: cell i above the highest fitted cell
// is expected to have at·ratio^i rows.
type decay struct{ at, ratio float64 }

const (
	steepest = 0.02
	flattest = 0.92
)

// fitDecay fits a line to the logarithms of the counts of up to four cells, top and those below it. Cells near top have
// more weight. The first cell that does not exceed the noise, and all cells below it, are not used.
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

// continued returns the estimated row counts of the cells above top, if the sequence continues. A cell is expected to
// have ratio times the rows of the cell below. The estimate is between this number and the cell's noisy count, whose
// standard deviation is sd. ratio is multiplied by bend at each cell, and falls more if a count is less than expected.
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

// bend is the factor by which the ratio of a tail falls from octave to octave. It is below 1 because the ratio is
// constant for a power law but falls for log-normal values.
const bend = 0.85

// nothing is a row count that is too small to matter for a clamp.
const nothing = 1e-3

// ends reports whether the values end at the fitted cells: whether next, the estimated counts of the cells above,
// begins with much less than expected.
func (d decay) ends(next []float64) bool {
	return len(next) > 0 && next[0] < ended*d.at*d.ratio
}

// ended is the fraction of the expected rows below which the values count as ended.
const ended = 0.2

// rows returns an estimate of the row count of each bin, including a tail that it extrapolates above the highest
// occupied octave. It returns nil if no octave counts as occupied.
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

// isMode reports whether an octave clearly has more rows than the octave below it. Such an octave is not the start of a
// tail but holds values that many rows share, such as a code or a cap.
func (m *magnitudes) isMode(octave int) bool {
	return octave > 0 && m.coarse[octave]-m.coarse[octave-1] > modeAbove*m.sdCoarse
}

// modeAbove is the difference above which isMode returns true, in standard deviations of an octave's noise.
const modeAbove = 2

// endIn estimates the row counts of the bins of the highest octave if the values end in it: up to the highest bin that
// exceeds the noise. A steep tail may follow.
func (m *magnitudes) endIn(out []float64, octave int) {
	last := min((octave+2)*PerOctave, len(m.fine)) - 1
	for ; last >= octave*PerOctave && m.fine[last] < thresholdBin*m.sdFine; last-- {
	}
	if last < octave*PerOctave {
		return // no bin exceeds the noise: leave the rows spread evenly over the octave
	}
	clear(out[last+1:])
	out[last] = max(out[last], m.fine[last])
	d := fitDecay(m.fine, last, m.sdFine)
	if next := d.continued(m.fine, last, m.sdFine, math.Pow(bend, 1./PerOctave)); !d.ends(next) {
		copy(out[last+1:], next)
	}
}

// spread distributes the rows of an octave over its bins. It shrinks the bins' noisy counts towards equal counts; the
// more they differ beyond their noise, the less it shrinks them (James & Stein).
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

// shape distributes n rows of an octave over its bins, with a density that falls by ratio/2 within the octave.
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
