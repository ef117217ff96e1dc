package setuptest

import (
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Process is a server that a test starts.
type Process struct {
	// Dir is the folder of all files that the server writes; "" if the server is somebody else's.
	Dir string
	// Address is the host and port on which the server listens.
	Address string

	group int       // the process group; 0 if the server was not started
	alive io.Closer // closing it ends the server; open as long as the test runs
}

// NewProcess returns a server with a new folder and a free port, which is not started yet. It ends with the test.
func NewProcess(t testing.TB, name string) *Process {
	t.Helper()
	dir, err := os.MkdirTemp("", name) // a short name: servers build paths from it
	if err != nil {
		t.Fatal(err)
	}
	p := &Process{Dir: dir}
	t.Cleanup(func() { p.stop(t) })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.Address = l.Addr().String()
	_ = l.Close() // free the port for the server
	return p
}

// Start starts the server in its folder and waits until it answers. The test is skipped if the program cannot be
// started.
func (p *Process) Start(t testing.TB, server *exec.Cmd, answers func(context.Context) bool) {
	t.Helper()
	log, err := os.Create(filepath.Join(p.Dir, "server.log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	server.Dir, server.Stdout, server.Stderr = p.Dir, log, log
	server.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that the server's child processes end with it
	if err := server.Start(); err != nil {
		t.Skipf("%s cannot be started: %v", server.Path, err)
	}
	p.group = server.Process.Pid
	if p.alive, err = endWithTest(p.group); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	for end := time.Now().Add(5 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		ready := answers(ctx)
		cancel()
		if ready {
			return
		}
		select {
		case err := <-ended:
			t.Fatalf("the server ended: %v\n%s", err, p.Log())
		default:
		}
		if time.Now().After(end) {
			t.Fatalf("the server does not answer\n%s", p.Log())
		}
	}
}

// endWithTest starts a process that kills a process group when the returned pipe is closed. The system closes it if the
// test ends without its cleanup functions, as it does at a time limit.
func endWithTest(group int) (io.Closer, error) {
	c := exec.Command("sh", "-c", "read -r line; kill -KILL -$0", strconv.Itoa(group))
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that an interrupt of the test does not reach it
	pipe, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	return pipe, c.Start()
}

// Log returns the text that the server wrote.
func (p *Process) Log() string {
	text, _ := os.ReadFile(filepath.Join(p.Dir, "server.log")) // no error: without a log, the text is empty
	return string(text)
}

func (p *Process) stop(t testing.TB) {
	t.Helper()
	if p.group > 0 {
		_ = syscall.Kill(-p.group, syscall.SIGKILL) // no error: it may have ended
		_ = p.alive.Close()
	}
	for range 50 { // the server's processes may still write
		if err := os.RemoveAll(p.Dir); err == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("%s cannot be removed", p.Dir)
}

// Shared is a server that all tests of a package share. TestMain calls Stop after the tests.
type Shared[S any] struct {
	once   sync.Once
	server *S
	failed bool
	ends   cleanups
}

// cleanups is a testing.TB whose cleanup functions run only after all tests.
type cleanups struct {
	testing.TB
	all []func()
}

// Cleanup registers a function that Stop calls.
func (c *cleanups) Cleanup(end func()) { c.all = append(c.all, end) }

// Get returns the server. The first call starts it. The environment variable may name a server to use instead. If it is
// not set, the test is skipped unless make check-engines runs it. If start skips the test or fails, so does every later
// call.
func (s *Shared[S]) Get(t testing.TB, variable string, start func(testing.TB) *S) *S {
	t.Helper()
	if os.Getenv("DPRELEASE_ENGINES") == "" && os.Getenv("DPRELEASE_LONG") == "" && os.Getenv(variable) == "" {
		t.Skip("the engine takes minutes: make check-engines runs this test, and a server that is named by " + variable)
	}
	s.once.Do(func() {
		s.ends.TB = t
		defer func() { s.failed = s.server == nil && t.Failed() }()
		s.server = start(&s.ends)
	})
	switch {
	case s.failed:
		t.Fatal("the engine did not start, as the first test says")
	case s.server == nil:
		t.Skip("the engine cannot be had, as the first test says")
	}
	return s.server
}

// Stop ends the server.
func (s *Shared[S]) Stop() {
	for _, end := range slices.Backward(s.ends.all) {
		end()
	}
}
