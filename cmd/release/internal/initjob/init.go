package initjob

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/dprelease/dprelease/cmd/release/internal/columns"
	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/regular"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/store"
	"github.com/dprelease/dprelease/pipeline"
)

const initLong = `init writes a first job for a table, with comments, to a file or to stdout. FILE may be a URL, https://host/path or s3://bucket/key. It reads the footer of Parquet and Arrow files, and of texts the first
256 KiB: names, types, delimiter, header, encoding. The job holds nothing else of the table. Types and null_values of texts are proposals
from values of these rows, also of single ones, and a release publishes them with its job: correct them by what is known without the rows.

Whom does the guarantee protect (--unit), what do you want to know (--ask), and how much may be given away (--epsilon, --delta)? What no flag
says, init asks on a terminal. Nothing that decides about privacy has a default.

` + Grammar

// flags holds the flags of the verbs init and profile.
type flags struct {
	unit                       []string
	asks                       []string
	maxRows                    int
	epsilon, delta             string
	totalEpsilon, totalDelta   string
	name, out, dataset, ledger string
	dir                        string
	force                      bool
	profile                    bool     // the verb is profile, whose queries are about all columns
	types                      []string // the column types that --types states, for profile
	in                         io.Reader
	terminal                   bool
}

// Command returns the verb init.
func Command(c *console.Console) *cobra.Command {
	f := newFlags()
	cmd := &cobra.Command{
		Use: "init FILE…", Short: "Write a first job for a table", Long: initLong, Args: cobra.MinimumNArgs(1),
		Example: `  release init loans.txt
  release init loans.txt --unit member --max-rows 20 --epsilon 1 --delta 1e-6 --ask "histogram branch=North|South" --ask "mean fee=0..50" --job loans.yaml`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), c, args) },
	}
	cmd.Flags().StringArrayVar(&f.asks, "ask", nil, "a query (repeatable); see above")
	f.add(cmd.Flags())
	return cmd
}

func newFlags() *flags {
	return &flags{in: os.Stdin, terminal: term.IsTerminal(int(os.Stdin.Fd()))}
}

// add adds the flags that init and profile have in common.
func (f *flags) add(v *pflag.FlagSet) {
	v.StringSliceVar(&f.unit, "unit", nil, "the columns that together identify one privacy unit, or row")
	v.IntVar(&f.maxRows, "max-rows", 0, "the most rows of one unit that count")
	v.StringVar(&f.epsilon, "epsilon", "", "epsilon of the release")
	v.StringVar(&f.delta, "delta", "", "delta of the release, far below 1 / number of units")
	v.StringVar(&f.totalEpsilon, "budget-epsilon", "",
		"epsilon of all releases of these data together; default: --epsilon")
	v.StringVar(&f.totalDelta, "budget-delta", "",
		"delta of all releases of these data together; default: --delta")
	v.StringVar(&f.name, "name", "", "the job's name; absent: made of the file's")
	v.StringVar(&f.dataset, "dataset", "", "the name of the data in the ledger; absent: the job's name")
	v.StringVar(&f.ledger, "ledger", "sqlite:ledger.db", "the ledger's store")
	v.StringVar(&f.dir, "out", "out", "the release folder")
	v.StringVar(&f.out, "job", "", "the file to write; absent: stdout")
	v.BoolVar(&f.force, "force", false, "replace the file if it is there")
}

func (f *flags) run(ctx context.Context, c *console.Console, files []string) error {
	j, err := f.table(ctx, files)
	if err != nil {
		return err
	}
	if err := f.decide(c, j); err != nil {
		return err
	}
	text := j.Text()
	path := f.out
	if path == "" {
		path = "job.yaml"
	}
	plan, err := j.try(ctx, path, text)
	if err != nil {
		return err
	}
	if j.limitGroups(plan) {
		text = j.Text()
		if _, err := j.try(ctx, path, text); err != nil {
			return err
		}
	}
	if f.out == "" {
		return c.Print(text)
	}
	if err := write(f.out, text, f.force); err != nil {
		return err
	}
	c.Note("wrote " + console.Here(f.out) + "; next: release plan " + console.Here(f.out))
	return nil
}

// table reads the columns of the first file. It assumes that all files have the same columns, which the plan of a run
// checks.
func (f *flags) table(ctx context.Context, files []string) (*Job, error) {
	for _, file := range files {
		if a, err := store.ParseAddress(file); err == nil && a.Scheme == "https" && a.Options != "" &&
			!strings.HasPrefix(a.Options, "${env:") {
			return nil, console.Usagef("the query of a web address is a credential, and the job is published: set a variable " +
				"to it, and write https://host/path?${env:NAME}, in quotes")
		}
	}
	t, err := columns.OpenTable(ctx, files[0])
	if err != nil {
		return nil, columns.Error(files[0], err)
	}
	if len(t.Names) == 0 {
		return nil, columns.Error(files[0], columns.ErrNoTable)
	}
	if f.profile {
		if err := f.declare(t); err != nil {
			return nil, err
		}
	}
	j := &Job{Name: f.name, Unit: f.unit, MaxRows: f.maxRows, Epsilon: f.epsilon, Delta: f.delta, Dir: f.dir,
		Store: f.ledger, Dataset: f.dataset, Table: t, Declared: f.profile}
	for _, file := range files {
		j.Files = append(j.Files, f.relative(file))
	}
	if j.Name == "" {
		base, _, _ := strings.Cut(columns.Base(files[0]), ".")
		j.Name = strings.Trim(notNameBytes.ReplaceAllString(strings.ToLower(base), "-"), "-")
	}
	if j.Name == "" {
		j.Name = "release"
	}
	if j.Dataset == "" {
		j.Dataset = j.Name
	}
	if said := source.FormatOf(columns.Base(files[0])); said != string(t.Format) {
		j.Format = t.Format
	}
	return j, nil
}

// relative returns a path in the job's form: relative to the job's file. A URL does not change.
func (f *flags) relative(file string) string {
	if store.IsAddress(file) {
		return file
	}
	from, err1 := filepath.Abs(filepath.Dir(f.out))
	to, err2 := filepath.Abs(file)
	if err1 != nil || err2 != nil {
		return file
	}
	if rel, err := filepath.Rel(from, to); err == nil {
		return filepath.ToSlash(rel)
	}
	return file
}

// decide applies the flags to the job, and asks at the terminal for the rest.
func (f *flags) decide(c *console.Console, j *Job) error {
	if slices.Equal(f.unit, []string{"row"}) {
		j.Unit = nil
	}
	if missing := f.missing(); len(missing) > 0 {
		if !f.terminal {
			return console.Usagef("%s must be given: nothing has a default that decides about privacy",
				strings.Join(missing, ", "))
		}
		if err := f.interview(c, j); err != nil {
			return err
		}
	}
	j.TotalEpsilon, j.TotalDel = f.totalEpsilon, f.totalDelta
	if j.TotalEpsilon == "" {
		j.TotalEpsilon = j.Epsilon
	}
	if j.TotalDel == "" {
		j.TotalDel = j.Delta
	}
	if f.profile {
		var left []string
		if j.Questions, left = j.describe(); len(left) > 0 {
			c.Note("the job does not describe " + console.OneLine(strings.Join(left, ", ")) + ": no query takes them")
		}
	}
	for _, ask := range f.asks {
		q, err := Parse(ask)
		if err != nil {
			return console.Usagef("--ask: %v", err)
		}
		j.Questions = append(j.Questions, q)
	}
	return j.checkColumns()
}

// missing returns the names of the flags that must be given if nobody can be asked.
func (f *flags) missing() (names []string) {
	for _, m := range []struct {
		flag   string
		absent bool
	}{
		{"--unit", len(f.unit) == 0}, {"--max-rows", f.maxRows <= 0 && !slices.Equal(f.unit, []string{"row"})},
		{"--epsilon", f.epsilon == ""}, {"--delta", f.delta == ""}, {"--ask", len(f.asks) == 0 && !f.profile},
	} {
		if m.absent {
			names = append(names, m.flag)
		}
	}
	return names
}

// checkColumns refuses columns that the table does not have.
func (j *Job) checkColumns() error {
	for _, used := range j.usedColumns() {
		if !slices.Contains(j.Table.Names, used) {
			return console.Usagef("the table has no column %s; its columns are %s", console.OneLine(used),
				console.OneLine(strings.Join(j.Table.Names, ", ")))
		}
	}
	return nil
}

// positive parses a positive integer; 0 if s is not one.
func positive(s string) int {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		return 0
	}
	return int(n)
}

// limitGroups sets, in the queries for means of groups, the minimum count that the plan proposes. It returns false if
// there are no such queries.
func (j *Job) limitGroups(plan *pipeline.Plan) (limited bool) {
	for i := range j.Questions {
		j.Questions[i].MinCount = plan.ProposedMinCount(i)
		limited = limited || j.Questions[i].MinCount > 0
	}
	return limited
}

// try makes the job's plan and checks it against the table's columns, so that init never writes a job that cannot run.
func (j *Job) try(ctx context.Context, path, text string) (*pipeline.Plan, error) {
	var plan *pipeline.Plan
	job, diags := configs.Parse(path, []byte(text), configs.ParseOptions{Env: os.LookupEnv})
	if len(diags) == 0 {
		plan, diags = pipeline.New(job, func(file, column string, aligned bool) ([]string, error) {
			return source.ReadColumn(ctx, file, column, aligned)
		})
	}
	if len(diags) == 0 {
		d, err := source.Open(ctx, j.Table.Source())
		if err != nil {
			return nil, columns.Error(j.Table.Path, err)
		}
		defer d.Close()
		diags = plan.Check(d.Schema())
	}
	if len(diags) == 0 {
		return plan, nil
	}
	var lines []string
	for _, d := range diags {
		line := d.Message
		if d.Hint != "" {
			line += " (" + d.Hint + ")"
		}
		lines = append(lines, console.OneLine(line))
	}
	return nil, console.Usagef("no job can be made of these answers: %s", strings.Join(lines, "; "))
}

// write writes the job, over an older file only if force is set.
func write(path, text string, force bool) error {
	mode := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if force {
		mode = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	if err := regular.Replaceable(path); err != nil {
		return console.Usagef("%s is not a regular file: name a file for the job", console.Here(path))
	}
	file, err := os.OpenFile(path, mode, 0o644)
	if errors.Is(err, os.ErrExist) {
		return console.Usagef("%s is there already; --force replaces it", console.Here(path))
	}
	if err == nil {
		_, err = file.WriteString(text)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return &pipeline.Error{Cause: pipeline.CauseOutput, Code: "output", Message: console.Here(path) + " can't be written",
			Hint: "is the folder there, and may this user write to it?"}
	}
	return nil
}
