package denoise

import (
	"fmt"
	"math"
)

// Shape is the number of a query's cells along each dimension. Cells are listed row by row: the index of the last
// dimension changes fastest.
type Shape struct {
	// Dims[i] is the number of cells along dimension i, at least 1.
	Dims []int
	// Ordered[i] is true if the cells of dimension i have an order, such as edges, hours and rows of a grid.
	Ordered []bool
}

// Cells returns the number of cells, the product of Dims.
func (s Shape) Cells() int {
	cells := 1
	for _, d := range s.Dims {
		cells *= d
	}
	return cells
}

// Line returns the shape of a line: one ordered dimension with this number of cells.
func Line(cells int) Shape { return Shape{[]int{cells}, []bool{true}} }

// check returns an [*Error] if the shape is not valid.
func (s Shape) check() error {
	if len(s.Dims) != len(s.Ordered) {
		return &Error{Code: CodeShape, Message: fmt.Sprintf("%d dimensions, %d of them with an order or without", len(s.Dims),
			len(s.Ordered))}
	}
	cells := 1
	for i, d := range s.Dims {
		if d < 1 || cells > math.MaxInt/d {
			return &Error{Code: CodeShape, Message: fmt.Sprintf("dimension %d has %d cells", i+1, d)}
		}
		cells *= d
	}
	return nil
}

// ordered returns the dimensions that have an order and more than one cell.
func (s Shape) ordered() []int {
	var axes []int
	for i, d := range s.Dims {
		if s.Ordered[i] && d > 1 {
			axes = append(axes, i)
		}
	}
	return axes
}

// stride returns the difference between the indices of two neighbours along a dimension.
func (s Shape) stride(axis int) int {
	stride := 1
	for _, d := range s.Dims[axis+1:] {
		stride *= d
	}
	return stride
}

// lines calls f for every line of cells along a dimension, with the indices of its cells. f must not keep the slice.
func (s Shape) lines(axis int, f func(cells []int)) {
	stride, length := s.stride(axis), s.Dims[axis]
	cells := make([]int, length)
	for start := range s.Cells() {
		if start/stride%length != 0 {
			continue
		}
		for k := range cells {
			cells[k] = start + k*stride
		}
		f(cells)
	}
}

func gather(y []float64, cells []int, into []float64) {
	for k, i := range cells {
		into[k] = y[i]
	}
}

func scatter(x []float64, cells []int, into []float64) {
	for k, i := range cells {
		into[i] = x[k]
	}
}
