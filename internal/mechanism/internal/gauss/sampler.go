package gauss

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/dprelease/dprelease/internal/mechanism/int128"
)

// Sampler adds Gaussian noise of one scale to exact answers that have one unit. Only one goroutine may use it at a
// time.
type Sampler struct {
	source   *Bits
	mantissa uint64 // S(a+u)/16 = mantissa·(a+u)·2^-shift
	shift    uint   // 1 … 63
	above    uint   // a cell is a multiple of 2^above grid units
	below    uint   // a cell has this many binary digits below the grid; above or below is 0
	// slack bounds the error of x ± S(a+u)/16 + 1/2 if only 64 digits of u and of x are used, in units of 2^-64.
	slack uint64
}

// New returns a sampler of scale s for cells in units of 2^lift grid units. It returns ErrScale if NewScale did not
// make s.
func New(s Scale, lift int, source *Bits) (*Sampler, error) {
	if !s.inRange() {
		return nil, ErrScale
	}
	noise := s.sampler(4-s.exponent, lift)
	noise.source = source
	return &noise, nil
}

// sampler returns a Sampler that has no random bits, with the given shift, for cells in units of 2^lift grid units.
func (s Scale) sampler(shift, lift int) Sampler {
	return Sampler{
		mantissa: s.mantissa,
		shift:    uint(shift),
		above:    uint(max(0, lift)),
		below:    uint(max(0, -lift)),
		slack:    s.mantissa>>shift + 3,
	}
}

// Add replaces every cell by floor(x + S·Z + 1/2), x = cell·2^lift, each with its own Z, saturated at the limits of
// int64. An x outside int64 is first moved to the limit that it exceeds. Add fails only if the source of random keys
// fails. Some cells are then still exact, and the caller must wipe them.
func (s *Sampler) Add(cells []int64) error {
	s.raise(cells)
	return s.addNoise(int128.Narrow(cells))
}

// addNoise adds noise to cells in grid units, of 64 or 128 bits.
func (s *Sampler) addNoise(cells int128.Slice) error {
	for i := 0; i < cells.Len(); {
		if err := s.source.need(pairSize); err != nil {
			return err
		}
		words := s.source.unread
		done, used, open := s.attemptPairs(cells.Cut(i, cells.Len()), words)
		i, s.source.unread = i+done, words[used:]
		if !open {
			continue
		}
		value, ok, err := s.settle(cells.At(i), word(words[used-pairSize:]), word(words[used-wordSize:]))
		if err != nil {
			return err
		}
		if ok {
			cells.High[i] = value
			i++
		}
	}
	return nil
}

// Fill sets every cell to noise alone: floor(S·Z + 1/2). Errors as [Sampler.Add].
func (s *Sampler) Fill(cells []int64) error {
	const inCache = 1 << 11
	for block := range slices.Chunk(cells, inCache) {
		clear(block)
		if err := s.Add(block); err != nil {
			return err
		}
	}
	return nil
}

func word(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// raise multiplies cells by 2^above, so that they are in grid units.
func (s *Sampler) raise(cells []int64) {
	if s.above == 0 {
		return
	}
	for i, x := range cells {
		if cells[i] = x << s.above; cells[i]>>s.above != x {
			cells[i] = limitOf(x)
		}
	}
}

// limitOf returns math.MaxInt64 if x >= 0, else math.MinInt64.
func limitOf(x int64) int64 { return math.MaxInt64 ^ x>>63 }

// attemptPairs makes one attempt per pair of words, until cells or pairs run out or 64-bit arithmetic cannot decide. It
// returns the number of finished cells and the number of bytes that it used. open is set if the last pair did not
// decide; the pair then belongs to the first unfinished cell.
func (s *Sampler) attemptPairs(exact int128.Slice, words []byte) (done, used int, open bool) {
	cells, low := exact.High, exact.Low
	for done < len(cells) && used+pairSize <= len(words) {
		pair := words[used : used+pairSize : used+pairSize]
		first, u := word(pair), word(pair[wordSize:])
		used += pairSize
		a := uint64(guide[uint32(first)>>(32-guideBits)])
		if a >= mixed {
			var ok bool
			if a, ok = lookup(first); !ok {
				return done, used, true
			}
		}
		if t := exponent(a, u); !acceptsFast(first, t) {
			switch decide(first, t) {
			case rejected:
				continue
			case undecided:
				return done, used, true
			}
		}
		k, part := s.split(cells[done])
		if low != nil {
			k, part = s.splitWide(int128.Int{High: cells[done], Low: low[done]})
		}
		whole, rest := s.noise(first, a, u)
		whole, decided := s.roundNearest(whole, rest, part)
		if !decided {
			return done, used, true
		}
		cells[done] = Plus(k, int64(whole))
		done++
	}
	return done, used, false
}

// split returns x = cell·2^lift as an integer and a fraction in units of 2^-64, rounded down.
func (s *Sampler) split(cell int64) (whole int64, fraction uint64) {
	if s.below == 0 {
		return cell, 0
	}
	if s.below <= 64 {
		return cell >> s.below, uint64(cell) << (64 - s.below)
	}
	return cell >> 63, uint64(cell >> (s.below - 64))
}

// noise returns ±S(a+u)/16 as an integer and a fraction in units of 2^-64, from the first 64 digits of u. The true
// value is at least mantissa·2^-shift units below the result, and at most that and one unit above. a < 128, so the
// integer is below 2^59.
func (s *Sampler) noise(first, a, u uint64) (whole, fraction uint64) {
	high, low := bits.Mul64(u, s.mantissa)
	high += a * s.mantissa
	sign := -(first & 1)
	return high>>(s.shift&63) ^ sign, (low>>(s.shift&63) | high<<(-s.shift&63)) ^ sign
}

// roundNearest returns floor(whole + (rest + part)·2^-64 + 1/2). decided reports whether every number within s.slack
// has the same floor.
func (s *Sampler) roundNearest(whole, rest, part uint64) (floor uint64, decided bool) {
	rest, first := bits.Add64(rest, part, 0)
	rest, second := bits.Add64(rest, 1<<63, 0)
	return whole + first + second, rest-s.slack <= ^(2 * s.slack)
}

// Plus returns x + y, saturated at the limits of int64.
func Plus(x, y int64) int64 {
	if sum := x + y; (x^sum)&(y^sum) >= 0 {
		return sum
	}
	return limitOf(x)
}
