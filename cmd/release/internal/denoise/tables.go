package denoise

import (
	"fmt"
	"path/filepath"

	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/pipeline"
)

// noisyTable is a public table with a noisy value a row.
type noisyTable struct {
	*publicTable
	noisy []float64
	sigma float64
	shape denoise.Shape
	// unordered: the shape has no order only because edges are given.
	unordered bool
}

// publicTable is a table of public texts.
type publicTable struct {
	path    string
	columns []string
	rows    [][]string
	lines   []int // the line of each row in a CSV file; in other files, the row's number
}

// inputProblem returns an input error with the line in the file; line 0 means none.
func inputProblem(path string, line int, message string) error {
	where := filepath.Base(path)
	if line > 0 {
		where = fmt.Sprintf("%s:%d", where, line)
	}
	return &pipeline.Error{Cause: pipeline.CauseInput, Code: "noisy-values", Message: where + ": " + message}
}
