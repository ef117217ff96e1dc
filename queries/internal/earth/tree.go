package earth

import (
	"cmp"
	"math"
	"slices"
)

// tree is a k-d tree (Bentley 1975) in an array, which finds the nearest of many positions. The middle item divides
// space into two halves, at its own position on one axis. The items before and after it are the trees of the two
// halves. A small tree is a leaf, with its items in any order.
type tree []site

// site is the position of a point, the point's index, and the axis on which the point divides space.
type site struct {
	Position
	index int32
	axis  uint8
}

// leafSize is the largest number of sites that are searched one by one.
const leafSize = 16

func newTree(places []Place) tree {
	t := make(tree, len(places))
	for i, p := range places {
		t[i] = site{Position: OnEllipsoid(p.Lat, p.Lon), index: int32(i)}
	}
	t.build()
	return t
}

func (t tree) build() {
	if len(t) <= leafSize {
		return
	}
	axis := t.widest()
	slices.SortFunc(t, func(a, b site) int { return cmp.Compare(a.Position[axis], b.Position[axis]) })
	mid := len(t) / 2
	t[mid].axis = axis
	t[:mid].build()
	t[mid+1:].build()
}

// widest returns the axis on which the sites are furthest apart.
func (t tree) widest() (axis uint8) {
	most := -1.0
	for i := range uint8(3) {
		low, high := math.Inf(1), math.Inf(-1)
		for j := range t {
			low, high = min(low, t[j].Position[i]), max(high, t[j].Position[i])
		}
		if high-low > most {
			axis, most = i, high-low
		}
	}
	return axis
}

// nearest returns the index of the point nearest to a position, the lowest index if several are equally near, and its
// squared distance. index is -1 if all squared distances exceed within.
func (t tree) nearest(at Position, within float64) (index int32, square float64) {
	s := search{at: at, index: -1, square: within}
	s.visit(t)
	return s.index, s.square
}

// Nearby is the index of a place, and its distance in metres.
type Nearby struct {
	Index    int32
	Distance float64
}

// search holds the nearest point so far and its squared distance. If there is none, index is -1 and square is the
// largest allowed squared distance.
type search struct {
	at     Position
	index  int32
	square float64
}

func (s *search) visit(t tree) {
	if len(t) <= leafSize {
		for i := range t {
			s.consider(&t[i])
		}
		return
	}
	mid := len(t) / 2
	cut := &t[mid]
	near, far := t[:mid], t[mid+1:]
	beyond := s.at[cut.axis] - cut.Position[cut.axis]
	if beyond > 0 {
		near, far = far, near
	}
	s.visit(near)
	s.consider(cut)
	// Rounding is monotone, so no computed distance to the far side is smaller.
	if beyond*beyond <= s.square {
		s.visit(far)
	}
}

func (s *search) consider(x *site) {
	square := s.at.squareTo(&x.Position)
	if square < s.square || square == s.square && (s.index < 0 || x.index < s.index) {
		s.index, s.square = x.index, square
	}
}
