package command

import (
	"context"
	"encoding/csv"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/internal/combine"
)

const changesLong = `changes compares a table of a release with the same table of an earlier release: of each cell the
difference and, for counts and sums, the change in per cent, with 95 % intervals. It spends no budget and reads no
private table: whoever has both releases can repeat it.

A table is a query, or QUERY.TABLE for one that was computed from it: a marginal, a rate, quantiles. Noise of different
runs is independent, and the intervals take the noise of both into account. A change in per cent is not stated if noise
alone could explain the earlier value, or if its interval reaches further than --max-half-width percentage points to
either side. Other tables have differences alone, which --max-half-width leaves out in their own unit. --json names both
releases by the SHA-256 of their manifests.

Both releases bound and filter the same way if one job with a parameter, such as the month, made them. A change between
two jobs can be one of their bounds.`

type changesFlags struct {
	table        string
	maxHalfWidth float64
	csv          bool
}

func changesCommand(c *console.Console) *cobra.Command {
	var f changesFlags
	cmd := &cobra.Command{
		Use: "changes EARLIER LATER --table TABLE", Short: "Compare a table of two releases",
		Long: changesLong,
		Args: cobra.ExactArgs(2), Example: `  release changes out/2026-09 out/2026-10 --table employed
  release changes out/2026-09 out/2026-10 --table unemployed.rate --max-half-width 10 --csv > changes.csv`,
		RunE: func(cmd *cobra.Command, args []string) error { return changeCells(cmd.Context(), c, args, &f) },
	}
	cmd.Flags().StringVar(&f.table, "table", "", "the table to compare: QUERY or QUERY.TABLE")
	cmd.Flags().Float64Var(&f.maxHalfWidth, "max-half-width", 0,
		"leave out changes whose interval reaches further to either side: in percentage points, or of rates, means and "+
			"quantiles in their unit")
	cmd.Flags().BoolVar(&f.csv, "csv", false, "print the changes as CSV, with all digits")
	cmd.Flags().BoolVar(&c.JSON, "json", false, "print the changes as JSON")
	cmd.MarkFlagsMutuallyExclusive("csv", "json")
	return cmd
}

// changesOf is what the verb changes prints as JSON.
type changesOf struct {
	Table string `json:"table"`
	// Earlier and Later are the SHA-256 of the two releases' manifests.
	Earlier string        `json:"earlier_release"`
	Later   string        `json:"later_release"`
	Cells   []changedCell `json:"cells"`
}

// changedCell is the change of one cell between two releases. A number is null if the change cannot be computed.
type changedCell struct {
	Labels     map[string]string `json:"labels"`
	Difference *statedInterval   `json:"difference"`
	Percent    *statedInterval   `json:"percent"`
}

type statedInterval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"ci95_low"`
	High  float64 `json:"ci95_high"`
}

func stated(i combine.Interval) *statedInterval {
	if math.IsNaN(i.Value) {
		return nil
	}
	return &statedInterval{i.Value, i.Low, i.High}
}

func changeCells(ctx context.Context, c *console.Console, args []string, f *changesFlags) error {
	if f.table == "" {
		return console.Usagef("--table: name the table to compare")
	}
	if f.maxHalfWidth < 0 || math.IsNaN(f.maxHalfWidth) {
		return console.Usagef("--max-half-width is a number of at least 0")
	}
	var tables [2]*combine.Cells
	var digests [2]string
	for i, arg := range args {
		var err error
		if tables[i], digests[i], err = openCells(ctx, arg, f.table); err != nil {
			return err
		}
	}
	earlier, later := tables[0], tables[1]
	changes, err := combine.Changes(later, earlier, f.maxHalfWidth)
	if err != nil {
		return err
	}
	var labels [][]string
	for _, k := range later.Keys {
		labels = append(labels, k.Labels.Texts())
	}
	if c.JSON {
		out := changesOf{Table: f.table, Earlier: digests[0], Later: digests[1]}
		for _, x := range changes {
			cell := changedCell{Labels: map[string]string{}, Difference: stated(x.Difference), Percent: stated(x.Percent)}
			for i, k := range later.Keys {
				cell.Labels[k.Name] = labels[i][x.Cell]
			}
			out.Cells = append(out.Cells, cell)
		}
		return c.PrintJSON(out)
	}
	relative := later.Relative && earlier.Relative
	var rows [][]string
	head := make([]string, 0, len(labels)+6)
	for _, k := range later.Keys {
		head = append(head, k.Name)
	}
	numbers, write := []string{"difference", "95 % interval", "change in %", "95 % interval"}, intervalInWords
	if f.csv {
		numbers, write = []string{"difference", "difference_ci95_low", "difference_ci95_high", "percent", "percent_ci95_low",
			"percent_ci95_high"}, intervalInFull
	}
	if !relative {
		numbers = numbers[:len(numbers)/2]
	}
	rows = append(rows, append(head, numbers...))
	for _, x := range changes {
		var row []string
		for i := range labels {
			row = append(row, labels[i][x.Cell])
		}
		if row = append(row, write(x.Difference)...); relative {
			row = append(row, write(x.Percent)...)
		}
		rows = append(rows, row)
	}
	if !f.csv {
		return c.PrintTable(rows)
	}
	var text strings.Builder
	w := csv.NewWriter(&text)
	if err := w.WriteAll(rows); err != nil {
		return err
	}
	return c.Print(text.String())
}

// openCells reads a table of the release in a folder, and the SHA-256 of its manifest.
func openCells(ctx context.Context, arg, table string) (cells *combine.Cells, digest string, err error) {
	o, err := openRelease(ctx, arg)
	if err != nil {
		return nil, "", err
	}
	q, holds := o.find(table)
	if q == nil {
		return nil, "", console.Usagef("--table: choose a table of %s: %s", arg, strings.Join(tableNames(o.manifest), ", "))
	}
	cells, err = combine.OpenCells(ctx, o.dir, o.digest, o.manifest, q, holds)
	return cells, o.digest, err
}

// intervalInWords formats a number and its interval with the digits that the interval justifies.
func intervalInWords(i combine.Interval) []string {
	if math.IsNaN(i.Value) {
		return []string{"not stated", ""}
	}
	deviation := (i.High - i.Low) / 4
	return []string{withError(i.Value, deviation, math.Round),
		withError(i.Low, deviation, math.Floor) + " to " + withError(i.High, deviation, math.Ceil)}
}

// intervalInFull formats a number and the ends of its interval; nothing if the number is missing.
func intervalInFull(i combine.Interval) []string {
	if math.IsNaN(i.Value) {
		return []string{"", "", ""}
	}
	return []string{shortest(i.Value), shortest(i.Low), shortest(i.High)}
}

// shortest formats x with the fewest digits that parse back to x.
func shortest(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
