package sqlpush

import (
	"fmt"
	"math"

	"github.com/dprelease/dprelease/queries/domain"
)

// Many edges at even distances: the cell of a number is guessed by a multiplication, and then compared with the edges around it, so that how the
// guess is rounded does not matter.

const (
	manySteps = 16
	mostSteps = 1 << 12
)

// evenly returns the code of a number from the first edge to before the last; ok is false if the edges are few or not even, or if the dialect has no lists.
func (w *writer) evenly(x string, s *domain.Steps[float64]) (code string, ok bool) {
	n := len(s.At) - 1
	if n < manySteps || n > mostSteps || int(s.Cells) != n {
		return "", false
	}
	first, scale := s.At[0], float64(n)/(s.At[n]-s.At[0])
	if !(scale > 0) || math.IsInf(scale, 0) {
		return "", false
	}
	guess := func(v float64) float64 { return math.Floor((v - first) * scale) }
	for i, edge := range s.At[:n] { // guesses rise with the number: what holds at both ends of a cell holds in it
		if guess(edge) < float64(i-1) || guess(math.Nextafter(s.At[i+1], first)) > float64(i+1) {
			return "", false
		}
	}
	// Below the second edge no product is needed, and none underflows above it.
	at := w.stage(fmt.Sprintf("CASE WHEN %s >= %s AND %s < %s THEN %s ELSE 0 END", x, w.Float(s.At[1]), x, w.Float(s.At[n]),
		w.Integer(fmt.Sprintf("floor((%s - %s) * %s)", x, w.Float(first), w.Float(scale)))))
	at = w.stage(fmt.Sprintf("CASE WHEN %s < 0 THEN 0 WHEN %s > %d THEN %d ELSE %s END", at, at, n-1, n-1, at))
	low, ok := w.Element(s.At, at)
	high, _ := w.Element(s.At, at+" + 1")
	return fmt.Sprintf("CASE WHEN %s < %s THEN %s - 1 WHEN %s >= %s THEN %s + 1 ELSE %s END", x, low, at, x, high, at, at), ok
}
