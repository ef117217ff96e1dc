package calibrate

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/cmd/release/internal/console"
)

// calculation is a verb of calibrate that computes one number from three: a sensitivity and two others.
type calculation struct {
	name, short, long, example string
	needs                      [2]string
	methods                    []methods.Method // the values of --mechanism; nil if the verb has no such flag
	answer                     func(methods.Method, numbers) (float64, error)
}

// The mechanisms that the verb scale knows.
const (
	laplaceNoise   methods.Method = "laplace"
	geometricNoise methods.Method = "geometric"
)

var calculations = []calculation{
	{
		name: "sigma", short: "The noise that an epsilon and a delta need", needs: [2]string{"epsilon", "delta"},
		methods: methods.Methods(),
		long: `sigma prints the standard deviation of Gaussian noise that gives (epsilon, delta)-differential privacy at an L2 sensitivity.

With --mechanism analytic it is the least float64 that does. The others are the closed forms of the literature, for comparison:
they are never below their formula, and if a formula does not give the guarantee, the answer is an error that says up to which
epsilon it does (exit code 1).`,
		example: "  release calibrate sigma --epsilon 1 --delta 1e-6\n  release calibrate sigma --mechanism dwork-2014 " +
			"--epsilon 0.1,0.3,1 --delta 1e-6",
		answer: func(m methods.Method, n numbers) (float64, error) {
			sigma, err := m.Sigma(n.sensitivity(), n.guarantee())
			return float64(sigma), err
		},
	},
	{
		name: "delta", short: "The delta of a noise at an epsilon", needs: [2]string{"epsilon", "sigma"},
		long: "delta prints the least delta for which Gaussian noise is proven to be (epsilon, delta)-differentially " +
			"private.",
		example: "  release calibrate delta --epsilon 1 --sigma 4",
		answer: func(_ methods.Method, n numbers) (float64, error) {
			delta, err := n.mechanism().Delta(n.guarantee().Epsilon)
			return float64(delta), err
		},
	},
	{
		name: "epsilon", short: "The epsilon of a noise at a delta", needs: [2]string{"delta", "sigma"},
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
		needs: [2]string{"epsilon", "delta"}, methods: []methods.Method{laplaceNoise, geometricNoise},
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

const calculationLong = `

It prints the number alone, or a table if a flag has several values with commas between them.`

func (a *calibration) calculationCmd(q calculation) *cobra.Command {
	method := ""
	var p pairs
	cmd := &cobra.Command{
		Use: q.name, Short: q.short, Example: q.example, Args: cobra.NoArgs,
		Long: q.long + calculationLong,
		RunE: func(*cobra.Command, []string) error {
			m := methods.Method(method)
			if len(q.methods) > 0 && !slices.Contains(q.methods, m) {
				return console.Usagef("--mechanism: %s knows %s", q.name, strings.Join(methodNames(q.methods), ", "))
			}
			rows, err := p.answer(func(n numbers) ([]row, error) {
				x, err := q.answer(m, n)
				r := row{"sensitivity": n["sensitivity"], q.name: x}
				if method != "" {
					r["mechanism"] = method
				}
				return []row{r}, err
			})
			switch {
			case err != nil:
				return err
			case !a.JSON && len(rows) == 1:
				return a.Printf("%s\n", up(rows[0][q.name]))
			}
			return a.print([]column{{q.needs[0], q.needs[0], short}, {q.needs[1], q.needs[1], short}, {q.name, q.name, up}},
				rows)
		},
	}
	p.flags(cmd, q.needs)
	if len(q.methods) > 0 {
		names := methodNames(q.methods)
		cmd.Flags().StringVar(&method, "mechanism", names[0], "how "+q.name+" is found: "+strings.Join(names, ", "))
		// No error: the flag exists.
		_ = cmd.RegisterFlagCompletionFunc("mechanism", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	}
	cmd.Flags().BoolVar(&a.JSON, "json", false, "print the answer as JSON")
	return cmd
}

func methodNames(ms []methods.Method) (names []string) {
	for _, m := range ms {
		names = append(names, string(m))
	}
	return names
}

// pairs holds a sensitivity and the values of two flags, such as epsilon and delta, each a list of numbers. A verb
// computes an answer for every pair of one value of each flag.
type pairs struct {
	names       [2]string
	lists       [2][]string
	sensitivity string
}

func (p *pairs) flags(cmd *cobra.Command, names [2]string) {
	p.names = names
	for i, name := range names {
		cmd.Flags().StringSliceVar(&p.lists[i], name, nil, numberHelp[name]+"; several with commas")
	}
	cmd.Flags().StringVar(&p.sensitivity, "sensitivity", "1", numberHelp["sensitivity"])
}

// several reports whether there is more than one pair.
func (p *pairs) several() bool { return len(p.lists[0])*len(p.lists[1]) > 1 }

// answer calls f for each pair and returns all rows. It adds the numbers of the pair to its rows.
func (p *pairs) answer(f func(numbers) ([]row, error)) (rows []row, _ error) {
	for i, list := range p.lists {
		if len(list) == 0 {
			return nil, console.Usagef("%s is missing", p.names[i])
		}
	}
	for _, first := range p.lists[0] {
		for _, second := range p.lists[1] {
			n, err := read(p.names[:], map[string]string{p.names[0]: first, p.names[1]: second, "sensitivity": p.sensitivity})
			if err != nil {
				return nil, console.Usagef("%s", plain(err))
			}
			some, err := f(n)
			if err != nil {
				return nil, answerError(err)
			}
			for _, r := range some {
				r[p.names[0]], r[p.names[1]] = n[p.names[0]], n[p.names[1]]
			}
			rows = append(rows, some...)
		}
	}
	return rows, nil
}
