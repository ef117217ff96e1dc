package initjob

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/columns"
	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/configs"
)

const profileLong = `profile writes a job that describes every column of a table, within one budget. It is a job as init
writes it: edit it, then plan and run it. FILE may be a URL. Parquet and Arrow files declare their types. All columns of
a text file are texts, unless --type names a type as csv.types of a job does: which queries a job has, and so which
files a release has, must not depend on values. Only names, delimiter, header, quotes and encoding are found in the
text.

Each column except the columns of the unit becomes a histogram: numbers between edges that fit every range (1, 1.2, 1.5,
2, …) with quartiles, and their mean within a range that the run finds privately; dates and times by year; true and
false; texts by values that the run selects privately. Missing values are a cell of their own, but for texts. All
columns share the budget: leave out those that you do not need, and list values and edges that are known.`

// ProfileCommand returns the verb profile.
func ProfileCommand(c *console.Console) *cobra.Command {
	f := newFlags()
	f.profile = true
	cmd := &cobra.Command{
		Use: "profile FILE…", Short: "Write a job that describes every column", Long: profileLong,
		Args: cobra.MinimumNArgs(1),
		Example: "  release profile loans.txt --unit member --max-rows 5 --epsilon 2 --delta 1e-6 --type fee=float --job " +
			"profile.yaml",
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), c, args) },
	}
	cmd.Flags().StringArrayVar(&f.types, "type", nil, "COLUMN=TYPE of a text file: int, float, bool, date 2/1/2006 "+
		"(repeatable)")
	f.add(cmd.Flags())
	return cmd
}

// declare sets the types of a text file's columns to the types of --types.
func (f *flags) declare(t *columns.Table) error {
	types := map[string]string{}
	for _, given := range f.types {
		at := strings.LastIndexByte(given, '=')
		switch {
		case at < 0 || given[at+1:] == "":
			return console.Usagef("--type: %s is not COLUMN=TYPE", console.OneLine(given))
		case t.Text == nil:
			return console.Usagef("--type: the file itself declares the types of its columns")
		case !slices.Contains(t.Names, given[:at]):
			return noColumn(given[:at], t.Names)
		}
		name, of := given[:at], given[at+1:]
		if problem, hint := configs.TypeProblem(of); problem != "" {
			return console.Usagef("--type: %s; %s", console.OneLine(problem), console.OneLine(hint))
		}
		types[name] = of
	}
	t.Declare(types)
	return nil
}

// describe returns queries that describe the columns, one about each. It leaves out the columns of the unit. left are
// the columns about which no query is possible.
func (j *Job) describe() (queries []Query, left []string) {
	queries = []Query{{Kind: "count"}}
	for i, name := range j.Table.Names {
		if slices.Contains(j.Unit, name) {
			continue
		}
		cells := Cells{Column: name, Missing: true}
		switch t := j.Table.Types[i]; {
		case name == "":
			left = append(left, "column "+strconv.Itoa(i+1)+" (no name in the header)")
			continue
		case t == "int" || t == "uint" || t == "float":
			cells.Edges = everyRange
			queries = append(queries, Query{Kind: "quantiles", By: []Cells{cells}},
				Query{Kind: "mean", Value: &Cells{Column: name, From: everyRange[0], To: everyRange[len(everyRange)-1],
					Discover: true}})
			continue
		case t == "bool":
			cells.Values = []string{"true", "false"}
		case strings.HasPrefix(t, "date") || strings.HasPrefix(t, "timestamp"):
			cells.From, cells.To, cells.Step = "1900-01-01", "2101-01-01", "year"
		case t == "text":
			cells.Discover, cells.Missing = true, false
		default:
			left = append(left, name+" ("+t+")")
			continue
		}
		queries = append(queries, Query{Kind: "histogram", By: []Cells{cells}})
	}
	return queries, left
}

// everyRange lists edges for numbers of unknown size: ten edges from each power of ten to the next, their negatives,
// and 0.
var everyRange = func() (edges []string) {
	const smallest, largest = -2, 9 // as exponents of ten
	for power := smallest; power <= largest; power++ {
		for _, digits := range []int{10, 12, 15, 20, 25, 30, 40, 50, 60, 80} {
			if power < largest || digits == 10 {
				x, _ := strconv.ParseFloat(fmt.Sprintf("%de%d", digits, power-1), 64)
				edges = append(edges, strconv.FormatFloat(x, 'f', -1, 64))
			}
		}
	}
	var below []string
	for _, e := range slices.Backward(edges) {
		below = append(below, "-"+e)
	}
	return slices.Concat(below, []string{"0"}, edges)
}()
