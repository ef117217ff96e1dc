package denoise

import (
	"fmt"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/pipeline"
)

// noisyTable is a public table with one noisy value in each row.
type noisyTable struct {
	*publicTable
	noisy []float64
	sigma float64
	shape denoise.Shape
	// unordered is set if the shape has no order only because edges are given.
	unordered bool
}

// publicTable is a public table whose cells are texts.
type publicTable struct {
	path    string
	columns []string
	rows    [][]string
	lines   []int // for a CSV file, the line of each row in the file; otherwise the row's number
}

// inputProblem returns an error about a line of the input; line 0 stands for no line.
func inputProblem(path string, line int, message string) error {
	where := console.Here(path)
	if line > 0 {
		where = fmt.Sprintf("%s:%d", where, line)
	}
	return &pipeline.Error{Cause: pipeline.CauseInput, Code: "noisy-values", Message: where + ": " + message}
}
