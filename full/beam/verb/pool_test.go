//go:build linux

package verb

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
)

// Two task managers have a worker with the same identifier. If the first manager's worker has died, a request to stop
// it does not stop the second manager's.
func TestStopOfDeadWorker(t *testing.T) {
	program := filepath.Join(t.TempDir(), "worker")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nexec cat\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	p := &pool{program: program, workers: map[worker]*exec.Cmd{}}
	defer p.stopAll()
	const id = "1-1"
	start := func(endpoint string) (worker, *exec.Cmd) {
		r, err := p.StartWorker(t.Context(), &fnpb.StartWorkerRequest{WorkerId: id,
			ControlEndpoint: &pipepb.ApiServiceDescriptor{Url: endpoint}})
		if err != nil || r.GetError() != "" {
			t.Fatal(err, r.GetError())
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		w := worker{id, endpoint}
		return w, p.workers[w]
	}
	// end sends a signal and returns the signal that ended the process.
	end := func(w worker, c *exec.Cmd, by syscall.Signal) syscall.Signal {
		_ = c.Process.Signal(by) // it may have ended
		for range 6000 {
			p.mu.Lock()
			ended := p.workers[w] == nil
			p.mu.Unlock()
			if ended {
				return c.ProcessState.Sys().(syscall.WaitStatus).Signal()
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatalf("worker %v goes on for a minute after signal %v", w, by)
		return 0
	}
	a, first := start("a:1")
	b, second := start("b:1")
	end(a, first, syscall.SIGKILL)
	if _, err := p.StopWorker(t.Context(), &fnpb.StopWorkerRequest{WorkerId: id}); err != nil {
		t.Fatal(err)
	}
	if by := end(b, second, syscall.SIGTERM); by != syscall.SIGTERM {
		t.Errorf("the other worker was ended by: %v", by)
	}
}
