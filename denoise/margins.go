package denoise

// Sums returns a margin of a table: the sums of its cells over all dimensions except axes, row by row, in the unit of
// x. axes are in ascending order. x has one value per cell of the shape.
func (s Shape) Sums(x []float64, axes []int) []float64 {
	cells := 1
	for _, axis := range axes {
		cells *= s.Dims[axis]
	}
	out := make([]float64, cells)
	for i, v := range x {
		at := 0
		for _, axis := range axes {
			at = at*s.Dims[axis] + i/s.stride(axis)%s.Dims[axis]
		}
		out[at] += v
	}
	for i, v := range out {
		out[i] = publishable(v)
	}
	return out
}
