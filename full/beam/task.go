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

// Task is what workers are told of a run. It is part of the pipeline, which runners keep as it is: nothing in it that
// they can read is of the job or of its input.
type Task struct {
	Program string // the program's version
	// Encrypted is a brief, encrypted under the key of the run.
	Encrypted []byte
	// Buckets is how many buckets the units are spread over.
	Buckets int
	// Memory is what each function should use at most, in bytes, and Scratch the folder for what does not fit; "" is the
	// system's.
	Memory  int64
	Scratch string
	// Out is the beginning of the names of the files that hold the result.
	Out string
	// Messages is the beginning of the paths of files by which the workers send each other messages, in a folder that all
	// of them see; if it is "", the runner takes the messages.
	Messages string
}

// brief is what workers are told and runners are not.
//
// An address of a store may have a signature or options behind its question mark. They are in no brief, though it is
// encrypted, unless the job's text has them: the text has ${env:NAME} as it was written, each worker takes the variable
// from its own environment, and public files have no names.
type brief struct {
	// Path is the job file's absolute path, from which relative names of files start on the workers too; Job is its text.
	Path   string
	Job    []byte
	Params map[string]string
	// Public are the columns of the job's public files, in the order in which a plan reads them.
	Public []publicColumn
	// Run is the plan's run fingerprint. Schema has the columns of the input that the plan uses.
	Run    string
	Schema []table.Field
	// Input is the fingerprint of the input as the submitter found it (local.Engine.Fingerprint).
	Input []byte
}

// publicColumn is a column of a public file.
type publicColumn struct {
	Column string
	Values []string
}

// NewTask makes the task of a job with a text, whose file is or would be at an absolute path, and opens its input. The
// engine is to be closed.
func NewTask(ctx context.Context, path string, text []byte, params map[string]string, key partial.Key,
	program string) (*Task, *local.Engine, error) {
	b := &brief{Path: path, Job: text, Params: params}
	plan, err := b.planWith(os.LookupEnv, func(file, column string, aligned bool) ([]string, error) {
		values, err := source.ReadColumn(ctx, file, column, aligned)
		b.Public = append(b.Public, publicColumn{column, values})
		return values, err
	})
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
		_ = engine.Close() // nothing was read
		return nil, nil, err
	}
	return t, engine, nil
}

// task encrypts the brief of a plan over an input.
func (b *brief) task(plan *pipeline.Plan, engine *local.Engine, key partial.Key, program string) (*Task, error) {
	if diags := plan.Check(engine.Schema()); len(diags) > 0 {
		return nil, diags
	}
	b.Run, b.Schema = plan.Run(), used(plan, engine.Schema())
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

// brief decrypts what the workers are told.
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

// used returns the fields of a schema that a plan reads, and those that its events name, which it checks though no
// query reads them.
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
	job, diags := configs.Parse(b.Path, b.Job, configs.ParseOptions{Params: b.Params, Env: env, CheckStep: pipeline.CheckStep})
	if len(diags) > 0 {
		return nil, diags
	}
	plan, diags := pipeline.New(job, read)
	if len(diags) > 0 {
		return nil, diags
	}
	return plan, nil
}

// plan makes the plan on a worker. A variable of the environment that the worker does not have is taken to be the
// ledger's store, which it does not need. If the variable decides the run's fingerprint, the fingerprint differs; if it
// is of the input's addresses, they have a mark in its place.
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
	case err == nil && plan.Run() == b.Run && !slices.ContainsFunc(plan.Job().Input.Files,
		func(f string) bool { return strings.Contains(f, missingMark) }):
		return plan, nil
	case len(missing) > 0:
		return nil, NoVariable.with("of those that the job names, these are not set: " + strings.Join(missing, ", "))
	}
	return nil, OtherPlan.with("the run fingerprint differs")
}

// missingMark begins what a worker takes for the value of a variable that it does not have. It can be the store of a
// ledger.
const missingMark = "sqlite:this-worker-lacks-"

// limits returns those of each function.
func (t *Task) limits() local.Limits {
	return local.Limits{Workers: 1, Memory: t.Memory, Scratch: t.Scratch}
}

// open opens the input of a plan.
func open(ctx context.Context, plan *pipeline.Plan, key partial.Key, l local.Limits) (*local.Engine, error) {
	options := wiring.SourceOptions(plan.Job())
	options.Key, options.Workers = key.InputKey(), 1
	data, err := source.Open(ctx, options)
	if err != nil {
		return nil, err
	}
	return local.NewWithin(data, l), nil
}

// workerKey returns the key of the run that the worker has in its environment.
func workerKey() (partial.Key, error) {
	key, err := partial.ParseKey(os.Getenv(KeyVariable))
	if err != nil {
		return key, NoKey.with("")
	}
	return key, nil
}
