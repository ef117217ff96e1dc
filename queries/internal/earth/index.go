package earth

import "math"

// Index finds public places near a position. It may be used by several goroutines.
type Index struct {
	tree    tree
	squares *squares // a faster index of the same places; nil if there are few
	most    float64  // the largest squared straight-line distance at which Nearest finds a place, in square metres
}

// NewIndex returns an index of places, which are numbered from 0. Nearest will find places that are at most within
// metres away.
func NewIndex(places []Place, within float64) *Index {
	t := newTree(places)
	most := squaredChord(within)
	return &Index{t, newSquares(places, t, within, most), most}
}

// Nearest returns the index of the place that is nearest to lat, lon, or [Nobody] if none is near enough. If several
// places are equally near, it returns the lowest index.
func (x *Index) Nearest(lat, lon float64) int32 {
	if x.squares != nil {
		if found, ok := x.squares.nearest(lat, lon); ok {
			return found
		}
	}
	found, _ := x.tree.nearest(OnEllipsoid(lat, lon), x.most)
	return found
}

// Most returns the largest squared straight-line distance at which Nearest finds a place, in square metres.
func (x *Index) Most() float64 { return x.most }

// Around appends all places that are at most metres from lat, lon, in no particular order.
func (x *Index) Around(lat, lon, metres float64, found []Nearby) []Nearby {
	at := OnEllipsoid(lat, lon)
	// The straight-line distance is at most the distance along the earth, except for rounding errors.
	chord := metres + squareSlack
	for _, s := range x.tree.sitesWithin(&at, chord*chord, nil) {
		if d := Along(math.Sqrt(at.squareTo(&s.Position))); d <= metres {
			found = append(found, Nearby{s.index, d})
		}
	}
	return found
}
