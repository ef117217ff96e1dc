package calibrate

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/pipeline"
)

// calculation is a verb of calibrate that prints one number.
type calculation struct {
	name, short, long, example string
	// needs names the flags, or the columns of a batch, that it reads beside the sensitivity.
	needs []string
	// methods are the mechanisms that it knows.
	methods []methods.Method
	answer  func(methods.Method, numbers) (float64, error)
}

// Mechanisms of the verb scale.
const (
	laplaceNoise   methods.Method = "laplace"
	geometricNoise methods.Method = "geometric"
)

var calculations = []calculation{
	{
		name: "sigma", short: "The noise that an epsilon and a delta need", needs: []string{"epsilon", "delta"},
		methods: methods.Methods(),
		long: `sigma prints the standard deviation of Gaussian noise that gives (epsilon, delta)-differential privacy at an L2 sensitivity.

With --mechanism analytic it is the least float64 that does. The others are the closed forms of the literature, for comparison:
they are never below their formula, and if a formula does not give the guarantee, the answer is an error that says up to which
epsilon it does (exit code 1).`,
		example: "  release calibrate sigma --epsilon 1 --delta 1e-6\n  release calibrate sigma --mechanism dwork-2014 " +
			"--batch < points.csv",
		answer: func(m methods.Method, n numbers) (float64, error) {
			sigma, err := m.Sigma(n.sensitivity(), n.guarantee())
			return float64(sigma), err
		},
	},
	{
		name: "delta", short: "The delta of a noise at an epsilon", needs: []string{"epsilon", "sigma"},
		methods: []methods.Method{methods.Analytic},
		long:    "delta prints the least delta for which Gaussian noise is proven to be (epsilon, delta)-differentially private.",
		example: "  release calibrate delta --epsilon 1 --sigma 4",
		answer: func(_ methods.Method, n numbers) (float64, error) {
			delta, err := n.mechanism().Delta(n.guarantee().Epsilon)
			return float64(delta), err
		},
	},
	{
		name: "epsilon", short: "The epsilon of a noise at a delta", needs: []string{"delta", "sigma"},
		methods: []methods.Method{methods.Analytic},
		long: "epsilon prints the least epsilon for which Gaussian noise is proven to be (epsilon, delta)-differentially " +
			"private.",
		example: "  release calibrate epsilon --delta 1e-6 --sigma 4",
		answer: func(_ methods.Method, n numbers) (float64, error) {
			eps, err := n.mechanism().Epsilon(n.guarantee().Delta)
			return float64(eps), err
		},
	},
	{
		name: "scale", short: "The Laplace or geometric noise that an epsilon and a delta need",
		needs: []string{"epsilon", "delta"}, methods: []methods.Method{laplaceNoise, geometricNoise},
		long: `scale prints the scale of Laplace noise, or of two-sided geometric noise for integers, that gives (epsilon, delta)-differential privacy at an
L1 sensitivity: the least that does, by the exact privacy curve. delta may be 0.`,
		example: "  release calibrate scale --epsilon 1 --delta 0\n  release calibrate scale --mechanism geometric " +
			"--epsilon 1 --delta 1e-6 --sensitivity 2",
		answer: func(m methods.Method, n numbers) (float64, error) {
			if m == laplaceNoise {
				return calibrate.LaplaceScale(n["sensitivity"], n.guarantee())
			}
			whole, err := n.geometric(1)
			if err != nil {
				return 0, err
			}
			return methods.GeometricScale(whole.L1, n.guarantee())
		},
	},
}

const batchLong = `

--batch reads a CSV with a header on stdin and writes the same rows with the answer and an error added to each. Columns may come in
any order, and columns that are not needed are passed through; a flag serves for a column that is not there. Numbers are the nearest float64 there, so that
what a program wrote is taken as it was. Exit code 1: a row has an error.`

func (a *calibration) calculationCmd(q calculation) *cobra.Command {
	var inBatch bool
	var text map[string]*string
	method := string(q.methods[0])
	var names []string
	for _, m := range q.methods {
		names = append(names, string(m))
	}
	cmd := &cobra.Command{
		Use: q.name, Short: q.short, Long: q.long + batchLong, Example: q.example, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			m := methods.Method(method)
			switch {
			case !slices.Contains(q.methods, m):
				return console.Usagef("--mechanism: %s knows %s", q.name, strings.Join(names, ", "))
			case inBatch && a.JSON:
				return console.Usagef("--json: a batch is CSV")
			case inBatch:
				return q.askAll(cmd, m, text)
			}
			n, err := read(safeSide, q.needs, texts(text))
			if err != nil {
				return console.Usagef("%s", plain(err))
			}
			x, err := q.answer(m, n)
			switch {
			case err != nil:
				return answerError(err)
			case !a.JSON:
				return a.Printf("%s\n", digits17(x, true))
			}
			out := map[string]any{"mechanism": m, q.name: x}
			for name, value := range n {
				out[name] = value
			}
			return a.PrintJSON(out)
		},
	}
	text = numberFlags(cmd, append(slices.Clone(q.needs), "sensitivity")...)
	cmd.Flags().StringVar(&method, "mechanism", method, "how "+q.name+" is found: "+strings.Join(names, ", "))
	// The flag is there, so there is no error.
	_ = cmd.RegisterFlagCompletionFunc("mechanism", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().BoolVar(&inBatch, "batch", false, "answer each row of a CSV on stdin")
	cmd.Flags().BoolVar(&a.JSON, "json", false, "print the answer as JSON")
	return cmd
}

// askAll copies a CSV from stdin to stdout and adds an answer and an error to each row. Numbers that are not columns
// come from flags.
func (q calculation) askAll(cmd *cobra.Command, m methods.Method, text map[string]*string) error {
	in := csv.NewReader(bufio.NewReaderSize(cmd.InOrStdin(), 1<<16))
	in.ReuseRecord = true
	header, err := q.header(cmd, in)
	if err != nil {
		return err
	}
	out := csv.NewWriter(cmd.OutOrStdout())
	// Errors of the writer stay with it until the end.
	_ = out.Write(append(slices.Clone(header), q.name, "error"))
	rows, failed := 0, 0
	for ; ; rows++ {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		var malformed *csv.ParseError
		if err != nil && !errors.As(err, &malformed) {
			return console.Usagef("--batch: stdin can't be read")
		}
		fields, result, problem := make([]string, len(header), len(header)+2), "", ""
		copy(fields, record)
		if malformed != nil {
			problem = fmt.Sprintf("line %d is not a row of CSV with the header's %d fields", malformed.Line, len(header))
		} else {
			values := texts(text)
			for i, name := range header {
				if _, needed := values[name]; needed { // occurs once
					values[name] = record[i]
				}
			}
			var n numbers
			var x float64
			if n, err = read(nearest, q.needs, values); err == nil {
				x, err = q.answer(m, n)
			}
			if result = digits17(x, true); err != nil {
				result, problem = "", plain(err)
			}
		}
		if problem != "" {
			failed++
		}
		_ = out.Write(append(fields, result, problem)) // as above
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return &pipeline.Error{Cause: pipeline.CauseOutput, Code: "calibrate", Message: "the answers can't be written",
			Err: err}
	}
	if failed > 0 {
		return &pipeline.Error{Cause: pipeline.CauseCheck, Code: "calibrate",
			Message: fmt.Sprintf("%d of %d rows have an error", failed, rows)}
	}
	return nil
}

// header reads the names of the columns. Each needed column that no flag gives must occur once.
func (q calculation) header(cmd *cobra.Command, in *csv.Reader) ([]string, error) {
	record, err := in.Read()
	if errors.Is(err, io.EOF) {
		return nil, console.Usagef("--batch: stdin is empty; it must be a CSV with a header: %s", strings.Join(q.needs, ","))
	}
	if err != nil {
		return nil, console.Usagef("--batch: line 1 is not CSV")
	}
	header, count := slices.Clone(record), map[string]int{}
	header[0] = strings.TrimPrefix(header[0], "\ufeff")
	for i, name := range header {
		header[i] = strings.TrimSpace(name)
		count[header[i]]++
	}
	for _, name := range append(slices.Clone(q.needs), "sensitivity") {
		switch fixed := cmd.Flags().Changed(name); {
		case fixed && count[name] > 0:
			return nil, console.Usagef("--%s: it is a column of the input, too", name)
		case !fixed && count[name] == 0 && name != "sensitivity":
			return nil, console.Usagef("--batch: the header has no column %q", name)
		case count[name] > 1:
			return nil, console.Usagef("--batch: the header has the column %q twice", name)
		}
	}
	return header, nil
}
