package queries

// Axis is one direction in which the cells of a query lie.
type Axis struct {
	// By is the place in the spec's By of the dimension that it is of; -1: the components of a vector.
	By int
	// Size is its number of cells, with those that null and other add.
	Size int
	// Ordered: its cells follow one another, as edges, parts of times and the rows and columns of a grid do. Cells that null
	// or other add have no place in an order.
	Ordered bool
	// IDs are the keys of the cells where a public file can name them: those of labels and of points. Nil for others.
	IDs []string
}

// Axes returns the directions of a query's vector, its first part's, the last one fastest: none for one number.
func Axes(q Query) []Axis {
	switch q := q.(type) {
	case *counting:
		return countedAxes(q.axes)
	case *summing:
		axes := countedAxes(q.axes)
		if q.spec.Value.vector() {
			axes = append(axes, Axis{By: -1, Size: q.spec.Value.dims()})
		}
		return axes
	}
	return nil
}

func countedAxes(axes []axis) []Axis {
	var out []Axis
	for i := range axes {
		a := &axes[i]
		plain := len(a.bins.names) == 0
		switch {
		case a.Grid != nil && plain:
			out = append(out, Axis{By: i, Size: a.Grid.Rows, Ordered: true}, Axis{By: i, Size: a.Grid.Cols, Ordered: true})
		default:
			out = append(out, Axis{By: i, Size: a.size, Ordered: plain && (len(a.Edges) > 0 || a.Part != ""), IDs: a.ids()})
		}
	}
	return out
}

// ids are the keys of labels or points, then those of the bins.
func (a *axis) ids() []string {
	var ids []string
	switch {
	case len(a.Labels) > 0:
		for _, l := range a.Labels {
			ids = append(ids, l.Name)
		}
	case a.Nearest != nil:
		for _, p := range a.Nearest.Points {
			ids = append(ids, p.ID)
		}
	default:
		return nil
	}
	return append(ids, a.bins.names...)
}
