package command

//go:generate go test . -run TestCommandPageIsCurrent -update-cli

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dprelease/dprelease/cmd/release/internal/aggregate"
	"github.com/dprelease/dprelease/cmd/release/internal/calibrate"
	"github.com/dprelease/dprelease/cmd/release/internal/columns"
	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/denoise"
	"github.com/dprelease/dprelease/cmd/release/internal/initjob"
	"github.com/dprelease/dprelease/cmd/release/internal/ledger"
	"github.com/dprelease/dprelease/cmd/release/internal/preview"
	"github.com/dprelease/dprelease/cmd/release/internal/publish"
	"github.com/dprelease/dprelease/cmd/release/internal/selftest"
	"github.com/dprelease/dprelease/cmd/release/internal/signing"
	"github.com/dprelease/dprelease/cmd/release/internal/verify"
	"github.com/dprelease/dprelease/internal/runjob"
)

const rootLong = `release turns a private table into a differentially private data release.

A job file says what to read, what to ask, what to spend and where to publish. A job's release is made once: the same
run again returns the same bytes and spends nothing.

Exit codes:
  0    done, or already done
  1    a stated check is not met (max_error, accuracy, check --data, verify, ledger audit, selftest, status)
  2    usage, or the job file
  3    input
  4    budget
  5    output
  6    ledger
  70   internal error
  75   try again later (the run or the ledger is in use)
  129  stopped by SIGHUP: its terminal was closed
  130  stopped by SIGINT
  134  crashed: a fault of this program, stopped by SIGABRT
  143  stopped by SIGTERM`

// execute runs the command line and returns the exit code.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return newApp(stdout, stderr).execute(ctx, args)
}

func newApp(stdout, stderr io.Writer, added ...Verb) *app {
	return &app{Console: console.New(stdout, stderr), added: added, stdin: os.Stdin}
}

func (a *app) execute(ctx context.Context, args []string) (code int) {
	defer func() { a.writeMetrics(code) }()
	defer a.recovered(&code)
	root := a.root()
	root.SetArgs(args)
	verb, err := root.ExecuteContextC(ctx)
	a.measure(verb) // the metrics name the verb even if its flags were wrong
	return a.report(ctx, err)
}

// measure records the verb whose outcome the metrics report.
func (a *app) measure(verb *cobra.Command) {
	a.last.Lock()
	defer a.last.Unlock()
	a.last.file, a.last.command = a.metrics, strings.TrimPrefix(verb.CommandPath(), verb.Root().Name()+" ")
}

func (a *app) root() *cobra.Command {
	version := false
	root := &cobra.Command{
		Use: "release", Short: "Differentially private data releases", Long: rootLong,
		Args: cobra.NoArgs, SilenceErrors: true, SilenceUsage: true,
		PersistentPreRunE: func(verb *cobra.Command, args []string) error {
			a.measure(verb)
			if err := refuseEmpty(verb, args); err != nil {
				return err
			}
			if a.Log != "text" && a.Log != "json" {
				return console.Usagef("--log must be text or json")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				return a.printVersion()
			}
			return cmd.Help()
		},
	}
	root.Flags().BoolVar(&version, "version", false, "print what release version prints")
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	flags := root.PersistentFlags()
	flags.StringVar(&a.Log, "log", "text", "how progress and errors are written to stderr: text or json")
	flags.BoolVar(&a.Quiet, "quiet", false, "no progress, no closing table; errors only")
	root.AddCommand(
		a.runCmd(), a.planCmd(), a.suggestCmd(), a.checkCmd(), verify.Command(a.Console, runjob.Program),
		ledger.Command(a.Console), ledger.WithdrawCommand(a.Console), ledger.PruneCommand(a.Console), a.statusCmd(),
		a.backfillCmd(), aggregate.Command(a.Console, runjob.Build), a.mergeCmd(),
		columns.Command(a.Console), initjob.Command(a.Console), initjob.ProfileCommand(a.Console),
		preview.Command(a.Console, runjob.Program,
			previewText), a.explainCmd(), a.schemaCmd(), sqlCommand(a.Console), reportCommand(a.Console),
		indexCommand(a.Console), plotCommand(a.Console), combineCommand(a.Console), changesCommand(a.Console),
		publish.Command(a.Console),
		signing.KeygenCommand(a.Console), registryCommand(a.Console), denoise.Command(a.Console),
		calibrate.Command(a.Console), selftest.Command(a.Console, runjob.Program),
		a.versionCmd(), a.manCmd(),
	)
	for _, v := range a.added {
		root.AddCommand(&cobra.Command{
			Use: v.Name, Short: v.Short, DisableFlagParsing: true,
			RunE: func(*cobra.Command, []string) error { return console.Usagef("write %s before all flags", v.Name) },
		})
	}
	for _, words := range [][]string{{"ledger", "audit"}, {"ledger", "backup"}, {"ledger", "copy"}, {"publish"},
		{"withdraw"}, {"prune"}} {
		if verb, _, err := root.Find(words); err == nil {
			a.addMetrics(verb)
		}
	}
	complete(root)
	explainArguments(root)
	return root
}

// refuseEmpty refuses flags and arguments that are empty, for instance because a shell variable is not set. Otherwise a
// run with an empty --sign would not be signed, and a run with an empty --anchor would not be compared with the anchor.
func refuseEmpty(verb *cobra.Command, args []string) (err error) {
	if verb.DisableFlagParsing { // completion asks about words that are not complete yet
		return nil
	}
	const hint = "is a variable of the shell not set?"
	verb.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "string" && f.Value.String() == "" && err == nil {
			err = &console.UsageError{Text: "--" + f.Name + " is empty", Hint: hint}
		}
	})
	if err == nil && slices.Contains(args, "") {
		err = &console.UsageError{Text: "an argument is empty", Hint: hint}
	}
	return err
}
