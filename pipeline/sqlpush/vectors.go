package sqlpush

import (
	"fmt"
	"math"
	"strings"
)

// Vectors that are longer than a bound are shortened to it. The SQL gives the same integers as queries/quantize, for
// every input.
//
// Components are scaled by a power of two, exactly, and truncated to integers below 2^53. If a component would have
// more digits, the power is chosen so that the longest component has 53 bits. All later steps use integers. The sum of
// squares is below 2^112. Its root is computed in doubles, to a few units in the last place, and corrected by one step
// of Newton's method and one comparison. Each component is multiplied by the bound and divided by the root, rounded
// towards zero. No step fails for any value: doubles are multiplied only if the product cannot underflow, and the type
// of the integers holds 2^112.

// wideIntegers holds what a dialect needs to compute with integers below 2^112.
type wideIntegers struct {
	Wide     string                   // the name of their SQL type
	Quotient func(a, b string) string // divides, rounding towards zero
	Narrow   func(wide string) string // converts to BIGINT a number that fits into one
	Cut      func(x string) string    // rounds a double below 2^53 towards zero
}

const (
	doubleDigits = 53
	farAway      = 1 << 41 // replaces an infinite component, as in queries/quantize: only its direction counts
)

// clipper writes the expressions that shorten vectors to a length.
type clipper struct {
	*writer
	in       wideIntegers
	exponent int // the quantum is 2^exponent
}

// clip adds the columns v0, v1, … with the components of the vector x, in quanta of 2^exponent, shortened to a length
// of at most norm quanta. x names columns of doubles. All components are NULL if one in x is NULL.
func (w *writer) clip(in wideIntegers, x []string, exponent int, norm int64) (columns []string) {
	c := &clipper{w, in, exponent}
	c.findLongest(x)
	scale := c.findScale()
	whole := c.cut(x, scale)
	squares := make([]string, len(whole))
	for i, v := range whole {
		squares[i] = fmt.Sprintf("CAST(%s AS %s) * %s", v, in.Wide, v)
	}
	w.layer(strings.Join(squares, " + ") + " AS square")
	c.findRoot(norm)
	var parts []string
	for i, size := range whole {
		v := fmt.Sprint("v", i)
		short := in.Narrow(in.Quotient(fmt.Sprintf("CAST(%s AS %s) * %d", size, in.Wide, norm), "root"))
		parts = append(parts, fmt.Sprintf("CASE WHEN root IS NULL THEN %s ELSE %s END AS %s", size, short, v))
		columns = append(columns, v)
	}
	w.layer(parts...)
	return columns
}

// findLongest adds the column longest: the largest magnitude among the components, or NULL if one is NULL.
func (w *clipper) findLongest(x []string) {
	var there, size []string
	for _, c := range x {
		there, size = append(there, c+" IS NOT NULL"), append(size, "abs("+c+")")
	}
	longest := size[0]
	if len(x) > 1 {
		longest = "GREATEST(" + strings.Join(size, ", ") + ")"
	}
	w.layer("CASE WHEN " + strings.Join(there, " AND ") + " THEN " + longest + " END AS longest")
}

// findScale adds a column with the power of two that scales the components to integers, and returns its name. The power
// is 1/quantum, or a smaller one if the longest component would have more than 53 bits.
func (w *clipper) findScale() string {
	most := doubleDigits - 1 + w.exponent // the scaled longest component is below 2^(most+1)
	by := 1
	for most+2*by < 1024 {
		by *= 2
	}
	y, scale := "y0", "scale0"
	w.layer(fmt.Sprintf("CASE WHEN longest <= %s THEN longest ELSE %s END AS y0", w.float(math.MaxFloat64), w.float(0)),
		w.float(math.Ldexp(1, -w.exponent))+" AS scale0")
	for n := 1; by > 0; n, by = n+1, by/2 {
		long, part := fmt.Sprintf("%s >= %s", y, w.float(math.Ldexp(1, most+by))), w.float(math.Ldexp(1, -by))
		nextY, nextScale := fmt.Sprint("y", n), fmt.Sprint("scale", n)
		w.layer(fmt.Sprintf("CASE WHEN %s THEN %s * %s ELSE %s END AS %s", long, y, part, y, nextY),
			fmt.Sprintf("CASE WHEN %s THEN %s * %s ELSE %s END AS %s", long, scale, part, scale, nextScale))
		y, scale = nextY, nextScale
	}
	return scale
}

// cut adds a column for each component: scaled, and truncated to an integer. If a component is infinite, all finite
// ones are 0; if one is NULL, all are NULL.
func (w *clipper) cut(x []string, scale string) (columns []string) {
	most := w.float(math.MaxFloat64)
	var parts []string
	for i, c := range x {
		name := fmt.Sprint("w", i)
		parts = append(parts, fmt.Sprintf("CASE WHEN longest IS NULL THEN NULL WHEN longest > %s THEN CASE WHEN %s > %s "+
			"THEN %d WHEN %s < %s THEN %d ELSE 0 END WHEN abs(%s) >= %s / %s THEN %s ELSE 0 END AS %s",
			most, c, most, farAway, c, w.float(-math.MaxFloat64), -farAway, c, w.float(1), scale, w.integer(w.in.Cut(c+" * "+scale)), name))
		columns = append(columns, name)
	}
	w.layer(parts...)
	return columns
}

// findRoot adds the column root: for vectors longer than norm, the square root of the column square, rounded up; NULL
// for others.
func (w *clipper) findRoot(norm int64) {
	long := fmt.Sprintf("square > CAST(%d AS %s) * %d", norm, w.in.Wide, norm)
	w.layer(fmt.Sprintf("CASE WHEN %s THEN %s END AS guess", long, w.integer("floor(sqrt("+w.double("square")+"))")))
	mended := w.in.Quotient(fmt.Sprintf("(CAST(guess AS %s) + %s)", w.in.Wide, w.in.Quotient("square", "guess")), "2")
	w.layer(fmt.Sprintf("CASE WHEN guess IS NOT NULL THEN %s END AS near", mended))
	w.layer("CASE WHEN near * near >= square THEN near ELSE near + 1 END AS root")
}
