// Package verb is the verb beam of release-full: beam run runs a job on a runner of Apache Beam, and beam worker serves
// runners as a worker.
package verb

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	// Imported for their side effects: the reflection-free runtime, file systems and runners.
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec/optimized"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/spark"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"

	"github.com/dprelease/dprelease/cmd/release/command"
	"github.com/dprelease/dprelease/configs"
	dpbeam "github.com/dprelease/dprelease/full/beam"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/internal/regular"
	"github.com/dprelease/dprelease/internal/runjob"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/io/store"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/partial"
)

const usage = `release-full beam run JOB [flags] [-- flags of release merge]   aggregate the job's input on Apache Beam, and make the release
release-full beam worker [--port 50000]                         serve a runner as a worker (environment_type EXTERNAL)

--runner is prism (the default, on this machine), flink, spark, dataflow or universal; --endpoint, --environment_type and the other flags are
Beam's. Workers have the key of the run in the variable DPRELEASE_RUN_KEY, and see the input's files under the same names or have credentials for
its store. If the variable is set, run uses its key; else it makes one, which workers in other processes do not have:

  release-full beam run job.yaml
  release aggregate job.yaml --new-key run.key; export DPRELEASE_RUN_KEY="$(cat run.key)"
  release-full beam run job.yaml --runner=flink --endpoint=jobserver:8099 --environment_type=EXTERNAL --environment_config=localhost:50000 --parts=/shared/parts -- --out /srv/release
`

// options are the flags of the verb run, in addition to Beam's.
type options struct {
	params  params
	buckets int
	ranges  int
	memory  string
	bytes   int64 // the memory limit, in bytes
	scratch string
	parts   string
	// workers is the number of workers that share the pipeline on prism.
	workers int
	// shuffle is how workers send each other messages: shuffleRunner, shuffleFiles or "" for the runner's default.
	shuffle string
	// attempts is the maximal number of times that a failing pipeline is run.
	attempts int
	// stalled is how long a job may make no progress.
	stalled time.Duration
}

// params holds the values of --param, in order.
type params []string

func (p *params) String() string { return strings.Join(*p, " ") }

func (p *params) Set(s string) error {
	*p = append(*p, s)
	return nil
}

func (p params) values() map[string]string {
	values := map[string]string{}
	for _, s := range p {
		name, value, _ := strings.Cut(s, "=")
		values[name] = value
	}
	return values
}

// Beam returns the verb.
func Beam() command.Verb {
	return command.Verb{
		Name: "beam", Short: "Run a job on Apache Beam, or serve a runner as a worker", Version: core.SdkVersion,
		Run: run, Takes: startsWorker,
	}
}

// startsWorker reports whether a runner, or a pool, has started this process as a worker: it uses Beam's flags and no
// verb.
func startsWorker(args []string) bool { return slices.Contains(args, workerFlag) }

// workerFlag is the flag of Beam that makes a process a worker.
const workerFlag = "--worker=true"

// run runs the arguments that follow the verb and returns the exit code. In a process that a runner has started as a
// worker, it does not return.
func run(rest []string) int {
	var o options
	flag.Var(&o.params, "param", "set a parameter of the job: --param name=value (repeatable)")
	flag.IntVar(&o.buckets, "buckets", 16, "how many buckets units are spread over; each is bounded by one worker")
	flag.IntVar(&o.ranges, "ranges", 64, "into how many ranges the input is cut at most; each is read by one worker")
	flag.StringVar(&o.memory, "memory", "1GiB", "how much memory each function should use at most")
	flag.StringVar(&o.scratch, "tmp-dir", "",
		"a folder on the workers for an encrypted file of what does not fit in memory")
	flag.StringVar(&o.parts, "parts", "", "where workers write the encrypted result, and this process reads it: a "+
		"folder that all of them see, or gs://..., s3://... or az://...; by default a folder of this machine")
	flag.IntVar(&o.workers, "workers", 1, "prism as a server: how many workers share the pipeline; other runners have "+
		"flags of their own, such as --parallelism")
	flag.StringVar(&o.shuffle, "shuffle", "", "how the workers send each other encrypted rows: through the runner, or "+
		"by files under --parts (which is a folder then); by default files on prism, which holds in memory what it "+
		"shuffles, and runner on others")
	flag.IntVar(&o.attempts, "attempts", 3, "how often the pipeline is run at most: one that fails, because a worker "+
		"was killed or else, costs nothing and is run again")
	flag.DurationVar(&o.stalled, "stalled", 30*time.Minute, "how long the job of a runner in another process may make no "+
		"progress: then it is cancelled, and the attempt has failed")
	port := flag.Int("port", 50000, "worker: the port to listen on")
	flag.Usage = func() { fmt.Fprint(os.Stderr, usage); flag.PrintDefaults() }
	beamlog.SetupLogging("warn", "text")
	action, job := "", ""
	if len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		action, rest = rest[0], rest[1:]
	}
	if action == "run" && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		job, rest = rest[0], rest[1:]
	}
	_ = flag.CommandLine.Parse(rest) // no error: if a flag is wrong, Parse ends the process
	nameMetrics()
	if startsWorker(rest) {
		endWithPool()
	}
	beam.Init() // a worker runs, and ends, within Init
	switch {
	case action == "run" && job != "":
		return o.run(job, flag.Args())
	case action == "worker" && flag.NArg() == 0:
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
		defer stop()
		return serve(ctx, *port)
	}
	flag.Usage()
	return exitUsage
}

// check reports flags that exclude each other, and makes folder names absolute.
func (o *options) check() (err error) {
	switch {
	case !slices.Contains([]string{prism, "flink", "spark", "universal", dataflow}, runner()):
		return errors.New("--runner is prism, flink, spark, dataflow or universal")
	case *jobopts.Endpoint == "" && runner() != prism && runner() != dataflow:
		return errors.New("--endpoint is the host and port of the runner's job server, such as localhost:8099")
	case o.stalled <= 0:
		return errors.New("--stalled is a time, such as 30m")
	case min(o.buckets, o.ranges, o.attempts, o.workers) < 1:
		return errors.New("--buckets, --ranges, --attempts and --workers must be at least 1")
	case o.workers > 1 && (runner() != prism || *jobopts.Endpoint == ""):
		return errors.New("--workers is for prism as a server (--runner=prism --endpoint=...): other runners start as many " +
			"workers as they are told by their own flags")
	}
	inStore := store.IsAddress(o.parts)
	if inStore {
		if err := checkParts(o.parts); err != nil {
			return err
		}
	} else if o.parts != "" {
		if o.parts, err = filepath.Abs(o.parts); err != nil {
			return errors.New("--parts: the working directory no longer exists")
		}
	}
	switch o.shuffle {
	case "":
		if o.shuffle = shuffleRunner; runner() == prism && !inStore {
			o.shuffle = shuffleFiles
		}
	case shuffleFiles:
		if inStore {
			return errors.New("--shuffle=files needs a folder that all workers see as --parts, not an object store")
		}
	case shuffleRunner:
	default:
		return errors.New("--shuffle is runner or files")
	}
	if o.bytes, err = configs.ParseSize(o.memory); err != nil {
		return fmt.Errorf("--memory: %w", err)
	}
	return nil
}

// run aggregates the input of a job and merges the result.
func (o *options) run(job string, merge []string) int {
	if err := o.check(); err != nil {
		return report(exitUsage, err)
	}
	job, err := filepath.Abs(job)
	if err != nil {
		return report(exitInternal, errors.New("the working directory no longer exists"))
	}
	folder, err := os.MkdirTemp("", "dprelease-full beam-*")
	if err != nil {
		return report(exitInternal, errors.New("cannot create a temporary folder"))
	}
	defer func() { _ = os.RemoveAll(folder) }() // no harm: it holds encrypted files, and their key for this user alone
	ctx, stop := command.Signals(context.Background(), folder)
	defer stop()
	// report prints an error of a step before the merge. If a signal came, that is the reason, since it makes any of
	// these steps fail.
	report := func(code int, err error) int {
		if ctx.Err() != nil {
			code, err = command.ExitCode(ctx, ctx.Err()), fmt.Errorf("%w; nothing was charged", context.Cause(ctx))
		}
		return report(code, err)
	}
	_ = os.Setenv("TMPDIR", folder) // the SDK leaves a file there after each run; no error: the name has no zero byte
	var params []string
	for _, p := range o.params {
		params = append(params, "--param", p)
	}
	const most = 4<<20 + 1 // one byte more than a job may have
	text, err := regular.ReadFile(job, most)
	if err != nil {
		return report(exitUsage, errors.New("the job file can't be read: "+regular.Reason(err)))
	}
	plan, err := dpbeam.NewPlan(ctx, job, text, o.params.values())
	if err != nil {
		return report(exitUsage, err)
	}
	if !slices.ContainsFunc(merge, asksForInput) && released(ctx, plan) {
		return command.Run(ctx, append(append([]string{"run", job}, params...), merge...)...) // the run opens no input
	}
	key, code := runKey(ctx, job, filepath.Join(folder, "run.key"), params)
	if code != 0 {
		return code
	}
	if foreign(ctx, job, o.params.values(), key) {
		return report(exitInput, errors.New("shard-foreign: the key in "+dpbeam.KeyVariable+" was made for another ledger; "+
			"nothing was read or charged; make a key with release aggregate JOB --new-key FILE where this ledger is"))
	}
	if o.parts == "" {
		o.parts = folder
	}
	// The SDK logs each failure several times, with stacks of the runner and the workers, and also returns it.
	slog.SetDefault(slog.New(slog.DiscardHandler))
	beam.PipelineOptions.Set("param", "-") // hide the parameters from the runner: they may be parts of URLs
	task, engine, err := dpbeam.NewTask(ctx, job, text, o.params.values(), key, command.Build())
	if err != nil {
		return report(exitInput, err)
	}
	defer engine.Close()
	task.Buckets, task.Memory, task.Scratch = o.buckets, o.bytes, o.scratch
	task.Out = o.parts + "/" + filepath.Base(folder) + "-"
	if o.shuffle == shuffleFiles {
		task.Messages = task.Out
	}
	defer clean(context.WithoutCancel(ctx), task.Out)
	if err := o.aggregate(ctx, task, dpbeam.Ranges(engine.Splits(), o.ranges), folder); err != nil {
		if fault := dpbeam.FaultIn(err); fault != nil {
			return report(exitInput, errors.New(said(fault, err)+"; nothing was charged"))
		}
		return report(exitInternal, errors.New("the pipeline failed: "+unknownReason(err)+"; nothing was charged, and it "+
			"can be run again"))
	}
	part, err := fetch(ctx, task.Out, folder, key)
	if err != nil {
		return report(exitInput, err)
	}
	return command.Run(ctx, append(append([]string{"merge", job, part}, params...), merge...)...)
}

// runKey returns the key from the environment, or makes one for workers in this process.
func runKey(ctx context.Context, job, path string, params []string) (key partial.Key, code int) {
	text := os.Getenv(dpbeam.KeyVariable)
	if text == "" {
		if code := command.Run(ctx, append([]string{"aggregate", job, "--quiet", "--new-key", path},
			params...)...); code != 0 {
			return key, code
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return key, report(exitInternal, errors.New("the key of the run can't be read"))
		}
		text = string(raw)
		_ = os.Setenv(dpbeam.KeyVariable, strings.TrimSpace(text)) // no error: the text has no zero byte
	}
	key, err := partial.ParseKey(text)
	if err != nil {
		return key, report(exitUsage, errNoKey)
	}
	return key, 0
}

// asksForInput reports whether a flag makes a run read its input even if the job is released already.
func asksForInput(flag string) bool {
	return strings.HasPrefix(flag, "--new-release") || strings.HasPrefix(flag, "--compare-input")
}

// released reports whether a run of a plan would return or finish a release that the ledger already has. If the ledger
// cannot be read, it returns false, and a later step reports the error.
func released(ctx context.Context, plan *pipeline.Plan) bool {
	book, err := runjob.OpenStore(ctx, plan.Job().StoreName(), false)
	if err != nil {
		return false
	}
	defer book.Close() // nothing is lost: nothing was charged
	prior, found, err := protocol.Find(ctx, plan, book, sink.New())
	return err == nil && found && (prior.State == ledger.Published || prior.State == ledger.Sealed)
}

// foreign reports whether the key belongs to another ledger than the job's. If the job or the ledger cannot be read, it
// returns false, and a later step reports the error.
func foreign(ctx context.Context, path string, params map[string]string, key partial.Key) bool {
	job, diags := configs.Load(path, configs.ParseOptions{Params: params, Env: os.LookupEnv,
		CheckStep: pipeline.CheckStep})
	if len(diags) > 0 {
		return false
	}
	book, err := runjob.OpenStore(ctx, job.StoreName(), false)
	if err != nil {
		return false
	}
	defer book.Close() // nothing is lost: nothing was charged
	input, err := book.InputKey(ctx)
	return err == nil && !bytes.Equal(input, key.InputKey())
}

// aggregate runs the pipeline, and runs it again if it fails. A failed attempt leaves only encrypted files, which are
// never read.
func (o *options) aggregate(ctx context.Context, task *dpbeam.Task, ranges []dpbeam.Range, folder string) error {
	if err := setWorkerBinary(folder); err != nil {
		return err
	}
	for attempt := 1; ; attempt++ {
		p, s := beam.NewPipelineWithRoot()
		dpbeam.Build(s, *task, ranges, o.scopes())
		err := o.submit(ctx, p)
		if err == nil || ctx.Err() != nil || attempt >= o.attempts {
			return err
		}
		reason := unknownReason(err)
		if fault := dpbeam.FaultIn(err); fault != nil {
			if reason = said(fault, err); !fault.Passes {
				return err
			}
		}
		fmt.Fprintf(os.Stderr, "attempt %d of %d failed: %s; nothing was charged, and the next one begins\n", attempt,
			o.attempts, reason)
	}
}

// Names of runners.
const (
	prism    = "prism"
	dataflow = "dataflow"
)

// Ways to send messages (--shuffle).
const (
	shuffleRunner = "runner"
	shuffleFiles  = "files"
)

// maxBundles is the number of functions that prism runs at the same time.
const maxBundles = 8

// scopes returns the number of scopes into which the pipeline is divided (dpbeam.Build): one for each worker or, if
// prism has one worker, one for each processor of this machine.
func (o *options) scopes() int {
	if runner() == prism && o.workers == 1 {
		return min(runtime.GOMAXPROCS(0), maxBundles)
	}
	return o.workers
}

// inProcess reports whether the runner and its workers run in this process.
func inProcess() bool { return runner() == prism && *jobopts.Endpoint == "" }

// unknownReason returns the text to print for an error that is not a fault of a worker. The SDK's own text, with stacks
// and function names, is not printed.
func unknownReason(err error) string {
	switch {
	case errors.Is(err, errStalled):
		return errStalled.Error() + " (a worker may have been killed)"
	case inProcess():
		return "Beam's runner in this process failed; is there enough memory, and room in the temporary folder?"
	case runner() == dataflow:
		return "Dataflow needs --project, --region, --staging_location and the right to use them; its console has the " +
			"job's reason"
	case status.Code(err) == codes.Unavailable || errors.Is(err, context.DeadlineExceeded):
		return "the runner cannot be reached at --endpoint"
	}
	return "the runner's log has the reason"
}

// said returns the message for a fault. It includes the worker's details if the workers are in this process, and so
// have no log of their own.
func said(f *dpbeam.Fault, err error) string {
	if inProcess() {
		return f.SaidIn(err)
	}
	return f.Says
}

func runner() string { return cmp.Or(*runners.Runner, prism) }

func (o *options) submit(ctx context.Context, p *beam.Pipeline) (err error) {
	if *jobopts.Endpoint != "" && !jobopts.IsLoopback() && runner() != dataflow {
		return runOnServer(ctx, p, o.workers, o.stalled)
	}
	_, err = beam.Run(ctx, runner(), p)
	return err
}

// setWorkerBinary sets the program that a runner gives to its workers, unless a flag sets it: this program, or an empty
// file if the workers run already. Otherwise the SDK would build a program from sources that do not exist here.
func setWorkerBinary(folder string) (err error) {
	if *jobopts.WorkerBinary != "" {
		return nil
	}
	path := filepath.Join(folder, "external")
	if strings.EqualFold(*jobopts.EnvironmentType, "external") {
		err = os.WriteFile(path, nil, 0o600)
	} else {
		path, err = os.Executable()
	}
	*jobopts.WorkerBinary = path
	return err
}

// clean removes the files that the workers left under --parts, including the files of attempts that failed or were
// killed.
func clean(ctx context.Context, out string) {
	fs, err := filesystem.New(ctx, out)
	if err != nil {
		return
	}
	defer fs.Close()
	remover, ok := fs.(filesystem.Remover)
	for _, ending := range []string{dpbeam.PartEnding, dpbeam.MessagesEnding} {
		names, _ := fs.List(ctx, out+"*"+ending) // files that cannot be listed cannot be removed
		for _, name := range names {
			if ok {
				_ = remover.Remove(ctx, name) // no harm: the file is encrypted, and its key is not used again
			}
		}
	}
}

// fetch returns the path of the result of the first complete attempt. All complete attempts have the same contents.
func fetch(ctx context.Context, out, folder string, key partial.Key) (string, error) {
	fs, err := filesystem.New(ctx, out)
	if err != nil {
		return "", err
	}
	defer fs.Close()
	names, err := fs.List(ctx, out+"*"+dpbeam.PartEnding)
	if err != nil || len(names) == 0 {
		return "", errors.New("the workers left no result under --parts: do they see the same folder?")
	}
	path := filepath.Join(folder, "whole.part")
	for _, name := range names {
		raw, err := filesystem.Read(ctx, fs, name)
		if err != nil || partial.Check(bytes.NewReader(raw), key) != nil {
			continue // incomplete: a worker was killed while it wrote this file
		}
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			return "", errors.New("the result can't be written to the temporary folder")
		}
		return path, nil
	}
	return "", errors.New("the result of the workers can't be read")
}
