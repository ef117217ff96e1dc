// Package aggregate is the verb aggregate, which aggregates the rows of one shard and writes the encrypted result to a
// file. It also has what the verb merge needs to make a release from such files: the key of the run, and an engine that
// reads the files.
package aggregate

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/jobs"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/runjob"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
	"github.com/dprelease/dprelease/pipeline/partial"
)

const aggregateLong = `aggregate adds up one of several shards of a job's input, and writes the result to a file,
encrypted under the key of the run.

So any scheduler can spread a job over machines: each process adds up one shard, and release merge makes the release
from all files. Shard I of N reads the I-th part of the input's row groups, record batches and pieces of CSV files. It
charges nothing and needs no ledger.

  release aggregate JOB --new-key run.key                               once, where the ledger is
  release aggregate JOB --key run.key --shard 1/3 --out shard-1.part    for each of the shards, anywhere
  release merge JOB --key run.key shard-*.part                          once, where the ledger is

With --partitions M the files of a shard are split by units, so that M processes can share the work of merging: see
release merge --help.

A key is for one run: all its shards have the same one, from a file that only its owner can read or from the variable ` + KeyVariable + `.
Whoever has it can read the files, which are as private as the input; delete both after the release. A shard that is run again replaces its
file. A file is there when it is complete, and not before.`

// KeyVariable is the environment variable with the key of a run, used if --key is not given.
const KeyVariable = "DPRELEASE_RUN_KEY"

// verb holds the flags of the verb aggregate.
type verb struct {
	*console.Console
	jobs.Flags
	version func() string
	key     string
	newKey  string
	shard   string
	out     string
	// partitions is the number of files that are written: each has the units of one partition. If it is 0, one file has
	// all units.
	partitions int
}

// Command returns the verb aggregate. version returns the name of this build of the program, for which it may have to
// hash the executable; so it is called only when a shard is aggregated.
func Command(c *console.Console, version func() string) *cobra.Command {
	v := &verb{Console: c, version: version}
	cmd := &cobra.Command{
		Use: "aggregate JOB", Short: "Add up one shard of a job's input, for release merge", Long: aggregateLong,
		Args:    cobra.ExactArgs(1),
		Example: "  release aggregate job.yaml --key run.key --shard 2/7 --out parts/2.part",
		RunE: func(cmd *cobra.Command, args []string) error {
			if v.newKey != "" {
				return v.makeKey(cmd.Context(), args[0])
			}
			return v.aggregate(cmd.Context(), args[0])
		},
	}
	v.AddParams(cmd)
	v.AddWorkers(cmd)
	v.AddMemoryLimit(cmd)
	v.AddTmpDir(cmd)
	v.AddNewLedger(cmd)
	AddKey(cmd, &v.key)
	cmd.Flags().StringVar(&v.newKey, "new-key", "",
		"make the key of a run in this file, and do nothing else; needs the ledger")
	cmd.Flags().StringVar(&v.shard, "shard", "", "which shard of how many: 1/7 to 7/7")
	cmd.Flags().StringVar(&v.out, "out", "", "the file for the shard's totals")
	cmd.Flags().IntVar(&v.partitions, "partitions", 0,
		"write this many files, named FILE.1, FILE.2, …, each with the units of one partition, for release merge --partition")
	return cmd
}

// AddKey adds the flag --key.
func AddKey(cmd *cobra.Command, path *string) {
	cmd.Flags().StringVar(path, "key", "", "the file with the key of the run, instead of the variable "+KeyVariable)
}

// makeKey writes a new key for the job's ledger.
func (v *verb) makeKey(ctx context.Context, path string) error {
	if v.shard != "" || v.out != "" || v.key != "" || v.partitions != 0 {
		return console.Usagef("--new-key makes a key and nothing else: leave --key, --shard, --out and --partitions out")
	}
	plan, err := v.Load(ctx, v.Console, path)
	if err != nil {
		return err
	}
	dir, err := v.Dir(plan)
	if err != nil {
		return err
	}
	book, err := v.OpenLedgerOf(ctx, plan, dir)
	if err != nil {
		return err
	}
	defer book.Close() // nothing is lost: the ledger was only read
	input, err := book.InputKey(ctx)
	if err != nil {
		return pipeline.LedgerError("read the key of the input's digest", err)
	}
	key, err := partial.NewKey(input)
	if err != nil {
		return &pipeline.Error{Cause: pipeline.CauseInside, Code: "random", Message: "no random bytes"}
	}
	if err := writeKey(v.newKey, key); err != nil {
		return err
	}
	if v.Quiet {
		return nil
	}
	return v.Printf("%s: the key of a run, for release aggregate and release merge; delete it after the release\n",
		v.newKey)
}

// aggregate aggregates a shard and writes its files.
func (v *verb) aggregate(ctx context.Context, path string) error {
	shard, err := parseShard(v.shard)
	switch {
	case err != nil:
		return err
	case v.out == "":
		return console.Usagef("--out: name the file for the shard's totals")
	case v.partitions < 0 || v.partitions == 1 || v.partitions > maxPartitions:
		return console.Usagef("--partitions must be from 2 to %d", maxPartitions)
	case v.Workers < 1:
		return console.Usagef("--workers must be at least 1")
	}
	key, err := ReadKey(v.key)
	if err != nil {
		return err
	}
	plan, err := v.Load(ctx, v.Console, path)
	if err != nil {
		return err
	}
	if err := cmp.Or(plan.CheckParts(), plan.Accurate()); err != nil {
		return err
	}
	limits, err := v.Limits(plan)
	if err != nil {
		return err
	}
	jobs.KeepTo(limits.Memory)
	for _, path := range v.files() {
		if err := vacant(path); err != nil {
			return err
		}
	}
	if err := v.write(ctx, plan, key, shard, limits); err != nil {
		return err
	}
	if v.Quiet {
		return nil
	}
	if v.partitions > 0 {
		return v.Printf("%s.1 to .%d: shard %d of %d\n", v.out, v.partitions, shard.Number, shard.Of)
	}
	return v.Printf("%s: shard %d of %d\n", v.out, shard.Number, shard.Of)
}

// maxPartitions is the maximum number of partitions. A shard keeps one open file for each.
const maxPartitions = 256

// files returns the paths of the files that a shard writes.
func (v *verb) files() []string {
	if v.partitions == 0 {
		return []string{v.out}
	}
	all := make([]string, v.partitions)
	for i := range all {
		all[i] = fmt.Sprintf("%s.%d", v.out, i+1)
	}
	return all
}

func (v *verb) write(ctx context.Context, plan *pipeline.Plan, key partial.Key, shard local.Shard,
	limits local.Limits) error {
	if plan.Job().Input.SQL != nil {
		return &pipeline.Error{
			Cause: pipeline.CauseJob, Code: "input-option", Message: "the input is a table of a database, which has no shards",
			Hint: "release run reads it, or lets the database add its rows up; see docs/howto/databases.md",
		}
	}
	engine, err := runjob.Opener(plan, limits, func(context.Context) ([]byte, error) {
		return key.InputKey(),
			nil
	})(ctx)
	if err != nil {
		return pipeline.InputError(err)
	}
	defer engine.Close()
	if diags := plan.Check(engine.Schema()); len(diags) > 0 {
		return &pipeline.Error{Cause: pipeline.CauseJob, Code: "schema", Message: "the job does not fit the input",
			Err: diags}
	}
	reader, ok := engine.(*local.Engine)
	if !ok {
		return &pipeline.Error{Cause: pipeline.CauseInside, Code: "internal", Message: "this engine has no shards"}
	}
	o, done := v.Observer()
	defer done()
	return replaceFiles(v.files(), func(to []io.Writer) error {
		return pipeline.InputError(reader.AggregateShard(ctx, plan, o, shard, key, v.version(), to...))
	})
}

// maxShards is the maximum number of shards.
const maxShards = 1 << 20

func parseShard(text string) (local.Shard, error) {
	i, n, ok := parseNumber(text, maxShards)
	if !ok {
		return local.Shard{}, console.Usagef("--shard %q: write which shard of how many, such as --shard 2/7", text)
	}
	return local.Shard{Number: i, Of: n}, nil
}

// parseNumber parses i/n, such as 2/7. n is at most limit.
func parseNumber(text string, limit int) (i, n int, ok bool) {
	number, of, _ := strings.Cut(text, "/")
	i, err := strconv.Atoi(number)
	n, err2 := strconv.Atoi(of)
	return i, n, err == nil && err2 == nil && i >= 1 && n >= i && n <= limit
}

// Merge merges one partition's files of all shards into one file.
type Merge struct {
	Partition string // the partition, such as 2/4
	To        string // the path of the merged file
}

// Run merges the files. It charges nothing and needs no ledger.
func (m Merge) Run(ctx context.Context, c *console.Console, f *jobs.Flags, job, keyFile string, paths []string,
	version string) error {
	i, n, ok := parseNumber(m.Partition, maxPartitions)
	switch {
	case !ok || n < 2:
		return console.Usagef("--partition %q: write which partition of how many, such as --partition 2/4", m.Partition)
	case f.Workers < 1:
		return console.Usagef("--workers must be at least 1")
	}
	key, err := ReadKey(keyFile)
	if err != nil {
		return err
	}
	plan, err := f.Load(ctx, c, job)
	if err != nil {
		return err
	}
	if err := plan.CheckParts(); err != nil {
		return err
	}
	limits, err := f.Limits(plan)
	if err != nil {
		return err
	}
	jobs.KeepTo(limits.Memory)
	if err := cmp.Or(vacant(m.To), apart(m.To, paths)); err != nil {
		return err
	}
	o, done := c.Observer()
	err = replaceFiles([]string{m.To}, func(to []io.Writer) error {
		return pipeline.InputError(local.MergePartition(ctx, paths, key, plan, version, local.Partition{Number: i, Of: n},
			limits, o, to[0]))
	})
	done()
	if err != nil || c.Quiet {
		return err
	}
	return c.Printf("%s: partition %d of %d\n", m.To, i, n)
}

// Opener returns a function that opens the files of shards as a plan's input. The function reads the key of the run
// from a file or from the environment, and fails if the key belongs to another ledger. Opener itself reads nothing.
func Opener(plan *pipeline.Plan, book *ledger.Book, keyFile string, paths []string, version string,
	l local.Limits) func(context.Context) (pipeline.Engine, error) {
	return func(ctx context.Context) (pipeline.Engine, error) {
		key, err := ReadKey(keyFile)
		if err != nil {
			return nil, &pipeline.Error{Cause: pipeline.CauseJob, Code: "key", Message: "the key of the run", Err: err}
		}
		input, err := book.InputKey(ctx)
		if err != nil {
			return nil, pipeline.LedgerError("read the key of the input's digest", err)
		}
		if !bytes.Equal(input, key.InputKey()) {
			return nil, &pipeline.Error{
				Cause: pipeline.CauseInput, Code: "shard-foreign", Message: "the key of the run was made for another ledger",
				Hint: "nothing was spent; make a key with release aggregate JOB --new-key FILE where this ledger is, and " +
					"aggregate the shards again",
			}
		}
		return local.OpenParts(paths, key, plan, version, l)
	}
}

// ReadKey reads the key of a run from a file or, if path is empty, from the environment.
func ReadKey(path string) (partial.Key, error) {
	text := os.Getenv(KeyVariable)
	where := KeyVariable
	switch {
	case path != "":
		where = path
		raw, err := readKey(path)
		if err != nil {
			return partial.Key{}, err
		}
		text = string(raw)
	case text == "":
		return partial.Key{}, console.Usagef("--key: name the file with the key of the run, which release aggregate JOB " +
			"--new-key FILE makes")
	}
	key, err := partial.ParseKey(text)
	if err != nil {
		return key, console.Usagef("--key: %s holds no key of a run", where)
	}
	return key, nil
}
