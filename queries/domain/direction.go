package domain

// Direction is one direction along which the cells of a query are arranged, such as the rows of a grid.
type Direction struct {
	// By is the index of the dimension in the query's By, or -1 for the components of a vector.
	By int
	// Size is the number of cells, including the null cell and the other cell.
	Size int
	// Ordered is set if consecutive cells are neighbours in reality, as for edges, time fields and grids. The null cell
	// and the other cell are not in this order.
	Ordered bool
	// IDs holds the keys of the cells, for labels and points, so that a public file can name cells. It is nil for all
	// other forms.
	IDs []string
}

// Directions returns the directions along which the cells of some axes are arranged: two for a grid, one for every
// other axis.
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

// ids returns the keys of an axis' labels or points, then the keys of the null cell and the other cell.
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
