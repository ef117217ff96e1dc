package gauss

import "github.com/dprelease/dprelease/internal/mechanism/int128"

// AddWide replaces the high half of every 128-bit cell by floor(x + S·Z + 1/2), x = cell·2^lift. It does the same as
// [Sampler.Add] does with 64-bit cells. The low halves are unspecified afterwards.
func (s *Sampler) AddWide(cells int128.Slice) error {
	s.raiseWide(cells)
	return s.addNoise(cells)
}

// raiseWide multiplies cells by 2^above, so that they are in grid units. A cell outside int64 becomes the limit that it
// exceeds.
func (s *Sampler) raiseWide(cells int128.Slice) {
	for i, h := range cells.High {
		x := cells.At(i)
		y := x.ShiftLeft(s.above)
		if y.ShiftRight(s.above) != x || !y.ShiftRight(s.below).IsInt64() {
			y = int128.Of(limitOf(h)).ShiftLeft(s.below)
		}
		cells.High[i], cells.Low[i] = y.High, y.Low
	}
}

// splitWide returns x = cell·2^lift as an integer and a fraction in units of 2^-64, rounded down. The integer fits
// int64.
func (s *Sampler) splitWide(x int128.Int) (whole int64, fraction uint64) {
	whole = int64(x.ShiftRight(s.below).Low)
	if s.below < 64 {
		return whole, x.Low << (64 - s.below)
	}
	return whole, x.ShiftRight(s.below - 64).Low
}
