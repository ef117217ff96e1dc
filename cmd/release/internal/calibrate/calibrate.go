// Package calibrate is the verb calibrate: calculations about noise and guarantees that need no data, no job and no
// ledger.
package calibrate

import (
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/pipeline"
)

const calibrateLong = `calibrate answers what noise a guarantee needs, and what guarantee a noise gives. It reads no
data.

Numbers are decimals. An epsilon and a delta are rounded down to the next float64, a sensitivity up, a sigma down, so
that no answer promises more than the decimals do. Answers are on the safe side of the exact ones and print 17
significant digits, rounded up.`

// calibration is the console to which the verbs of calibrate, its methods, write.
type calibration struct{ *console.Console }

// Command returns the verb calibrate.
func Command(c *console.Console) *cobra.Command {
	a := &calibration{c}
	cmd := &cobra.Command{
		Use: "calibrate", Short: "Say what noise a guarantee needs, or what a noise guarantees", Long: calibrateLong,
		Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, q := range calculations {
		cmd.AddCommand(a.calculationCmd(q))
	}
	cmd.AddCommand(a.compareCmd(), a.composeCmd(), a.convertCmd())
	return cmd
}

// numberHelp explains the flags that are numbers.
var numberHelp = map[string]string{
	"epsilon": "the guarantee's epsilon, 0 to 1e6", "delta": "the guarantee's delta, at least 1e-300 and below 1",
	"sigma": "the noise's standard deviation", "sensitivity": "the query's L2 sensitivity; L1 for scale",
}

// row is one line of an answer: its values by the keys of the columns. If a row has the key "error", it has only its
// names, its numbers and the error.
type row map[string]any

// column is a column of an answer: its key in JSON, its title, and its format for people.
type column struct {
	key, title string
	text       func(any) string
}

// print prints rows as a table, or as JSON. A table leaves out columns that are empty in all rows.
func (a *calibration) print(columns []column, rows []row) error {
	if a.JSON {
		return a.PrintJSON(rows)
	}
	table := make([][]string, len(rows)+1)
	for i, c := range columns {
		texts, some := []string{c.title}, false
		for _, r := range rows {
			text := ""
			if x, ok := r[c.key]; ok {
				text = fmt.Sprint(x)
				if c.text != nil {
					text = c.text(x)
				}
			} else if failure, failed := r["error"]; failed && i == 1 {
				text = "no value: " + fmt.Sprint(failure)
			}
			texts, some = append(texts, text), some || text != ""
		}
		if some {
			for k, text := range texts {
				table[k] = append(table[k], text)
			}
		}
	}
	return a.PrintTable(table)
}

// up and down format a number of a column: up rounds up, so that no answer promises too much; down rounds down, for a
// number that must not be exceeded.
func up(x any) string   { return digits17(x.(float64), true) }
func down(x any) string { return digits17(x.(float64), false) }

// short formats a number for people.
func short(x any) string { return fmt.Sprintf("%.9g", x) }

// percent formats an excess as a percentage for people.
func percent(x any) string {
	if x.(float64) > 1000 {
		return fmt.Sprintf("%.3g times", x)
	}
	return fmt.Sprintf("%+.2f %%", 100*x.(float64))
}

// excessOf returns (x - least) / least, but at most the largest float64.
func excessOf(x, least calibrate.Sigma) float64 { return math.Min(float64(x/least)-1, math.MaxFloat64) }

// answerError returns an error with exit code 1 if err means that a guarantee does not hold, otherwise a usage error.
func answerError(err error) error {
	if !errors.Is(err, methods.ErrDoesNotHold) && !errors.Is(err, calibrate.ErrExceeds) {
		return console.Usagef("%s", plain(err))
	}
	return &pipeline.Error{Cause: pipeline.CauseCheck, Code: "calibrate", Message: plain(err),
		Hint: "--mechanism analytic holds everywhere"}
}
