package beam

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/wiring"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
	"github.com/dprelease/dprelease/pipeline/partial"
)

// Task tells workers about a run. It is part of the pipeline, which runners can read, so nothing of the job or its
// input is in it unencrypted.
type Task struct {
	Program string // the program's version
	// Encrypted is a brief, encrypted under the key of the run.
	Encrypted []byte
	// Buckets is the number of buckets over which the units are spread.
	Buckets int
	// Memory is the memory that each function should use at most, in bytes. Scratch is the folder for data that does
	// not fit; "" is the system's temp directory.
	Memory  int64
	Scratch string
	// Out is the prefix of the names of the files that hold the result.
	Out string
	// Messages is the prefix of the paths of the files by which workers send each other messages, in a folder that all
	// of them see. If it is "", the runner carries the messages.
	Messages string
}

// brief holds the instructions to workers that runners must not see.
//
// The URL of a store may have a signature or options after its question mark. Although the brief is encrypted, it holds
// them only if they are written in the job: references ${env:NAME} in the job's text are not replaced, since each
// worker reads the variable from its own environment, and the brief does not name public files.
type brief struct {
	// Path is the job file's absolute path, from which workers resolve relative file names. Job is its text.
	Path   string
	Job    []byte
	Params map[string]string
	// Public are the columns of the job's public files, in the order in which a plan reads them.
	Public []publicColumn
	// Run is the plan's run fingerprint. Schema has those columns of the input that the plan uses.
	Run    string
	Schema []table.Field
	// Input is the fingerprint of the input that the submitter found (local.Engine.Fingerprint).
	Input []byte
}

// publicColumn is a column of a public file, with its values.
type publicColumn struct {
	Column string
	Values []string
}

// NewTask makes the task of a job and opens its input. path is the absolute path that the job file has or would have,
// text is its content. The caller closes the engine.
func NewTask(ctx context.Context, path string, text []byte, params map[string]string, key partial.Key,
	program string) (*Task, *local.Engine, error) {
	b := &brief{Path: path, Job: text, Params: params}
	plan, err := b.readPlan(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := plan.CheckParts(); err != nil {
		return nil, nil, err
	}
	engine, err := open(ctx, plan, key, local.Limits{Workers: 1})
	if err != nil {
		return nil, nil, err
	}
	t, err := b.task(plan, engine, key, program)
	if err != nil {
		_ = engine.Close() // nothing is lost: nothing was read
		return nil, nil, err
	}
	return t, engine, nil
}

// NewPlan returns the plan of a job in a file. It opens no input.
func NewPlan(ctx context.Context, path string, text []byte, params map[string]string) (*pipeline.Plan, error) {
	return (&brief{Path: path, Job: text, Params: params}).readPlan(ctx)
}

// readPlan makes the plan. It keeps the columns of public files that the plan reads, to send them to the workers.
func (b *brief) readPlan(ctx context.Context) (*pipeline.Plan, error) {
	return b.planWith(os.LookupEnv, func(file, column string, aligned bool) ([]string, error) {
		values, err := source.ReadColumn(ctx, file, column, aligned)
		b.Public = append(b.Public, publicColumn{column, values})
		return values, err
	})
}

// task checks the plan against the input's schema, completes the brief with the run, the schema and the input's
// fingerprint, and returns a Task that has the brief encrypted.
func (b *brief) task(plan *pipeline.Plan, engine *local.Engine, key partial.Key, program string) (*Task, error) {
	if diags := plan.Check(engine.Schema()); len(diags) > 0 {
		return nil, diags
	}
	b.Run, b.Schema = plan.Fingerprint(), used(plan, engine.Schema())
	var err error
	if b.Input, err = engine.Fingerprint(); err != nil {
		return nil, err
	}
	message, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	encrypted, err := key.Encrypt(message)
	return &Task{Program: program, Encrypted: encrypted}, err
}

// brief decrypts the instructions to the workers.
func (t *Task) brief(key partial.Key) (*brief, error) {
	message, err := key.Decrypt(t.Encrypted)
	if err != nil {
		return nil, OtherKey.with(err.Error())
	}
	b := &brief{}
	if err := json.Unmarshal(message, b); err != nil {
		return nil, OtherPlan.with("what the submitter says has another form")
	}
	return b, nil
}

// used returns the fields of the schema that the plan reads, and the fields that the job's events name: these are
// checked although no query reads them.
func used(plan *pipeline.Plan, schema table.Schema) (fields []table.Field) {
	names := slices.Clone(plan.Columns())
	for _, e := range plan.Job().Input.Events {
		names = append(names, slices.Sorted(maps.Values(e))...)
	}
	for _, name := range names {
		f, ok := schema.Lookup(name)
		if ok && !slices.ContainsFunc(fields, func(o table.Field) bool { return o.Name == name }) {
			fields = append(fields, f)
		}
	}
	return fields
}

func (b *brief) planWith(env func(string) (string, bool), read pipeline.ReadColumn) (*pipeline.Plan, error) {
	job, diags := configs.Parse(b.Path, b.Job, configs.ParseOptions{Params: b.Params, Env: env,
		CheckStep: pipeline.CheckStep})
	if len(diags) > 0 {
		return nil, diags
	}
	plan, diags := pipeline.New(job, read)
	if len(diags) > 0 {
		return nil, diags
	}
	return plan, nil
}

// plan makes the plan on a worker. If the worker lacks an environment variable, plan uses a made-up value in its place
// (missingMark). It is valid as the name of a ledger, which a worker does not need. If the variable decides the run's
// fingerprint, the fingerprint differs and the worker fails. If the variable is part of a URL of the input, the made-up
// value is in the URL and the worker fails, too.
func (b *brief) plan() (*pipeline.Plan, error) {
	var missing []string
	read := 0
	plan, err := b.planWith(func(name string) (string, bool) {
		value, ok := os.LookupEnv(name)
		if !ok {
			missing, value = append(missing, name), missingMark+name
		}
		return value, true
	}, func(_, column string, _ bool) ([]string, error) {
		if read == len(b.Public) || b.Public[read].Column != column {
			return nil, errors.New("the submitter did not read this public file")
		}
		read++
		return b.Public[read-1].Values, nil
	})
	slices.Sort(missing)
	switch missing = slices.Compact(missing); {
	case err == nil && plan.Fingerprint() == b.Run && !slices.ContainsFunc(plan.Job().Input.Files,
		func(f string) bool { return strings.Contains(f, missingMark) }):
		return plan, nil
	case len(missing) > 0:
		return nil, NoVariable.with("of those that the job names, these are not set: " + strings.Join(missing, ", "))
	}
	return nil, OtherPlan.with("the run fingerprint differs")
}

// missingMark begins the value that a worker uses for a missing variable. The whole value is a valid ledger store.
const missingMark = "sqlite:this-worker-lacks-"

// limits returns the limits on goroutines and memory of one call of a function.
func (t *Task) limits() local.Limits {
	return local.Limits{Workers: 1, Memory: t.Memory, Scratch: t.Scratch}
}

func open(ctx context.Context, plan *pipeline.Plan, key partial.Key, l local.Limits) (*local.Engine, error) {
	options := wiring.SourceOptions(plan.Job())
	options.Key, options.Workers = key.InputKey(), 1
	data, err := source.Open(ctx, options)
	if err != nil {
		return nil, err
	}
	return local.NewWithin(data, l), nil
}

// workerKey returns the key of the run from the worker's environment.
func workerKey() (partial.Key, error) {
	key, err := partial.ParseKey(os.Getenv(KeyVariable))
	if err != nil {
		return key, NoKey.with("")
	}
	return key, nil
}
