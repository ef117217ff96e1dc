package graph

import "fmt"

// OptionError means that an option is out of range. Reason says why.
type OptionError struct{ Option, Reason string }

func (e *OptionError) Error() string { return e.Option + ": " + e.Reason }

func checkSigma(s float64) error {
	if !(s >= 1e-140 && s <= largestValue) {
		return &OptionError{"sigma", fmt.Sprintf("%v is not a positive standard deviation", s)}
	}
	return nil
}

// maxTrees is the largest number of trees that an option may ask for. It bounds the memory. Far fewer trees are useful.
const maxTrees = 4096

func checkTrees(trees int) error {
	if trees < 0 || trees > maxTrees {
		return &OptionError{"trees", fmt.Sprintf("%d is not from 1 to %d", trees, maxTrees)}
	}
	return nil
}
