package command

import (
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/report"
)

// previewed is the number of cells of each answer that a preview prints.
const previewed = 5

// previewText shows the first cells of each answer as they are in the files.
func previewText(r *pipeline.Release) (text string) {
	m := r.Manifest(nil)
	remarks := report.NewRemarks(&m)
	for i, result := range r.Results() {
		text += console.Fill("\n%s\n", result.Name)
		if m.Queries[i].Kind != "crosstabs" { // readers get the tables computed from the answer, not the answer
			estimate := [1]float64{math.NaN()}
			if result.Answer.Cells > 0 {
				result.Answer.Estimate(0, estimate[:])
			}
			text += answerText(&result, report.MissingValue(m.Queries[i].Kind)) + remarksText(remarks.Of(i, "", estimate[0]))
		}
		text += readingsText(remarks, i, &result)
	}
	return text
}

// remarksText shows each text as a paragraph below the table that it explains.
func remarksText(texts []string) (text string) {
	for _, t := range texts {
		text += console.Fill("%s\n", t)
	}
	return text
}

// answerText shows the first rows of an answer. missing is shown for a value that a cell does not have.
func answerText(r *pipeline.Result, missing string) string {
	cells := shown(*r)
	text := console.Aligned(previewRows(r.Answer, cells, missing))
	if r.Sparse {
		return text
	}
	return text + moreCells(r.Answer.Cells-len(cells))
}

// moreCells states that a table has more cells than are shown; "" if it has not.
func moreCells(cells int) string {
	if cells <= 0 {
		return ""
	}
	return "… " + spelling.Integer(cells) + " more\n"
}

// previewedTables is the number of tables computed from an answer, such as quantiles, that a preview shows.
const previewedTables = 4

// readingsText shows the first rows of the first tables that were computed from a query's answer, such as quantiles.
// number is the query's index in the manifest.
func readingsText(remarks report.Remarks, number int, r *pipeline.Result) (text string) {
	for i, x := range r.Answer.Readings {
		if i == previewedTables {
			return text + console.Fill("\n… %d more tables\n", len(r.Answer.Readings)-i)
		}
		var cells []int
		for c := range min(previewed, x.Answer.Cells) {
			cells = append(cells, c)
		}
		text += console.Fill("\n%s.%s\n", r.Name, x.Name) + console.Aligned(previewRows(x.Answer, cells, noValue)) +
			moreCells(x.Answer.Cells-len(cells)) + remarksText(remarks.Of(number, x.Name, math.NaN()))
	}
	return text
}

// shown returns the numbers of the cells to print: the first ones or, for a sparse answer, the first that the files
// have.
func shown(r pipeline.Result) []int {
	var cells []int
	block := make([]float64, min(r.Answer.Cells, 1<<16))
	for start := 0; start < r.Answer.Cells && len(cells) < previewed; start += len(block) {
		block = block[:min(len(block), r.Answer.Cells-start)]
		r.Answer.Estimate(start, block)
		for i, x := range block {
			if len(cells) < previewed && (x != 0 || !r.Sparse) {
				cells = append(cells, start+i)
			}
		}
	}
	return cells
}

// noValue is printed in place of a missing number.
const noValue = "-"

func previewRows(ans query.Answer, cells []int, missing string) [][]string {
	value := func(s query.Series, cell int) string {
		if text := at(s, cell); text != noValue {
			return text
		}
		return missing
	}
	header := []string{}
	for _, k := range ans.Keys {
		header = append(header, k.Name)
	}
	if ans.Noisy != nil {
		header = append(header, "noisy")
	}
	rows := [][]string{append(header, "estimate", "95 % interval")}
	for _, c := range cells {
		var row []string
		for _, k := range ans.Keys {
			row = append(row, label(k, c))
		}
		if ans.Noisy != nil {
			row = append(row, value(ans.Noisy, c))
		}
		rows = append(rows, append(row, value(ans.Estimate, c), interval(at(ans.Low, c), at(ans.High, c))))
	}
	return rows
}

// interval formats an interval; noValue if the cell is left empty.
func interval(low, high string) string {
	if low == noValue || high == noValue {
		return noValue
	}
	return low + " to " + high
}

func at(s query.Series, cell int) string {
	var x [1]float64
	s(cell, x[:])
	return short(x[0])
}

// label returns the text of a cell's key, on one line.
func label(k domain.KeyColumn, cell int) string {
	switch l := k.Labels; {
	case l.Strings != nil:
		return printable(l.Strings[cell/k.Stride%len(l.Strings)])
	case l.Ints != nil:
		return strconv.FormatInt(l.Ints[cell/k.Stride%len(l.Ints)], 10)
	default:
		return domain.FloatText(l.Floats[cell/k.Stride%len(l.Floats)])
	}
}

// printable removes line breaks, tabs and other control characters, since keys may come from the data.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, s)
}

// short formats a number with few digits, for a person.
func short(x float64) string {
	if math.IsNaN(x) {
		return noValue
	}
	return spelling.Number(x, 4)
}
