package initjob

import (
	"cmp"
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
	"github.com/dprelease/dprelease/cmd/release/internal/jobs"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/private"
	"github.com/dprelease/dprelease/internal/regular"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/store"
	"github.com/dprelease/dprelease/pipeline"
)

const initLong = `init writes a first job for a table, with comments, to a file or to stdout. FILE may be a URL,
https://host/path or s3://bucket/key. It reads the footer of Parquet and Arrow files, and of texts the first 256 KiB:
names, types, delimiter, header, encoding. The job holds nothing else of the table. Types and null_values of texts are
proposals from values of these rows, also of single ones, and a release publishes them with its job: correct them by
what is known without the rows.

Whom does the guarantee protect (--unit), what do you want to know (--ask), and how much may be given away (--epsilon,
--delta)? What no flag says, init asks on a terminal. Nothing that decides about privacy has a default.

` + Grammar

// flags holds the flags of the verbs init and profile.
type flags struct {
	Job               // what the flags say about the job; the table and the answers complete it
	unit     []string // --unit as it was given; may be row
	asks     []string
	out      string
	force    bool
	profile  bool     // the verb is profile, whose queries are about all columns
	types    []string // the column types that --types states, for profile
	in       io.Reader
	terminal bool
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
	v.IntVar(&f.MaxRows, "max-rows", 0, "the most rows of one unit that count")
	v.StringVar(&f.Epsilon, "epsilon", "", "epsilon of the release")
	v.StringVar(&f.Delta, "delta", "", "delta of the release, far below 1 / number of units")
	v.StringVar(&f.TotalEpsilon, "budget-epsilon", "",
		"epsilon of all releases of these data together; default: --epsilon")
	v.StringVar(&f.TotalDel, "budget-delta", "",
		"delta of all releases of these data together; default: --delta")
	v.StringVar(&f.Name, "name", "", "the job's name; absent: made of the file's")
	v.StringVar(&f.Dataset, "dataset", "", "the name of the data in the ledger; absent: the job's name")
	v.StringVar(&f.Store, "ledger", "sqlite:ledger.db", "the ledger's store")
	v.StringVar(&f.Dir, "out", "out", "the release folder")
	v.StringVar(&f.out, "job", "", "the file to write; absent: stdout")
	v.BoolVar(&f.force, "force", false, "replace the file if it is there")
}

func (f *flags) run(ctx context.Context, c *console.Console, files []string) error {
	if err := f.checkPlace(); err != nil {
		return err
	}
	if err := f.lookAt(ctx, files); err != nil {
		return err
	}
	for _, note := range f.Table.Notes() {
		c.Note(console.Here(files[0]) + ": " + note)
	}
	asked, err := f.decide(ctx, c)
	if err == nil {
		err = f.finish(ctx, c)
	}
	switch {
	case asked && err != nil:
		c.Errorf("note: nothing was written; these flags are the answers so far: %s\n", f.answers())
	case asked && f.out == "":
		c.Note("the job is on stdout only; --job FILE and these flags, your answers, write it to a file: " + f.answers())
	}
	return err
}

// checkPlace returns an error if the job cannot be written to its place. It runs before anything is asked.
func (f *flags) checkPlace() error {
	if f.out == "" {
		return nil
	}
	if err := regular.Replaceable(f.out); errors.Is(err, regular.ErrNotRegular) {
		return console.Usagef("%s is not a regular file: name a file for the job", console.Here(f.out))
	} else if err != nil {
		return console.WriteError(f.out, err)
	}
	if _, err := os.Lstat(f.out); err == nil && !f.force {
		return console.Usagef("%s is there already; --force replaces it", console.Here(f.out))
	}
	return nil
}

// finish writes the job after all its values were decided.
func (f *flags) finish(ctx context.Context, c *console.Console) error {
	text, err := f.text(ctx, &f.Job)
	if err != nil {
		return err
	}
	if f.out == "" {
		return c.Print(text)
	}
	if f.force {
		mode := os.FileMode(0o644)
		if info, err := os.Stat(f.out); err == nil {
			mode = info.Mode().Perm()
		}
		err = regular.Replace(f.out, mode, func(file *os.File) error {
			_, err := file.WriteString(text)
			return err
		})
	} else {
		err = regular.Create(f.out, []byte(text), 0o644) // never over a file made while init asked
	}
	if err != nil {
		return console.WriteError(f.out, err)
	}
	c.Note("wrote " + console.Here(f.out) + "; next: release plan " + private.ShellWord(console.Here(f.out)))
	return nil
}

// lookAt reads the columns of the first file. It assumes that all files have the same columns, which the plan of a run
// checks.
func (f *flags) lookAt(ctx context.Context, files []string) (err error) {
	for _, file := range files {
		if a, err := store.ParseAddress(file); err == nil && a.Scheme == "https" && a.Options != "" &&
			!strings.HasPrefix(a.Options, "${env:") {
			return console.Usagef("the query of a web address is a credential, and the job is published: set a variable " +
				"to it, and write https://host/path?${env:NAME}, in quotes")
		}
	}
	if f.Table, err = columns.OpenTable(ctx, files[0]); err != nil {
		return columns.Error(files[0], err)
	}
	if len(f.Table.Names) == 0 {
		return console.Usagef("the table %s has no columns: name a file whose rows have fields",
			console.OneLine(columns.Base(files[0])))
	}
	if f.Declared = f.profile; f.profile {
		if err := f.declare(f.Table); err != nil {
			return err
		}
	}
	for _, file := range files {
		f.Files = append(f.Files, f.relative(file))
	}
	base, _, _ := strings.Cut(columns.Base(files[0]), ".")
	f.Name = cmp.Or(f.Name, strings.Trim(notNameBytes.ReplaceAllString(strings.ToLower(base), "-"), "-"), "release")
	f.Dataset = cmp.Or(f.Dataset, f.Name)
	if said := source.FormatOf(columns.Base(files[0])); said != string(f.Table.Format) {
		f.Format = f.Table.Format
	}
	return nil
}

// relative returns a path as the job has it: relative to the folder of the job's file. A URL does not change.
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

// text returns the text of the job file. It returns an error if the job could not run.
func (f *flags) text(ctx context.Context, j *Job) (string, error) {
	path := cmp.Or(f.out, "job.yaml")
	text := j.Text()
	plan, err := j.try(ctx, path, text)
	if err == nil && j.limitGroups(plan) {
		text = j.Text()
		_, err = j.try(ctx, path, text)
	}
	return text, err
}

// answers returns the job's values as flags of init, for a shell.
func (f *flags) answers() string {
	var words []string
	add := func(flag, value string) {
		if value != "" {
			words = append(words, flag, private.ShellWord(value))
		}
	}
	add("--unit", strings.Join(f.unit, ","))
	if f.MaxRows > 0 {
		add("--max-rows", strconv.Itoa(f.MaxRows))
	}
	add("--epsilon", f.Epsilon)
	add("--delta", f.Delta)
	for _, ask := range f.asks {
		add("--ask", ask)
	}
	return console.OneLine(cmp.Or(strings.Join(words, " "), "none"))
}

// decide sets the job's values from the flags, and asks at the terminal for the others. It reports whether it asked.
func (f *flags) decide(ctx context.Context, c *console.Console) (asked bool, err error) {
	if missing := f.missing(); len(missing) > 0 {
		if !f.terminal {
			return false, console.Usagef("%s must be given: nothing has a default that decides about privacy",
				strings.Join(missing, ", "))
		}
		if err := f.interview(ctx, c); err != nil {
			return true, err
		}
		asked = true
	}
	f.complete()
	for _, given := range []struct {
		flag, value string
		check       func(string) error
	}{
		{"--epsilon", f.Epsilon, checkEpsilon}, {"--delta", f.Delta, checkDelta},
		{"--budget-epsilon", f.TotalEpsilon, checkEpsilon}, {"--budget-delta", f.TotalDel, checkDelta},
	} {
		if err := given.check(given.value); err != nil {
			return asked, console.Usagef("%s: %v", given.flag, err)
		}
	}
	if delta, err := strconv.ParseFloat(f.Delta, 64); err == nil {
		jobs.WarnOfDelta(c, f.Delta, delta)
	}
	if f.profile {
		var left []string
		if f.Questions, left = f.describe(); len(left) > 0 {
			c.Note("the job does not describe " + console.OneLine(strings.Join(left, ", ")) + ": no query takes them")
		}
	}
	for _, ask := range f.asks {
		q, err := Parse(ask)
		if err != nil {
			return asked, console.Usagef("--ask: %v", err)
		}
		f.Questions = append(f.Questions, q)
	}
	return asked, f.checkColumns()
}

// complete sets the job's unit, and the budget of all releases together, after the flags and answers that decide them.
func (f *flags) complete() {
	if f.Unit = f.unit; slices.Equal(f.unit, []string{"row"}) {
		f.Unit = nil
	}
	f.TotalEpsilon, f.TotalDel = cmp.Or(f.TotalEpsilon, f.Epsilon), cmp.Or(f.TotalDel, f.Delta)
}

// missing returns the names of the flags without which the job is incomplete, if nobody can be asked.
func (f *flags) missing() (names []string) {
	for _, m := range []struct {
		flag   string
		absent bool
	}{
		{"--unit", len(f.unit) == 0}, {"--max-rows", f.MaxRows <= 0 && !slices.Equal(f.unit, []string{"row"})},
		{"--epsilon", f.Epsilon == ""}, {"--delta", f.Delta == ""}, {"--ask", len(f.asks) == 0 && !f.profile},
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
			return noColumn(used, j.Table.Names)
		}
	}
	return nil
}

// noColumn returns the error for a column that the table does not have.
func noColumn(name string, names []string) error {
	return console.Usagef("the table has no column %s; its columns are %s", console.OneLine(name),
		console.OneLine(strings.Join(names, ", ")))
}

// positive parses a positive integer; 0 if s is not one.
func positive(s string) int {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		return 0
	}
	return int(n)
}

// limitGroups sets min_count in the queries for means of groups: the value that the plan proposes. It returns false if
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
	switch {
	case len(diags) == 0:
		return plan, nil
	case ctx.Err() != nil: // a public file was perhaps not read
		return nil, context.Cause(ctx)
	}
	return nil, console.Usagef("no job can be made of these answers: %s", strings.Join(j.faults(text, diags), "; "))
}
