package preview

import (
	"bufio"
	"crypto/rand"
	"encoding/binary"
	"io"
)

// random draws the contents of synthetic rows. Nothing private depends on it. It has no seed, so no two previews have
// the same rows.
type random struct{ bytes *bufio.Reader }

func newRandom() *random { return &random{bufio.NewReaderSize(rand.Reader, 1<<16)} }

// unit returns a uniform number in [0, 1).
func (r *random) unit() float64 {
	var b [8]byte
	_, _ = io.ReadFull(r.bytes, b[:]) // no error: the system's random numbers never fail
	return float64(binary.LittleEndian.Uint64(b[:])>>11) / (1 << 53)
}

// below returns a uniform integer in [0, n); 0 if n is not positive.
func (r *random) below(n int) int { return int(r.unit() * float64(n)) }

// early returns an integer in [0, n), the minimum of two uniform draws, so that small integers are more frequent.
func (r *random) early(n int) int { return min(r.below(n), r.below(n)) }

// middle returns a number in [0, 1), the mean of two uniform draws, so that numbers near 1/2 are more frequent.
func (r *random) middle() float64 { return (r.unit() + r.unit()) / 2 }
