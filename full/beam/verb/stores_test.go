//go:build linux

package verb_test

import (
	"bytes"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dprelease/dprelease/cmd/release/command"
	dpbeam "github.com/dprelease/dprelease/full/beam"
	"github.com/dprelease/dprelease/full/beam/verb/wiretest"
	"github.com/dprelease/dprelease/full/stores"
	"github.com/dprelease/dprelease/full/stores/storestest"
	"github.com/dprelease/dprelease/io/store"
	"github.com/dprelease/dprelease/io/store/web"
)

// storeJob reads objects of a store and a file of a web server, and takes keys from another file of the web server. Its
// budget pays for one release.
const storeJob = `
version: 1
name: cats
params: {day: sunday}
privacy: {epsilon: 1, delta: 1e-6, unit: [unit], per_unit: {max_rows: 5}}
input: {files: ["SCHEME://bucket/${day}/t*.parquet", "SCHEME://bucket/${day}/t.csv?${env:TEST_OPTIONS}", "https://HOST/t.arrow?${env:TEST_SIGNATURE}"], csv: {types: {unit: int, value: float}}}
queries:
  - {name: cats, histogram: {by: [{column: cat, values_from: {file: "https://HOST/cats.csv", column: cat}}]}}
output: {dir: out, formats: [csv]}
ledger: {store: "sqlite:ledger.db", dataset: cats, budget: {epsilon: 1, delta: 1e-6}}
`

// stand is a job whose input is in stores, with the secrets that no output may show.
type stand struct {
	*storestest.Server
	t             *testing.T
	dir, job, key string
	parts         string
	content       map[string][]byte
	secrets       []string
	tap           *tap // records the submitter's traffic to the server; nil if it is not recorded
}

// newStand starts an S3 server and a web server, and writes the job.
func newStand(t *testing.T, rows int) *stand {
	t.Helper()
	return newStandOf(t, storestest.Start(t), rows, "kmskeyid=canary", storestest.AccessKey, storestest.SecretKey,
		"X-Amz-Signature")
}

// newStandOf writes a job that reads from a store, and starts a web server. The job's URLs have options from
// environment variables.
func newStandOf(t *testing.T, server *storestest.Server, rows int, options string, secrets ...string) *stand {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &stand{Server: server, t: t, dir: dir, job: filepath.Join(dir, "job.yaml"), parts: filepath.Join(dir, "parts"),
		content: storestest.Tables(t, rows)}
	stores.Register()
	web.Register()
	var random [16]byte
	_, _ = rand.Read(random[:]) // it never fails
	signature := "sig=canary" + hex.EncodeToString(random[:])
	t.Setenv("TEST_SIGNATURE", signature)
	t.Setenv("TEST_OPTIONS", options)
	s.secrets = slices.Concat(secrets, []string{signature, options})
	s.content["cats.csv"] = []byte("cat\ncat 1\ncat 2\ncat 3\n")
	host := s.serveWeb(signature)
	for _, name := range []string{"t.parquet", "t.csv"} {
		s.Put(t, "monday/"+name, s.content[name])
	}
	text := strings.NewReplacer("HOST", host, "SCHEME", server.Scheme).Replace(storeJob)
	if err := errors.Join(os.WriteFile(s.job, []byte(text), 0o600), os.Mkdir(s.parts, 0o700)); err != nil {
		t.Fatal(err)
	}
	s.key = filepath.Join(dir, "run.key")
	if code := command.Run(t.Context(), "aggregate", s.job, "--param", "day=monday", "--quiet", "--new-key",
		s.key); code != 0 {
		t.Fatal(code)
	}
	return s
}

// serveWeb serves the public file to everybody and other files to requests with the signature, with a certificate that
// this process and its children trust. It returns the host.
func (s *stand) serveWeb(signature string) string {
	w := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, ok := s.content[strings.TrimPrefix(r.URL.Path, "/")]
		if public := r.URL.Path == "/cats.csv"; !ok || !public && r.URL.RawQuery != signature {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		w.Header().Set("ETag", `"one"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	}))
	w.Config.ErrorLog = log.New(io.Discard, "", 0)
	w.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	w.StartTLS()
	s.t.Cleanup(w.Close)
	before, _ := os.ReadFile(os.Getenv("SSL_CERT_FILE")) // the store's, if it has one
	trusted := filepath.Join(s.dir, "authority.pem")
	if err := os.WriteFile(trusted, append(before, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE",
		Bytes: w.Certificate().Raw})...), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.t.Setenv("SSL_CERT_FILE", trusted)
	return strings.TrimPrefix(w.URL, "https://")
}

// run runs the job on prism: in a process of its own if workers is 0, else on a server with this number of workers,
// which get the variables in environment too. It returns the exit code and all output of the processes.
func (s *stand) run(workers int, environment ...string) (int, string) {
	s.t.Helper()
	key, err := os.ReadFile(s.key)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Setenv(dpbeam.KeyVariable, strings.TrimSpace(string(key)))
	args := []string{"beam", "run", s.job, "--param", "day=monday", "--parts=" + s.parts}
	var prismOut, poolOut, out bytes.Buffer
	var running []*exec.Cmd
	if workers > 0 {
		server, pool := freePort(s.t), freePort(s.t)
		running = append(running, start(s.t, fmt.Sprintf("prism:%d", server), &prismOut), s.pool(pool, &poolOut, environment))
		await(s.t, server)
		await(s.t, pool)
		if s.tap != nil {
			server = s.tap.before(s.t, server)
		}
		args = append(args, "--runner=prism", fmt.Sprintf("--endpoint=localhost:%d", server),
			fmt.Sprintf("--workers=%d", workers),
			"--environment_type=EXTERNAL", fmt.Sprintf("--environment_config=localhost:%d", pool))
	}
	run := start(s.t, "release-full", &out, args...)
	err = run.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	for _, c := range running {
		_ = c.Process.Kill()
		_ = c.Wait()
	}
	all := out.String() + poolOut.String() + prismOut.String()
	for _, stack := range []string{"goroutine ", ".go:", "Full error"} {
		if strings.Contains(out.String(), stack) {
			s.t.Errorf("the run prints a stack:\n%s", out.String())
		}
	}
	for _, secret := range s.secrets {
		if strings.Contains(all, secret) {
			s.t.Errorf("%s is printed:\n%s", secret, all)
		}
	}
	return run.ProcessState.ExitCode(), out.String() + "\nworkers:\n" + poolOut.String() + "\nprism:\n" + prismOut.String()
}

// pool starts a pool of workers. environment changes their variables: NAME=value sets one, NAME alone removes it.
func (s *stand) pool(port int, out *bytes.Buffer, environment []string) *exec.Cmd {
	for _, e := range environment {
		name, value, _ := strings.Cut(e, "=")
		before := os.Getenv(name)
		_ = os.Setenv(name, value) // no error: the names are valid
		if !strings.Contains(e, "=") {
			_ = os.Unsetenv(name)
		}
		defer func() { _ = os.Setenv(name, before) }()
	}
	return start(s.t, "release-full", out, "beam", "worker", "--port", strconv.Itoa(port))
}

// released reports whether there is a release.
func (s *stand) released() bool {
	_, err := os.Stat(filepath.Join(s.dir, "out", "release.json"))
	return err == nil
}

// third applies the fault f to every third request.
func third(f func(http.ResponseWriter)) func(http.ResponseWriter, *http.Request) bool {
	var count atomic.Int64
	return func(w http.ResponseWriter, _ *http.Request) bool {
		hit := count.Add(1)%3 == 0
		if hit {
			f(w)
		}
		return hit
	}
}

// onObject calls do before the n-th request for the CSV file's version, counted over the submitter and all workers.
func (s *stand) onObject(n int64, do func()) {
	var count atomic.Int64
	s.Fails(func(_ http.ResponseWriter, r *http.Request) bool {
		if s.AboutVersion(r, "monday/t.csv") && count.Add(1) == n {
			do()
		}
		return false
	})
}

// A job whose input is in stores, in three formats, makes one release with one charge: on prism in the process and on a
// server with two workers, while the store answers 503, cuts connections or cuts bodies. The local engine finds this
// release.
func TestStores(t *testing.T) {
	s := newStand(t, 20_000)
	var before []byte
	folder := s.parts
	for name, x := range map[string]struct {
		workers int
		set     func()
	}{
		"parts in S3":    {1, func() { s.parts = "s3://bucket/parts/of runs" }},
		"in the process": {0, func() {}},
		"busy":           {2, func() { s.Fails(third(func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) })) }},
		"connections":    {2, func() { s.Fails(third(func(http.ResponseWriter) { panic(http.ErrAbortHandler) })) }},
		"bodies":         {1, func() { s.Cut.Store(int64(len(s.content["t.csv"])/3 + 1)) }},
	} {
		x.set()
		code, out := s.run(x.workers)
		s.Fails(nil)
		s.Cut.Store(0)
		s.parts = folder
		release, err := os.ReadFile(filepath.Join(s.dir, "out", "release.json"))
		if code != 0 || err != nil || before != nil && !bytes.Equal(before, release) {
			t.Fatalf("%s: exit code %d, %v\n%s", name, code, err, out)
		}
		before = release
		if left, err := os.ReadDir(s.parts); err != nil || len(left) > 0 {
			t.Errorf("%s: files are left: %v, %v", name, left, err)
		}
	}
	w, _ := storestest.Writer(t, "s3://bucket/")
	if err := w.List(t.Context(), "parts/", func(o store.Object) error { return errors.New(o.Key) }); err != nil {
		t.Errorf("an object is left: %v", err)
	}
	if code := command.Run(t.Context(), "run", s.job, "--param", "day=monday", "--quiet"); code != 0 {
		t.Fatalf("the local engine does not find the release: %d", code)
	}
	if after, err := os.ReadFile(filepath.Join(s.dir, "out", "release.json")); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the local engine made another release: %v", err)
	}
	for _, secret := range s.secrets {
		if bytes.Contains(before, []byte(secret)) {
			t.Errorf("the release has %s", secret)
		}
	}
}

// URLs for results with options, credentials or an unknown store are refused before any request, and are not printed.
func TestPartsAreRefused(t *testing.T) {
	job := filepath.Join(t.TempDir(), "job.yaml")
	for _, parts := range []string{"s3://bucket/p?region=canary", "gs://bucket/p?access_id=canary",
		"s3://me:canary@bucket/p", "https://host/canary", "canary://bucket/p", "http://host/canary"} {
		var out bytes.Buffer
		c := start(t, "release-full", &out, "beam", "run", job, "--parts="+parts)
		_ = c.Wait() // its exit code is checked
		if code := c.ProcessState.ExitCode(); code != 2 || !strings.Contains(out.String(), "--parts") ||
			strings.Contains(out.String(), "canary") {
			t.Errorf("%s: exit code %d: %s", parts, code, out.String())
		}
	}
}

// Flags with invalid values, or without another flag that they need, are refused before anything is read.
func TestFlagsAreRefused(t *testing.T) {
	job := filepath.Join(t.TempDir(), "job.yaml")
	for flag, want := range map[string]string{
		"--runner=flonk": "--runner is prism, flink", "--runner=flink": "--endpoint is the host",
		"--runner=spark": "--endpoint is the host", "--stalled=0s": "--stalled is a time", "--attempts=0": "must be at least 1",
	} {
		var out bytes.Buffer
		c := start(t, "release-full", &out, "beam", "run", job, flag)
		_ = c.Wait() // its exit code is checked
		if code := c.ProcessState.ExitCode(); code != 2 || !strings.HasPrefix(out.String(), "error: --") ||
			!strings.Contains(out.String(), want) || strings.Count(out.String(), "\n") != 1 {
			t.Errorf("%s: exit code %d: %s", flag, code, out.String())
		}
	}
}

// lack is an environment in which a worker lacks a variable, and the expected message.
type lack struct {
	name        string
	environment []string
	want        []string
}

// testLacks runs the job with workers of these environments. Nothing may be charged.
func (s *stand) testLacks(lacks []lack) {
	s.t.Helper()
	for _, x := range lacks {
		code, out := s.run(1, x.environment...)
		if code != 3 || s.released() || !strings.Contains(out, "nothing was charged") {
			s.t.Errorf("%s: exit code %d:\n%s", x.name, code, out)
		}
		for _, want := range x.want {
			if !strings.Contains(out, want) {
				s.t.Errorf("%s: %q is not said:\n%s", x.name, want, out)
			}
		}
	}
}

// A worker that lacks a variable of its store reports what to do, and nothing is charged. The same job makes its
// release when the worker has the variable.
func TestWorkerLacks(t *testing.T) {
	s := newStand(t, 2_000)
	other := filepath.Join(s.dir, "other.key")
	if code := command.Run(t.Context(), "aggregate", s.job, "--param", "day=monday", "--quiet", "--new-key",
		other); code != 0 {
		t.Fatal(code)
	}
	otherKey, err := os.ReadFile(other)
	if err != nil {
		t.Fatal(err)
	}
	s.testLacks([]lack{
		{"credentials", []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"},
			[]string{dpbeam.Unread.Says, "set AWS_ACCESS_KEY_ID"}},
		{"another signature", []string{"TEST_SIGNATURE=sig=canary"},
			[]string{dpbeam.Unread.Says, "t.arrow", "is the address signed"}},
		{"no signature", []string{"TEST_SIGNATURE"}, []string{dpbeam.NoVariable.Says, "TEST_SIGNATURE"}},
		{"no options", []string{"TEST_OPTIONS", "TEST_SIGNATURE"},
			[]string{dpbeam.NoVariable.Says, "TEST_OPTIONS, TEST_SIGNATURE"}},
		{"another key", []string{dpbeam.KeyVariable + "=" + strings.TrimSpace(string(otherKey))},
			[]string{dpbeam.OtherKey.Says}},
	})
	if code, out := s.run(1); code != 0 || !s.released() { // the budget is enough for one charge
		t.Fatalf("exit code %d:\n%s", code, out)
	}
}

// An object is replaced by another one of the same length after the submitter or a worker has looked at it. The run
// fails and charges nothing.
func TestObjectReplaced(t *testing.T) {
	s := newStand(t, 20_000)
	s.testReplaced()
}

// testReplaced replaces the CSV file at two times of a run by two workers, then makes the first release.
func (s *stand) testReplaced() {
	t := s.t
	t.Helper()
	changed := bytes.Clone(s.content["t.csv"])
	changed[len(changed)-2] ^= 1
	for name, n := range map[string]int64{"between the submitter and a worker": 2, "between two workers": 3} {
		s.onObject(n, func() { s.Put(t, "monday/t.csv", changed) })
		code, out := s.run(2)
		s.Fails(nil)
		if code != 3 || s.released() || !strings.Contains(out, dpbeam.Changed.Says+"; nothing was charged") {
			t.Errorf("%s: exit code %d:\n%s", name, code, out)
		}
		s.Put(t, "monday/t.csv", s.content["t.csv"])
	}
	if code, out := s.run(2); code != 0 || !s.released() { // the budget is enough for one charge
		t.Fatalf("exit code %d:\n%s", code, out)
	}
}

// The submitter's requests to the runner contain no signature, option, credential, parameter or name of the input, and
// not the job.
func TestPipelineHasNoAddress(t *testing.T) {
	s := newStand(t, 2_000)
	s.tap = &tap{}
	if code, out := s.run(1); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	sent := s.tap.said()
	for _, public := range []string{`"Encrypted":"`, `"Buckets":16`} {
		if !wiretest.Find(sent, []byte(public)) {
			t.Fatalf("the capture of %d bytes lacks %s", len(sent[0]), public)
		}
	}
	for _, secret := range append(s.secrets, "day=monday", "s3://bucket", "t*.parquet", "t.arrow?", "cats.csv",
		"https://127", "TEST_SIGNATURE", "max_rows", "job.yaml") {
		if wiretest.Find(sent, []byte(secret)) {
			t.Errorf("the pipeline has %s", secret)
		}
	}
}

// tap records the traffic between the submitter and a runner.
type tap struct {
	mu     sync.Mutex
	passed bytes.Buffer
}

// Write keeps bytes.
func (p *tap) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.passed.Write(b)
}

func (p *tap) said() [][]byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return [][]byte{bytes.Clone(p.passed.Bytes())}
}

// before listens in front of a port until the test ends, and returns its own port.
func (p *tap) before(t *testing.T, port int) int {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", fmt.Sprintf("localhost:%d", port))
			if err != nil {
				_ = in.Close()
				continue
			}
			for from, to := range map[net.Conn]net.Conn{in: out, out: in} {
				go func() {
					_, _ = io.Copy(io.MultiWriter(to, p), from) // until either ends
					_, _ = in.Close(), out.Close()              // the other direction ends too
				}()
			}
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}
