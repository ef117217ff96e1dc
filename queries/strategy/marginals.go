package strategy

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"github.com/dprelease/dprelease/internal/mechanism/int128"
)

// Marginals
//
// The table of a set A of attributes counts rows by their values of these attributes. It is the sum of residuals, one
// for each subset S of A (the effects of the analysis of variance). The residual of S sums to 0 along each attribute of
// S and is constant along the other attributes. All tables whose attributes include S have the same residual of S. So
// noise is added to residuals, and tables that are computed from the same noisy residuals agree by construction.
//
// Let d_i be the number of values of attribute i, and p_S = prod_{i in S} (1 − 1/d_i). Let each coordinate of the
// residual of S, in an orthonormal basis, have noise of variance s2_S. Then
//
//	mu²   = sum_S k_S/s2_S,                            k_S = p_S under add-remove with one row a unit,
//	var_A = sum_{S in A} p_S·s2_S / prod_{i in A, not in S} d_i².
//
// var_A is the variance of every cell of table A. With the best s2 (see [Marginals.Solve]), no other way to add
// Gaussian noise has a smaller error over all tables together. The basis consists of the integer contrasts in
// helmert.go, so all noise is independent and all exact answers are integers.
//
// Sources: Xiao, He, Zhang, Kifer, "An optimal and scalable matrix mechanism for noisy marginals under convex loss
// functions", NeurIPS 2023 (arXiv 2305.08175); Lebeda, Nikolov, Tang, arXiv 2512.21499, for independent noise and
// optimality among all factorizations; Efron and Stein, Annals of Statistics 9, 1981, for the residuals.

// Set is a set of attributes, as bits: bit i is set if attribute i is in it.
type Set uint64

// SetOf returns the set of the given attributes.
func SetOf(attributes ...int) Set {
	s := Set(0)
	for _, i := range attributes {
		s |= 1 << i
	}
	return s
}

// Attributes returns the attributes of the set, in rising order.
func (s Set) Attributes() []int {
	var out []int
	for ; s != 0; s &= s - 1 {
		out = append(out, bits.TrailingZeros64(uint64(s)))
	}
	return out
}

// Len returns the number of attributes in the set.
func (s Set) Len() int { return bits.OnesCount64(uint64(s)) }

// Has reports whether all attributes of t are in s.
func (s Set) Has(t Set) bool { return t&^s == 0 }

// Subsets yields all subsets of a set of bits: first the set itself, last the empty set.
func Subsets[S ~uint64](set S) iter.Seq[S] {
	return func(yield func(S) bool) {
		for s := set; yield(s) && s != 0; s = (s - 1) & set {
		}
	}
}

// Limits of the tables that NewMarginals accepts.
const (
	MaxAttributes = 60
	MaxResiduals  = 2048
	MaxTableCells = 1 << 24
	maxWays       = 8
)

// Marginals holds the tables that a query publishes. Each is a table of some of the same attributes, and each attribute
// has a public number of values.
type Marginals struct {
	sizes  []int
	tables []Set
	// largest holds the tables whose attributes are not a subset of another table's attributes.
	largest []Set
	// residuals holds the sets of attributes whose residuals get noise, sorted by the number of attributes and then by
	// value. The first is the empty set.
	residuals []Set
	// contrasts[i] and facts[i] are for attribute i.
	contrasts []contrasts
	facts     []attributeFacts
}

// attributeFacts holds properties of the contrasts of one attribute, which are computed only once.
type attributeFacts struct {
	alike, unlike interval // ranges of the inner products of columns, in units of 2^(−2b); see ranges
	decoded       float64
}

// maxUnlike returns the largest absolute value of the inner product of two different columns.
func (f attributeFacts) maxUnlike() *big.Int {
	if f.unlike.low == nil { // an attribute with one value has no two different columns
		return new(big.Int)
	}
	low, high := new(big.Int).Abs(f.unlike.low), new(big.Int).Abs(f.unlike.high)
	if low.Cmp(high) > 0 {
		return low
	}
	return high
}

// answerBits limits the bits of a contrast's coefficient times the number of cells of a table. An int128 answer may
// have 126 bits, of which the count of a cell takes 48.
const answerBits = 126 - 48

// NewMarginals returns the strategy for some tables. sizes holds the number of values of each attribute, at least 1.
// The tables are different and have at least one attribute each. An error names the limit that is exceeded, for the
// author of the job.
func NewMarginals(sizes []int, tables []Set) (*Marginals, error) {
	m := &Marginals{sizes: slices.Clone(sizes), tables: slices.Clone(tables)}
	if len(sizes) > MaxAttributes {
		return nil, fmt.Errorf("more than %d dimensions", MaxAttributes)
	}
	ways, cells := 1, 1
	for _, a := range tables {
		if m.tooMany(a) {
			return nil, fmt.Errorf("a table of more than 2^24 = %d cells", MaxTableCells)
		}
		ways, cells = max(ways, a.Len()), max(cells, m.Cells(a))
	}
	if ways > maxWays {
		return nil, fmt.Errorf("a table of more than %d dimensions", maxWays)
	}
	for _, a := range tables {
		if !slices.ContainsFunc(tables, func(b Set) bool { return b != a && b.Has(a) }) {
			m.largest = append(m.largest, a)
		}
	}
	m.residuals = m.closure()
	if len(m.residuals) > MaxResiduals {
		return nil, fmt.Errorf("the tables have more than %d parts that take noise", MaxResiduals)
	}
	for _, d := range sizes {
		c := newContrasts(d, min(30, (answerBits-bits.Len(uint(cells)))/ways))
		m.contrasts = append(m.contrasts, c)
		alike, unlike := c.ranges()
		m.facts = append(m.facts, attributeFacts{alike, unlike, c.decoded()})
	}
	return m, nil
}

// tooMany reports whether a table has too many cells for memory.
func (m *Marginals) tooMany(a Set) bool {
	n := 1
	for _, i := range a.Attributes() {
		if n *= m.sizes[i]; n > MaxTableCells || m.sizes[i] > MaxTableCells {
			return true
		}
	}
	return false
}

// closure returns the sets of attributes whose residuals get noise: all subsets of the tables. Attributes with a single
// value are left out, since their contrasts are empty.
func (m *Marginals) closure() []Set {
	seen := map[Set]bool{}
	var all []Set
	for _, a := range m.tables {
		for _, i := range a.Attributes() {
			if m.sizes[i] == 1 {
				a &^= 1 << i
			}
		}
		for s := range Subsets(a) {
			if !seen[s] {
				seen[s] = true
				all = append(all, s)
			}
			if len(all) > MaxResiduals {
				break
			}
		}
	}
	slices.SortFunc(all, func(s, t Set) int {
		return cmp.Or(s.Len()-t.Len(), slices.Compare(s.Attributes(), t.Attributes()))
	})
	return all
}

// Tables returns the tables, in the order in which they were given.
func (m *Marginals) Tables() []Set { return m.tables }

// Largest returns the tables whose attributes are not a subset of another table's attributes. Every other table is a
// marginal of one of these.
func (m *Marginals) Largest() []Set { return m.largest }

// Size returns the number of values of an attribute.
func (m *Marginals) Size(attribute int) int { return m.sizes[attribute] }

// Residuals returns the sets of attributes whose residuals get noise. Each residual is a component of the query. The
// first is the empty set, whose residual is the number of rows.
func (m *Marginals) Residuals() []Set { return m.residuals }

// Cells returns the number of cells of a table.
func (m *Marginals) Cells(a Set) int {
	n := 1
	for _, i := range a.Attributes() {
		n *= m.sizes[i]
	}
	return n
}

// Dimension returns the number of coordinates of residual s: the product of d_i − 1 over its attributes.
func (m *Marginals) Dimension(s Set) int {
	n := 1
	for _, i := range s.Attributes() {
		n *= m.sizes[i] - 1
	}
	return n
}

// Quantum returns the power of two of which the coordinates of residual s are multiples: 2^(−b) for each attribute,
// multiplied.
func (m *Marginals) Quantum(s Set) float64 {
	e := 0
	for _, i := range s.Attributes() {
		e -= m.contrasts[i].bits
	}
	return math.Ldexp(1, e)
}

// ColumnNorm returns the squared norm of the largest column of the contrasts of residual s, exactly, in rows². One row
// changes the residual by at most this.
func (m *Marginals) ColumnNorm(s Set) *big.Rat {
	product := big.NewInt(1)
	for _, i := range s.Attributes() {
		product.Mul(product, m.facts[i].alike.high)
	}
	return m.inRows2(product, s)
}

// replacedNorm returns an upper bound on the squared norm by which residual s changes if one row is replaced or left
// out. A replaced row changes it by the difference of two columns a_u and a_v. The squared norm of this difference is
// at most 2·N − 2·<a_u, a_v>, if N is the largest squared norm of a column. The absolute value of the inner product is
// at most
//
//	max_i unlike_i · prod_{j in S, not i} N_j.
//
// Here unlike_i is the largest absolute inner product of two different columns of attribute i, and N_j the largest
// squared norm of a column of attribute j. This holds because u and v differ in at least one attribute i, and in each
// other attribute j the inner product of the columns is at most N_j. For the empty set the result is 1.
func (m *Marginals) replacedNorm(s Set) *big.Rat {
	if s == 0 {
		return big.NewRat(1, 1)
	}
	norm, inner := big.NewInt(1), new(big.Int)
	for _, i := range s.Attributes() {
		norm.Mul(norm, m.facts[i].alike.high)
		product := m.facts[i].maxUnlike()
		for _, j := range s.Attributes() {
			if j != i {
				product.Mul(product, m.facts[j].alike.high)
			}
		}
		if product.Cmp(inner) > 0 {
			inner = product
		}
	}
	norm.Add(norm, inner)
	return m.inRows2(norm.Lsh(norm, 1), s)
}

// inRows2 converts a squared norm from squared quanta of residual s to rows².
func (m *Marginals) inRows2(x *big.Int, s Set) *big.Rat {
	e := uint(0)
	for _, i := range s.Attributes() {
		e += 2 * uint(m.contrasts[i].bits)
	}
	return new(big.Rat).SetFrac(x, new(big.Int).Lsh(big.NewInt(1), e))
}

// RowBound is an upper bound on the amount that one row adds to a coordinate of any residual. This amount is an entry
// of a column of the contrasts, and the norm of a column is below 1, except for the rounding of its entries.
const RowBound = 2

// spreadOver returns the product of d_i² over the attributes of table a that are not in residual s.
func (m *Marginals) spreadOver(a, s Set) float64 {
	x := 1.0
	for _, i := range (a &^ s).Attributes() {
		x *= float64(m.sizes[i]) * float64(m.sizes[i])
	}
	return x
}

// cellVariance returns p_S: the largest variance of a cell of residual s, divided by the variance of a coordinate.
func (m *Marginals) cellVariance(s Set) float64 {
	p := 1.0
	for _, i := range s.Attributes() {
		p *= m.facts[i].decoded
	}
	return p
}

// Factor returns the variance that the noise of residual s adds to a cell of a table, divided by the variance of a
// coordinate.
func (m *Marginals) Factor(table, s Set) float64 { return m.cellVariance(s) / m.spreadOver(table, s) }

// variances returns var_A for each table (see the formula at the top of this file): result[i] is the largest variance
// of a cell of table i. residuals[j] is the variance of a coordinate of residual j.
func (m *Marginals) variances(residuals []float64) []float64 {
	out := make([]float64, len(m.tables))
	for k, a := range m.tables {
		out[k] = m.Variance(a, residuals)
	}
	return out
}

// Variance returns the variance of a cell of a table. The table is one of Tables or a marginal of one. residuals[j] is
// the variance of a coordinate of residual j.
func (m *Marginals) Variance(table Set, residuals []float64) (variance float64) {
	for i, s := range m.residuals {
		if table.Has(s) {
			variance += m.Factor(table, s) * residuals[i]
		}
	}
	return variance
}

// Measure returns the exact coordinates of residual s, computed from the counts of a table that contains s. The last
// attribute of the table changes fastest; each count is from 0 to 2^48.
//
// No sum overflows. A coordinate is a sum over at most 2^c cells, of counts of at most 2^48 rows times coefficients of
// at most 2^(78 − c): at most 2^126 in all. Contrasts before they are scaled have coefficients below the number of
// cells, which is at most 2^24.
func (m *Marginals) Measure(s Set, table Set, counts []int64) int128.Slice {
	x := int128.Make(len(counts))
	x.AddSlice(int128.Narrow(counts))
	inner := 1
	for _, i := range slices.Backward(table.Attributes()) {
		switch c := m.contrasts[i]; {
		case s.Has(1 << i):
			x = c.apply(x, inner)
			inner *= c.size - 1
		default:
			x = sumAlong(x, c.size, inner)
		}
	}
	m.scale(s, x)
	return x
}

// sumAlong sums a table over an axis of size values. inner is the stride of the axis: two neighbouring values along it
// are inner numbers apart in x.
func sumAlong(x int128.Slice, size, inner int) int128.Slice {
	out := int128.Make(x.Len() / size)
	for i := range x.Len() {
		to := i/(inner*size)*inner + i%inner
		out.Add(to, x.At(i))
	}
	return out
}

// scale multiplies each coordinate of a residual by the factors c_j of its rows.
func (m *Marginals) scale(s Set, x int128.Slice) {
	attributes := s.Attributes()
	for i := range x.Len() {
		v, rest := x.At(i), i
		for _, attribute := range slices.Backward(attributes) {
			c := m.contrasts[attribute]
			rows := c.size - 1
			v = v.Times(c.scale[rest%rows+1])
			rest /= rows
		}
		x.Set(i, v)
	}
}

// Reconstruct returns the cells of a table, in rows: the best linear unbiased estimate from the noisy coordinates of
// the residuals. measured(s) returns the coordinates of residual s.
func (m *Marginals) Reconstruct(table Set, measured func(Set) []float64) []float64 {
	out := make([]float64, m.Cells(table))
	for _, s := range m.residuals {
		if table.Has(s) {
			m.addResidual(out, table, s, measured(s))
		}
	}
	return out
}

// addResidual adds residual s, whose coordinates are y, to the cells of a table. The residual is divided evenly among
// the cells along the attributes that are not in s.
func (m *Marginals) addResidual(out []float64, table, s Set, y []float64) {
	share := 1.0
	for _, i := range (table &^ s).Attributes() {
		share /= float64(m.sizes[i])
	}
	inner := 1
	for _, i := range slices.Backward(s.Attributes()) {
		c := m.contrasts[i]
		y = c.decode(y, inner)
		inner *= c.size
		// coordinates are in multiples of the quantum, so they are divided by 2^b
		for i := range y {
			y[i] = math.Ldexp(y[i], c.bits)
		}
	}
	within := table.Attributes()
	for cell := range out {
		at, stride, rest := 0, 1, cell
		for _, i := range slices.Backward(within) {
			d := m.sizes[i]
			if s.Has(1 << i) {
				at += rest % d * stride
				stride *= d
			}
			rest /= d
		}
		out[cell] += y[at] * share
	}
}
