package domain

import (
	"math"
	"strconv"

	"github.com/dprelease/dprelease/io/table"
)

// intEdges maps integers, dates and timestamps to the cells between edges.
type intEdges struct {
	integers
	ExtraCells
	cells int32
	// starts holds, for each edge, the smallest key that is not below the edge (see integers for keys). Edges above all
	// values are omitted.
	starts *intRanks
	// If closed is set, the last cell includes its upper edge, and top is the key of the last value in this cell.
	top    int64
	closed bool
}

// newIntEdges returns the coder for integers between the coding's edges.
func newIntEdges(c *Coding, n integers) *intEdges {
	s := c.IntSteps
	return &intEdges{integers: n, ExtraCells: c.extra(), cells: s.Cells, starts: newIntRanks(s.At), top: s.Last,
		closed: s.Closed}
}

func (c *intEdges) Codes(v table.Values, from int, dst []int32) {
	ints := v.Ints[from : from+len(dst)]
	c.starts.ranks(dst, ints, c.key(0))
	for i, r := range dst {
		if dst[i] = r - 1; uint32(r-1) >= uint32(c.cells) {
			dst[i] = c.ofRank(r, c.key(ints[i]))
		}
	}
}

func (c *intEdges) code(key int64) int32 { return c.ofRank(c.starts.rank(key), key) }

// ofRank returns the cell of a value, given its rank r: the number of edges that are not above the value.
func (c *intEdges) ofRank(r int32, key int64) int32 {
	switch {
	case r == 0:
		return c.Other
	case r <= c.cells:
		return r - 1
	case c.closed && key <= c.top:
		return c.cells - 1
	}
	return c.Other
}

// floatEdges maps floats to the cells between edges.
type floatEdges struct {
	ExtraCells
	cells int32
	edges *floatRanks
	last  float64 // the last edge
	open  bool    // the last cell does not include its upper edge; the last edge and infinity belong to no cell
}

func newFloatEdges(s *Steps[float64], extra ExtraCells) *floatEdges {
	return &floatEdges{ExtraCells: extra, cells: s.Cells, edges: newFloatRanks(s.At), last: s.Last, open: !s.Closed}
}

func (c *floatEdges) Codes(v table.Values, from int, dst []int32) {
	c.columnCodes(v.Floats[from:from+len(dst)], dst)
}

// columnCodes sets dst[i] to the code of floats[i].
func (c *floatEdges) columnCodes(floats []float64, dst []int32) {
	c.edges.ranks(dst, floats)
	for i, r := range dst {
		if dst[i] = r - 1; uint32(r-1) >= uint32(c.cells) {
			dst[i] = c.ofRank(r, floats[i])
		}
	}
}

func (c *floatEdges) code(x float64) int32 { return c.ofRank(c.edges.rank(x), x) }

// ofRank returns the cell of a value, given its rank r: the number of edges that are not above the value.
func (c *floatEdges) ofRank(r int32, x float64) int32 {
	switch {
	case r > 0 && r <= c.cells:
		return r - 1
	case math.IsNaN(x):
		return c.Null
	case c.open:
		return c.Other
	case math.IsInf(x, -1):
		return 0
	case math.IsInf(x, 1) || x == c.last:
		return c.cells - 1
	}
	return c.Other
}

// textEdges reads texts as decimal numbers and maps them to the cells between edges. A text that is not a number is
// treated as null.
type textEdges struct {
	ints   *intEdges
	floats *floatEdges
}

func (c *textEdges) Codes(v table.Values, from int, dst []int32) {
	for i := range dst {
		dst[i] = c.code(v.Bytes(from + i))
	}
}

func (c *textEdges) code(text []byte) int32 {
	if n, ok := parseInt(text); ok {
		return c.ints.code(n)
	}
	if x, ok := ParseFloat(text); ok {
		return c.floats.code(x)
	}
	return c.floats.Null
}

// parseInt parses an integer in int64's range. For speed, it parses texts of at most 18 digits itself.
func parseInt(text []byte) (n int64, ok bool) {
	digits := text
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		digits = text[1:]
	}
	if len(digits) == 0 || len(text) > maxNumeral {
		return 0, false
	}
	for _, b := range digits {
		if b < '0' || b > '9' {
			return 0, false
		}
		n = 10*n + int64(b-'0')
	}
	if len(digits) > 18 {
		n, err := strconv.ParseInt(string(text), 10, 64)
		return n, err == nil
	}
	if text[0] == '-' {
		n = -n
	}
	return n, true
}
