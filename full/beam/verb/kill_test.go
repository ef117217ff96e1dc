//go:build linux

package verb_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/dprelease/dprelease/cmd/release/command"
	dpbeam "github.com/dprelease/dprelease/full/beam"
	"github.com/dprelease/dprelease/full/beam/verb"
	"github.com/dprelease/dprelease/full/stores"
	"github.com/dprelease/dprelease/pipeline/partial"
)

// role is the variable that turns the test binary into another program: release-full, or a prism server on a port.
const role = "DPRELEASE_TEST_ROLE"

func TestMain(m *testing.M) {
	switch port, isPrism := strings.CutPrefix(os.Getenv(role), "prism:"); {
	case isPrism:
		n, err := strconv.Atoi(port)
		if err == nil {
			_, err = prism.CreateJobServer(context.Background(), prism.Options{Port: n})
		}
		fmt.Fprintln(os.Stderr, "prism:", err)
		select {}
	case os.Getenv(role) != "":
		stores.Register()
		os.Exit(command.Main(verb.Beam()))
	}
	os.Exit(m.Run())
}

// start starts the test binary in the role as; it ends with the test.
func start(t *testing.T, as string, out *bytes.Buffer, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), role+"="+as)
	c.Stdout, c.Stderr = out, out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	return c
}

// startJava starts a Java process that ends with the test, and writes what it prints to a file in the folder dir.
// Environment variables are added to those of the test.
func startJava(t *testing.T, dir, name string, env []string, args ...string) (pid int) {
	t.Helper()
	log, err := os.Create(filepath.Join(dir, name+".log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	var options []string
	for _, of := range []string{"java.io", "java.lang", "java.lang.invoke", "java.net", "java.nio", "java.util",
		"java.util.concurrent", "java.util.concurrent.atomic", "sun.nio.ch", "sun.nio.cs", "sun.security.action", "sun.util.calendar"} {
		options = append(options, "--add-opens=java.base/"+of+"=ALL-UNNAMED")
	}
	c := exec.Command("java", append(options, args...)...)
	c.Dir, c.Env, c.Stdout, c.Stderr = dir, append(os.Environ(), env...), log, log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill() // it may have been killed
		_ = c.Wait()
	})
	return c.Process.Pid
}

// freePort returns a port that nobody listened on a moment ago.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// await waits until a process listens on the port.
func await(t *testing.T, port int) {
	t.Helper()
	for range 3600 {
		if c, err := net.Dial("tcp", fmt.Sprintf("localhost:%d", port)); err == nil {
			_ = c.Close()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("nobody listens")
}

// readersOf returns the children of the process parent that have the file open.
func readersOf(file string, parent int) (pids []int) {
	// a thread that has ended has no file
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
	for _, list := range lists {
		children, _ := os.ReadFile(list)
		for _, child := range strings.Fields(string(children)) {
			links, _ := filepath.Glob("/proc/" + child + "/fd/*")
			if slices.ContainsFunc(links, func(l string) bool { to, err := os.Readlink(l); return err == nil && to == file }) {
				pid, _ := strconv.Atoi(child)
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

const killJob = `
version: 1
name: killed
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 3}}
input: {files: [all.csv], csv: {types: {person: int, age: int}}}
queries:
  - {name: ages, histogram: {by: [{column: age, edges: [0, 20, 40, 60]}]}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: killed, budget: {epsilon: 1, delta: 1e-6}}
`

// A worker is killed while it reads the table, alone or beside another worker, for both ways of sending messages. The
// pipeline is run again with other workers. The release is made with one charge, the whole budget. The local engine
// finds this release, and no file of an attempt is left.
func TestKilledWorker(t *testing.T) {
	t.Run("one", func(t *testing.T) { testKilledWorker(t, 1, "files") })
	t.Run("three", func(t *testing.T) { testKilledWorker(t, 3, "files") })
	t.Run("three by the runner", func(t *testing.T) { testKilledWorker(t, 3, "runner") })
}

func testKilledWorker(t *testing.T, workers int, shuffle string) {
	server := freePort(t)
	var prismOut bytes.Buffer
	start(t, fmt.Sprintf("prism:%d", server), &prismOut)
	await(t, server)
	k := newKillRun(t, 1_200_000)
	k.start("--runner=prism", fmt.Sprintf("--endpoint=localhost:%d", server), fmt.Sprintf("--workers=%d", workers),
		"--shuffle="+shuffle)
	k.killReader(min(workers, 2))
	k.releases(2*time.Minute, failedOnce)
}

// killRun is a run of killJob with a pool of workers.
type killRun struct {
	*testing.T
	dir, table, job, parts string
	port                   int // the port of the worker pool
	pool                   *exec.Cmd
	poolOut, out           bytes.Buffer
	ended                  chan error
}

// newKillRun makes a table of some rows, a key and a pool.
func newKillRun(t *testing.T, some int) *killRun {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	k := &killRun{T: t, dir: dir, table: filepath.Join(dir, "all.csv"), job: filepath.Join(dir, "job.yaml"),
		parts: filepath.Join(dir, "parts"), port: freePort(t), ended: make(chan error, 1)}
	var rows bytes.Buffer
	rows.WriteString("person,age\n")
	for i := range some {
		fmt.Fprintf(&rows, "%d,%d\n", i*7919%50_000, i%60)
	}
	for _, err := range []error{os.WriteFile(k.table, rows.Bytes(), 0o600), os.WriteFile(k.job, []byte(killJob), 0o600),
		os.Mkdir(k.parts, 0o700)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	keyFile := filepath.Join(dir, "run.key")
	if code := command.Run(t.Context(), "aggregate", k.job, "--quiet", "--new-key", keyFile); code != 0 {
		t.Fatal(code)
	}
	key, err := os.ReadFile(keyFile)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(dpbeam.KeyVariable, strings.TrimSpace(string(key)))
	k.pool = start(t, "release-full", &k.poolOut, "beam", "worker", "--port", strconv.Itoa(k.port))
	await(t, k.port)
	return k
}

// start starts the run.
func (k *killRun) start(args ...string) {
	k.Helper()
	run := start(k.T, "release-full", &k.out, append([]string{"beam", "run", k.job, "--environment_type=EXTERNAL",
		fmt.Sprintf("--environment_config=localhost:%d", k.port), "--parts=" + k.parts}, args...)...)
	go func() { k.ended <- run.Wait() }()
}

// awaitReaders waits until some workers of the pool have the table open at the same time, and returns their processes.
func (k *killRun) awaitReaders(some int) (pids []int) {
	k.Helper()
	for {
		select {
		case err := <-k.ended:
			k.Fatalf("the run ended before something was killed: %v\n%s\n%s", err, k.out.String(), k.poolOut.String())
		case <-time.After(time.Millisecond):
			if pids = readersOf(k.table, k.pool.Process.Pid); len(pids) >= some {
				return pids
			}
		}
	}
}

// killReader kills a worker of the pool as soon as some workers have the table open at the same time.
func (k *killRun) killReader(some int) {
	k.Helper()
	if err := syscall.Kill(k.awaitReaders(some)[0], syscall.SIGKILL); err != nil {
		k.Fatal(err)
	}
}

// wait waits for the end of the run.
func (k *killRun) wait(within time.Duration) (err error) {
	k.Helper()
	select {
	case err = <-k.ended:
	case <-time.After(within):
		k.Fatal("the run does not end")
	}
	return err
}

// failedOnce is what a run prints if its first attempt failed.
const failedOnce = "attempt 1 of 3 failed"

// releases waits until the run has made its release, and has printed the text. The local engine must find this release.
func (k *killRun) releases(within time.Duration, printed string) {
	k.Helper()
	if err := k.wait(within); err != nil || !strings.Contains(k.out.String(), printed) {
		k.Fatalf("%v\n%s\n%s", err, k.out.String(), k.poolOut.String())
	}
	left, err := os.ReadDir(k.parts)
	if err != nil || len(left) > 0 {
		k.Errorf("files of attempts are left: %v, %v", left, err)
	}
	release := filepath.Join(k.dir, "out", "release.json")
	before, err := os.ReadFile(release)
	if err != nil {
		k.Fatal(err)
	}
	if code := command.Run(k.Context(), "run", k.job, "--quiet"); code != 0 {
		k.Fatalf("the local engine does not find the release: %d", code)
	}
	if after, err := os.ReadFile(release); err != nil || !bytes.Equal(before, after) {
		k.Errorf("the local engine made another release: %v", err)
	}
}

// neverStarts is a pool that confirms the start of a worker and starts none, so the runner waits forever.
type neverStarts struct {
	fnpb.UnimplementedBeamFnExternalWorkerPoolServer
	asked chan struct{} // has a value after the first request for a worker
}

func (n neverStarts) StartWorker(context.Context, *fnpb.StartWorkerRequest) (*fnpb.StartWorkerResponse, error) {
	select {
	case n.asked <- struct{}{}:
	default:
	}
	return &fnpb.StartWorkerResponse{}, nil
}

func (neverStarts) StopWorker(context.Context, *fnpb.StopWorkerRequest) (*fnpb.StopWorkerResponse, error) {
	return &fnpb.StopWorkerResponse{}, nil
}

// A job that hangs ends after the allowed number of attempts, with a clear message, no charge, and no file in the temp
// directory.
func TestStalledJob(t *testing.T) {
	testHangingJob(t, func(*exec.Cmd, chan struct{}) {}, 70, "attempt 1 of 2 failed: the job made no progress",
		"error: the pipeline failed: the job made no progress", "--stalled=1s", "--attempts=2")
}

// One SIGTERM ends a job that hangs, with exit code 143, a clear message, no charge, and no file in the temp directory.
func TestStoppedJob(t *testing.T) {
	testHangingJob(t, func(run *exec.Cmd, asked chan struct{}) {
		select {
		case <-asked:
		case <-time.After(2 * time.Minute): // the runner never asked, so the exit code will be wrong
		}
		_ = run.Process.Signal(syscall.SIGTERM)
	}, 143, "error: stopped by a signal (terminated)", "nothing was charged")
}

// testHangingJob runs a job that hangs, and calls stop when it has started; the channel asked receives when the runner
// asks for a worker. The run must end with the exit code and print the texts first and second.
func testHangingJob(t *testing.T, stop func(run *exec.Cmd, asked chan struct{}), code int, first, second string,
	flags ...string) {
	t.Helper()
	dir := t.TempDir()
	job, temporary, parts := filepath.Join(dir, "job.yaml"), filepath.Join(dir, "tmp"), filepath.Join(dir, "parts")
	for _, err := range []error{os.WriteFile(filepath.Join(dir, "all.csv"), []byte("person,age\n1,2\n"), 0o600),
		os.WriteFile(job, []byte(killJob), 0o600), os.Mkdir(temporary, 0o700), os.Mkdir(parts, 0o700)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	pool := grpc.NewServer()
	asked := make(chan struct{}, 1)
	fnpb.RegisterBeamFnExternalWorkerPoolServer(pool, neverStarts{asked: asked})
	go func() { _ = pool.Serve(listener) }()
	t.Cleanup(pool.Stop)
	server := freePort(t)
	var prismOut, out bytes.Buffer
	start(t, fmt.Sprintf("prism:%d", server), &prismOut)
	await(t, server)
	t.Setenv("TMPDIR", temporary)
	run := start(t, "release-full", &out, append([]string{"beam", "run", job, "--runner=prism",
		fmt.Sprintf("--endpoint=localhost:%d", server), "--environment_type=EXTERNAL",
		"--environment_config=" + listener.Addr().String(), "--parts=" + parts}, flags...)...)
	stop(run, asked)
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }()
	select {
	case err = <-ended:
	case <-time.After(2 * time.Minute):
		t.Fatal("the run does not end")
	}
	text := out.String()
	if run.ProcessState.ExitCode() != code || !strings.Contains(text, first) || !strings.Contains(text, second) ||
		strings.Contains(text, "rpc error") {
		t.Errorf("%v\n%s\n%s", err, text, prismOut.String())
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("%v are left: %v", left, err)
	}
	out.Reset()
	if code := command.Run(t.Context(), "run", job, "--quiet"); code != 0 {
		t.Errorf("the whole budget is not there any more: %d", code)
	}
}

// A pool that is killed leaves no worker: each worker ends when its standard input does.
func TestKilledPool(t *testing.T) {
	key, err := partial.NewKey(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(dpbeam.KeyVariable, key.Reveal())
	port, silent := freePort(t), freePort(t)
	var out bytes.Buffer
	pool := start(t, "release-full", &out, "beam", "worker", "--port", strconv.Itoa(port))
	await(t, port)
	conn, err := grpc.NewClient(fmt.Sprintf("localhost:%d", port), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	endpoint := &pipepb.ApiServiceDescriptor{Url: fmt.Sprintf("localhost:%d", silent)} // the worker waits for it
	if r, err := fnpb.NewBeamFnExternalWorkerPoolClient(conn).StartWorker(t.Context(), &fnpb.StartWorkerRequest{
		WorkerId: "w", LoggingEndpoint: endpoint, ControlEndpoint: endpoint,
	}); err != nil || r.GetError() != "" {
		t.Fatalf("%v: %v", err, r)
	}
	var workers []string
	// a thread that has ended has no file
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pool.Process.Pid))
	for _, list := range lists {
		children, _ := os.ReadFile(list)
		workers = append(workers, strings.Fields(string(children))...)
	}
	if len(workers) != 1 {
		t.Fatalf("the pool has the workers %v", workers)
	}
	_ = pool.Process.Kill()
	for range 400 {
		status, err := os.ReadFile("/proc/" + workers[0] + "/stat")
		if err != nil || strings.Contains(string(status), ") Z ") {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("the worker lives on")
}
