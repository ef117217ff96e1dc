package beam

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/wiring"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
	"github.com/dprelease/dprelease/pipeline/partial"
)

// Task is what workers are told of a run. It is part of the pipeline, which runners keep as it is: nothing in it is private.
type Task struct {
	// Path is the job file's absolute path, from which relative names of files start on the workers too; Job is its text.
	Path   string
	Job    []byte
	Params map[string]string
	// Public are the columns of the job's public files.
	Public []PublicColumn
	// Question and Program are the plan's and the program's, and Schema has the columns of the input that the plan uses.
	Question string
	Program  string
	Schema   []table.Field
	// Buckets is how many buckets the units are spread over.
	Buckets int
	// Memory is what each function should use at most, in bytes, and Scratch the folder for what does not fit; "" is the system's.
	Memory  int64
	Scratch string
	// Out is the beginning of the names of the files that hold the result.
	Out string
	// Messages is the beginning of the paths of files by which the workers send each other messages, in a folder that all of them see; if it is "", the
	// runner takes the messages.
	Messages string
}

// PublicColumn is a column of a public file.
type PublicColumn struct {
	File, Column string
	Values       []string
}

// NewTask makes the task of a job with a text, whose file is or would be at an absolute path, and opens its input. The engine is to be closed.
func NewTask(ctx context.Context, path string, text []byte, params map[string]string, key partial.Key, program string) (*Task, *local.Engine, error) {
	t := &Task{Path: path, Job: text, Params: params, Program: program}
	plan, err := t.planWith(os.LookupEnv, func(file, column string) ([]string, error) {
		values, err := source.ReadStrings(ctx, file, column)
		t.Public = append(t.Public, PublicColumn{file, column, values})
		return values, err
	})
	if err != nil {
		return nil, nil, err
	}
	t.Question = plan.Run()
	engine, err := t.open(ctx, plan, key)
	if err != nil {
		return nil, nil, err
	}
	if diags := plan.Check(engine.Schema()); len(diags) > 0 {
		_ = engine.Close() // nothing was read
		return nil, nil, diags
	}
	t.Schema = used(plan, engine.Schema())
	return t, engine, nil
}

// used are the fields of a schema that a plan reads, and those that its events name, which it checks though no query reads them.
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

func (t *Task) planWith(env func(string) (string, bool), read pipeline.ReadStrings) (*pipeline.Plan, error) {
	job, diags := configs.Parse(t.Path, t.Job, configs.ParseOptions{Params: t.Params, Env: env, Judge: pipeline.JudgeStep})
	if len(diags) > 0 {
		return nil, diags
	}
	plan, diags := pipeline.New(job, read)
	if len(diags) > 0 {
		return nil, diags
	}
	return plan, nil
}

// plan makes the plan on a worker. Variables of the environment that the worker does not have are taken to be the ledger's store, which it
// does not need; if one of them decides the question, the question differs.
func (t *Task) plan() (*pipeline.Plan, error) {
	plan, err := t.planWith(func(name string) (string, bool) {
		if value, ok := os.LookupEnv(name); ok {
			return value, true
		}
		return "sqlite:elsewhere", true
	}, t.public)
	if err != nil {
		return nil, err
	}
	if plan.Run() != t.Question {
		return nil, errors.New("this worker's plan is another one: it runs another version of the program, or lacks variables of the environment that the job uses")
	}
	return plan, nil
}

func (t *Task) public(file, column string) ([]string, error) {
	for _, c := range t.Public {
		if c.File == file && c.Column == column {
			return c.Values, nil
		}
	}
	return nil, errors.New("the submitter did not read this public file")
}

func (t *Task) limits() local.Limits {
	return local.Limits{Workers: 1, Memory: t.Memory, Scratch: t.Scratch}
}

// open opens the input.
func (t *Task) open(ctx context.Context, plan *pipeline.Plan, key partial.Key) (*local.Engine, error) {
	options := wiring.SourceOptions(plan.Job())
	options.Key, options.Workers = key.InputKey(), 1
	data, err := source.Open(ctx, options)
	if err != nil {
		return nil, err
	}
	return local.NewWithin(data, t.limits()), nil
}

// KeyVariable holds the key of the run, for workers and for whoever submits.
const KeyVariable = "DPRELEASE_RUN_KEY"

// workerKey returns the key of the run that the worker has in its environment.
func workerKey() (partial.Key, error) {
	key, err := partial.ParseKey(os.Getenv(KeyVariable))
	if err != nil {
		return key, fmt.Errorf("the variable %s of this worker holds no key of a run", KeyVariable)
	}
	return key, nil
}
