package verb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"sync"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	"google.golang.org/grpc"

	dpbeam "github.com/dprelease/dprelease/full/beam"
	"github.com/dprelease/dprelease/pipeline/partial"
)

// pool starts a process of this program for each worker that a runner asks for (environment_type EXTERNAL). If a worker
// dies, for lack of memory or otherwise, the pool and the other workers live on.
type pool struct {
	fnpb.UnimplementedBeamFnExternalWorkerPoolServer
	program string
	mu      sync.Mutex
	workers map[worker]*exec.Cmd // all workers that were ever started; nil for a worker that has ended
}

// worker identifies a worker. Each task manager of Flink counts its workers from 1, and several share the pool of their
// machine, so the identifier alone is not unique.
type worker struct{ id, endpoint string }

// serve runs a pool until the context ends.
func serve(ctx context.Context, port int) int {
	if _, err := partial.ParseKey(os.Getenv(dpbeam.KeyVariable)); err != nil {
		return report(exitUsage, errNoKey)
	}
	program, err := os.Executable()
	if err != nil {
		return report(exitInternal, errors.New("this program's file can't be found"))
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("localhost", strconv.Itoa(port)))
	if err != nil {
		return report(exitInternal, errors.New("the port can't be listened on"))
	}
	p := &pool{program: program, workers: map[worker]*exec.Cmd{}}
	server := grpc.NewServer()
	fnpb.RegisterBeamFnExternalWorkerPoolServer(server, p)
	go func() {
		<-ctx.Done()
		server.Stop()
	}()
	err = server.Serve(listener)
	p.stopAll()
	if ctx.Err() == nil && err != nil {
		return report(exitInternal, errors.New("the port can't be listened on any more"))
	}
	return 0
}

// StartWorker starts a process.
func (p *pool) StartWorker(_ context.Context, r *fnpb.StartWorkerRequest) (*fnpb.StartWorkerResponse, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := worker{r.GetWorkerId(), r.GetControlEndpoint().GetUrl()}
	switch {
	case p.workers == nil:
		return &fnpb.StartWorkerResponse{Error: "the pool has ended"}, nil
	case p.workers[w] != nil:
		return &fnpb.StartWorkerResponse{Error: "the pool has such a worker"}, nil
	}
	c := exec.Command(p.program, workerFlag, "--id="+r.GetWorkerId(),
		"--logging_endpoint="+r.GetLoggingEndpoint().GetUrl(), "--control_endpoint="+r.GetControlEndpoint().GetUrl())
	c.Stdout, c.Stderr = os.Stderr, os.Stderr
	// The worker's standard input is a pipe to the pool. If the pool is killed, the pipe closes, and the worker ends
	// itself.
	c.Env = append(os.Environ(), poolVariable+"=1")
	lifeline, err := c.StdinPipe()
	if err != nil {
		return &fnpb.StartWorkerResponse{Error: "a worker can't be started"}, nil
	}
	if err := c.Start(); err != nil {
		_ = lifeline.Close() // no harm: the worker was not started
		return &fnpb.StartWorkerResponse{Error: "a worker can't be started"}, nil
	}
	p.workers[w] = c
	go func() {
		_ = c.Wait() // the runner handles its exit code
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.workers != nil {
			p.workers[w] = nil
		}
	}()
	return &fnpb.StartWorkerResponse{}, nil
}

// poolVariable is set in the environment of workers that a pool has started. They end when their standard input closes.
const poolVariable = "DPRELEASE_BEAM_POOL"

// endWithPool ends this process, a worker, when its pool ends, even if the pool is killed.
func endWithPool() {
	if os.Getenv(poolVariable) == "" {
		return
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // read to the end; the pool writes nothing
		fmt.Fprintln(os.Stderr, "error: the pool of this worker has ended, and so does the worker")
		os.Exit(exitInternal) //nolint:forbidigo // the SDK's worker does not return
	}()
}

// StopWorker ends a process, unless another runner ever had a worker with the same identifier. The request does not
// name the runner. So if the runner's own worker has died, the process could be a live worker of another runner. A
// worker also ends when its runner closes the connection. It holds no state that must be kept.
func (p *pool) StopWorker(_ context.Context, r *fnpb.StopWorkerRequest) (*fnpb.StopWorkerResponse, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var found []*exec.Cmd
	for w, c := range p.workers {
		if w.id == r.GetWorkerId() {
			found = append(found, c)
		}
	}
	if len(found) == 1 && found[0] != nil {
		_ = found[0].Process.Kill() // no error: it may have ended
	}
	return &fnpb.StopWorkerResponse{}, nil
}

// stopAll ends all processes and starts no more.
func (p *pool) stopAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.workers {
		if c != nil {
			_ = c.Process.Kill() // no error: it may have ended
		}
	}
	p.workers = nil
}
