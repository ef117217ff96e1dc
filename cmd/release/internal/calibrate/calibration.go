// Package calibrate is the verb calibrate: questions about noise and guarantees that need no data, no job and no
// ledger.
package calibrate

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/pipeline"
)

const calibrateLong = `calibrate answers what noise a guarantee needs, and what guarantee a noise gives. It reads no data.

Numbers are decimals. An epsilon and a delta are rounded down to the next float64, a sensitivity up, a sigma down, so that no
answer promises more than the decimals do. Answers are on the safe side of the exact ones and print 17 significant digits,
rounded up.`

const batchLong = `

--batch reads a CSV with a header on stdin and writes the same rows with the answer and an error added to each. Columns may come in
any order, and columns that the question does not need are passed through; a flag serves for a column that is not there. Numbers are the nearest float64 there, so that
what a program wrote is taken as it was. Exit code 1: a row has an error.`

// calibration is the verbs of calibrate, which write to a console.
type calibration struct{ *console.Console }

// Command is the verb calibrate.
func Command(c *console.Console) *cobra.Command {
	a := &calibration{c}
	cmd := &cobra.Command{
		Use: "calibrate", Short: "Say what noise a guarantee needs, or what a noise guarantees", Long: calibrateLong, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, q := range append(slices.Clone(questions), scaleQuestion) {
		cmd.AddCommand(a.questionCmd(q))
	}
	cmd.AddCommand(a.compareCmd(), a.composeCmd(), a.convertCmd(), a.splitCmd(), a.tableCmd(), a.thresholdsCmd(),
		a.boundsCmd())
	return cmd
}

func (a *calibration) questionCmd(q question) *cobra.Command {
	var inBatch bool
	method := string(q.methods[0])
	text := map[string]*string{}
	cmd := &cobra.Command{
		Use: q.name, Short: q.short, Long: q.long + batchLong, Example: q.example, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case !slices.Contains(q.methods, methods.Method(method)):
				return console.Usagef("--mechanism: %s knows %s", q.name, methodNames(q.methods))
			case inBatch:
				return a.askAll(cmd, q, methods.Method(method), values(text))
			}
			return a.ask(q, methods.Method(method), values(text))
		},
	}
	numberFlags(cmd, q.needs, text)
	cmd.Flags().StringVar(&method, "mechanism", method, "how "+q.name+" is found: "+methodNames(q.methods))
	// the flag is there
	_ = cmd.RegisterFlagCompletionFunc("mechanism", cobra.FixedCompletions(strings.Split(methodNames(q.methods), ", "),
		cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().BoolVar(&inBatch, "batch", false, "answer each row of a CSV on stdin")
	cmd.Flags().BoolVar(&a.JSON, "json", false, "print the answer as JSON")
	return cmd
}

// numberFlags adds a flag for each number and the sensitivity.
func numberFlags(cmd *cobra.Command, names []string, text map[string]*string) {
	for _, name := range names {
		text[name] = cmd.Flags().String(name, "", numberHelp[name])
	}
	text["sensitivity"] = cmd.Flags().String("sensitivity", "1", numberHelp["sensitivity"])
}

var numberHelp = map[string]string{
	"epsilon": "the guarantee's epsilon, 0 to 1e6", "delta": "the guarantee's delta, at least 1e-300 and below 1",
	"sigma": "the noise's standard deviation", "sensitivity": "the query's L2 sensitivity; L1 for scale",
}

func methodNames(methods []methods.Method) string {
	names := make([]string, len(methods))
	for i, m := range methods {
		names[i] = string(m)
	}
	return strings.Join(names, ", ")
}

func values(text map[string]*string) map[string]string {
	out := make(map[string]string, len(text))
	for name, value := range text {
		out[name] = *value
	}
	return out
}

// ask answers one question.
func (a *calibration) ask(q question, m methods.Method, text map[string]string) error {
	in, err := read(q.needs, text)
	if err != nil {
		return console.Usagef("%s", plain(err))
	}
	x, err := q.answer(m, in)
	if err != nil {
		return calibrateError(err)
	}
	if !a.JSON {
		return a.Printf("%s\n", digits17(x))
	}
	out := map[string]any{"mechanism": m, "sensitivity": in.sensitivity.L2, q.name: x}
	for _, name := range q.needs {
		out[name] = in.number(name)
	}
	return a.PrintJSON(out)
}

// askAll answers one question for each row of stdin. What is given by a flag is not a column.
func (a *calibration) askAll(cmd *cobra.Command, q question, m methods.Method, text map[string]string) error {
	if err := refuseJSON(cmd); err != nil {
		return err
	}
	fixed := map[string]string{}
	for name, value := range text {
		if cmd.Flags().Changed(name) {
			fixed[name] = value
		}
	}
	needs := slices.DeleteFunc(slices.Clone(q.needs), func(name string) bool { return fixed[name] != "" })
	b := batch{needs: needs, fixed: fixed, name: q.name, answer: func(row map[string]string) (float64, error) {
		in, err := readAs(nearest, q.needs, row)
		if err != nil {
			return 0, err
		}
		return q.answer(m, in)
	}}
	return b.run(cmd.InOrStdin(), a.Stdout)
}

// calibrateError gives exit code 1 to a formula that does not hold, usage to the rest.
func calibrateError(err error) error {
	if errors.Is(err, methods.ErrDoesNotHold) || errors.Is(err, calibrate.ErrExceeds) {
		return &pipeline.Error{Cause: pipeline.CauseCheck, Code: "calibrate", Message: plain(err),
			Hint: "--mechanism analytic holds everywhere"}
	}
	return console.Usagef("%s", plain(err))
}
