package beam

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
	"github.com/dprelease/dprelease/pipeline/partial"
)

func init() {
	register.DoFn3x1[context.Context, Range, func(int, []byte), error](&packFn{})
	register.DoFn4x1[context.Context, int, func(*[]byte) bool, func(int, []byte), error](&boundFn{})
	register.DoFn4x1[context.Context, int, func(*[]byte) bool, func(string), error](&togetherFn{})
	register.DoFn3x0[int, []byte, func(int, []byte)](&keepFn{})
	register.Emitter2[int, []byte]()
	register.Emitter1[string]()
	register.Iter1[[]byte]()
}

// Range is a range of consecutive splits of the input.
type Range struct{ From, To int }

// Ranges divides the splits into at most n ranges, at least one.
func Ranges(splits, n int) []Range {
	n = max(1, min(n, splits))
	ranges := make([]Range, n)
	for i := range ranges {
		ranges[i].From, ranges[i].To = partial.Range(i+1, n, splits)
	}
	return ranges
}

// Build adds the task to the pipeline, divided into up to n scopes whose names begin with WorkerScope. Each scope reads
// some of the ranges and bounds some of the buckets. Prism runs the calls of one function one after the other, but runs
// functions of different scopes in parallel; it can also be made to start a worker for each scope. Use n = 1 for
// runners that distribute a function over workers themselves.
func Build(s beam.Scope, t Task, ranges []Range, n int) {
	scopes := make([]beam.Scope, max(1, min(n, len(ranges))))
	toBound := make([][]beam.PCollection, len(scopes)) // toBound[i] holds the collections of messages for scope i
	for i := range scopes {
		scopes[i] = s
		if len(scopes) > 1 {
			scopes[i] = s.Scope(fmt.Sprint(WorkerScope, i))
		}
		var mine []Range
		for k := i; k < len(ranges); k += len(scopes) {
			mine = append(mine, ranges[k])
		}
		read := beam.Reshuffle(s, beam.CreateList(s, mine)) // so that several workers read ranges
		packed := beam.ParDo(scopes[i].Scope("pack"), &packFn{Task: t}, read)
		for k := range scopes {
			kept := packed
			if len(scopes) > 1 {
				kept = beam.ParDo(scopes[i].Scope("keep"), &keepFn{Worker: k, Of: len(scopes)}, packed)
			}
			toBound[k] = append(toBound[k], kept)
		}
	}
	var bounded []beam.PCollection
	for k, scope := range scopes {
		grouped := beam.GroupByKey(s, beam.Flatten(s, toBound[k]...))
		bounded = append(bounded, beam.ParDo(scope.Scope("bound"), &boundFn{Task: t}, grouped))
	}
	beam.ParDo(s.Scope("together"), &togetherFn{Task: t}, beam.GroupByKey(s, beam.Flatten(s, bounded...)))
}

// WorkerScope begins the names of the scopes into which [Build] divides a task.
const WorkerScope = "worker-"

// keepFn passes on the messages for the buckets of one scope and drops all others. Worker is the scope's number, and Of
// the number of scopes.
type keepFn struct{ Worker, Of int }

// ProcessElement passes a message on if its bucket belongs to the scope.
func (f *keepFn) ProcessElement(bucket int, message []byte, emit func(int, []byte)) {
	if bucket%f.Of == f.Worker {
		emit(bucket, message)
	}
}

// setup holds what a copy of a function prepares once on a worker: its instructions, its plan and the key.
type setup struct {
	told *brief
	plan *pipeline.Plan
	key  partial.Key
}

// make makes the plan of the task, once for each copy of a function.
func (w *setup) make(t *Task) (err error) {
	if w.plan != nil {
		return nil
	}
	if w.key, err = workerKey(); err != nil {
		return err
	}
	if w.told, err = t.brief(w.key); err != nil {
		return err
	}
	w.plan, err = w.told.plan()
	return err
}

// open opens the input on a worker. The input must be the one that the submitter found: the same versions of the same
// objects, and files with the same names, sizes and footers. So all workers read the same table, and all later requests
// name the version.
func (w *setup) open(ctx context.Context, l local.Limits) (*local.Engine, error) {
	engine, err := open(ctx, w.plan, w.key, l)
	if err != nil {
		return nil, err
	}
	found, err := engine.Fingerprint()
	if err == nil && !bytes.Equal(found, w.told.Input) {
		err = Changed.with("the input's files are not those that the submitter found")
	}
	if err != nil {
		_ = engine.Close() // nothing is lost: nothing was read
		return nil, err
	}
	return engine, nil
}

func (w *setup) schema() table.Schema { return table.Schema{Fields: w.told.Schema} }

// packFn reads ranges of splits, and sends their rows to buckets.
type packFn struct {
	Task   Task
	made   setup
	engine *local.Engine
}

// ProcessElement sends the rows of a range to the buckets.
func (f *packFn) ProcessElement(ctx context.Context, r Range, emit func(int, []byte)) error {
	if err := f.made.make(&f.Task); err != nil {
		return err
	}
	if f.engine == nil {
		var err error
		if f.engine, err = f.made.open(ctx, f.Task.limits()); err != nil {
			return inputFault(err)
		}
	}
	to := &sender{task: &f.Task, emit: emit}
	return to.close(inputFault(f.engine.Pack(ctx, f.made.plan, f.made.key, f.Task.Program, r.From, r.To, f.Task.Buckets,
		to.send)))
}

// Teardown closes the input.
func (f *packFn) Teardown() error {
	if f.engine == nil {
		return nil
	}
	return f.engine.Close()
}

// boundFn enforces the contribution bounds for the units in a bucket.
type boundFn struct {
	Task Task
	made setup
}

// ProcessElement enforces the contribution bounds for the units in a bucket. It passes on messages without rows
// unchanged.
func (f *boundFn) ProcessElement(ctx context.Context, bucket int, next func(*[]byte) bool,
	emit func(int, []byte)) error {
	if err := f.made.make(&f.Task); err != nil {
		return err
	}
	if bucket == f.Task.Buckets {
		for m := []byte(nil); next(&m); m = nil {
			emit(0, m)
		}
		return nil
	}
	from := &receiver{task: &f.Task, next: next}
	defer from.close()
	m, err := local.BoundBucket(ctx, f.made.plan, f.made.schema(), f.made.key, f.Task.limits(), bucket, from.message)
	to := &sender{task: &f.Task, emit: emit}
	if err == nil {
		to.send(0, m)
	}
	return to.close(err)
}

// togetherFn adds up the answers of all buckets.
type togetherFn struct {
	Task Task
	made setup
}

// ProcessElement adds up all messages, writes the sum as one part, and emits the name of its file. Each attempt writes
// a file of its own. An incomplete file fails authentication.
func (f *togetherFn) ProcessElement(ctx context.Context, _ int, next func(*[]byte) bool,
	emit func(string)) (err error) {
	if err := f.made.make(&f.Task); err != nil {
		return err
	}
	var id [8]byte
	if _, err := rand.Read(id[:]); err != nil {
		return err
	}
	name := f.Task.Out + hex.EncodeToString(id[:]) + PartEnding
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return err
	}
	defer fs.Close()
	out, err := fs.OpenWrite(ctx, name)
	if err != nil {
		return err
	}
	from := &receiver{task: &f.Task, next: next}
	defer from.close()
	err = local.Together(ctx, f.made.plan, f.made.schema(), f.made.key, f.Task.limits(), from.message, out)
	if failed := out.Close(); err == nil {
		err = failed
	}
	if err == nil {
		emit(name)
	}
	return err
}

// PartEnding is the ending of the names of files that hold results.
const PartEnding = ".part"
