package domain

// Direction is one direction in which the cells of a query lie.
type Direction struct {
	// By is the place in the spec's By of the dimension that it is of, or -1 for the components of a vector.
	By int
	// Size is its number of cells, with those that null and other add.
	Size int
	// Ordered is set if its cells follow one another, as edges, time fields and the rows and columns of a grid do.
	// Cells that null or other add have no place in an order.
	Ordered bool
	// IDs are the keys of the cells if a public file can name them: those of labels and of points. Nil for others.
	IDs []string
}

// Directions are those of axes: two of a grid, one of every other.
func Directions(axes []Axis) []Direction {
	var out []Direction
	for i := range axes {
		a := &axes[i]
		plain := len(a.Extra.Names) == 0
		switch {
		case a.Grid != nil && plain:
			out = append(out, Direction{By: i, Size: a.Grid.Rows, Ordered: true},
				Direction{By: i, Size: a.Grid.Cols, Ordered: true})
		default:
			out = append(out, Direction{By: i, Size: a.Size, Ordered: plain && (len(a.Edges) > 0 || a.TimeField != ""),
				IDs: a.ids()})
		}
	}
	return out
}

// ids are the keys of labels or points, then those of the null cell and the other cell.
func (a *Axis) ids() []string {
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
	return append(ids, a.Extra.Names...)
}
