package verb

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"google.golang.org/protobuf/proto"

	dpbeam "github.com/dprelease/dprelease/full/beam"
)

// Several workers on prism
//
// Prism starts one worker for each environment of a pipeline, and the Go SDK gives a pipeline one environment. So the
// functions of each worker's scope (dpbeam.WorkerScope) get a copy of the environment, and prism asks the pool for as
// many workers.

// runOnServer runs a pipeline on a portable runner as the SDK's universal runner does. If there are several workers,
// the functions of each worker's scope get an environment of their own. If the job makes no progress for the duration
// stalled, it is cancelled, and the error is errStalled.
func runOnServer(ctx context.Context, p *beam.Pipeline, workers int, stalled time.Duration) error {
	endpoint, err := jobopts.GetEndpoint()
	if err != nil {
		return err
	}
	edges, _, err := p.Build()
	if err != nil {
		return err
	}
	environment, err := graphx.CreateEnvironment(ctx, jobopts.GetEnvironmentUrn(ctx), jobopts.GetEnvironmentConfig)
	if err != nil {
		return err
	}
	pipeline, err := graphx.Marshal(edges, &graphx.Options{Environment: environment,
		PipelineResourceHints: jobopts.GetPipelineResourceHints()})
	if err != nil {
		return err
	}
	if workers > 1 {
		separate(pipeline.GetComponents())
	}
	if err := runnerlib.UpdateGoEnvironmentWorker(*jobopts.WorkerBinary, pipeline); err != nil {
		return err
	}
	conn, err := grpcx.Dial(ctx, endpoint, dialTime)
	if err != nil {
		return err
	}
	defer conn.Close()
	client := jobpb.NewJobServiceClient(conn)
	id, artifacts, token, err := runnerlib.Prepare(ctx, client, pipeline, &runnerlib.JobOptions{
		Name: jobopts.GetJobName(), Experiments: jobopts.GetExperiments(), RetainDocker: *jobopts.RetainDockerContainers,
		Parallelism: *jobopts.Parallelism,
	})
	if err != nil {
		return err
	}
	if token, err = runnerlib.Stage(ctx, id, artifacts, *jobopts.WorkerBinary, token); err != nil {
		return err
	}
	job, err := runnerlib.Submit(ctx, client, id, token)
	if err != nil {
		return err
	}
	watched, end := context.WithCancelCause(ctx)
	defer end(nil)
	go func() {
		if isStalled(watched, client, job, stalled) {
			end(errStalled)
		}
	}()
	err = runnerlib.WaitForCompletion(watched, client, job)
	if errors.Is(context.Cause(watched), errStalled) && err != nil {
		within, done := context.WithTimeout(ctx, cancelTime)
		defer done()
		_, _ = client.Cancel(within, &jobpb.CancelJobRequest{JobId: job}) // a runner that hangs may not answer
		return errStalled
	}
	return err
}

// dialTime is how long an attempt waits for the runner's job server, which may be starting.
const dialTime = 30 * time.Second

// environmentMark separates the SDK's name of an environment from the name of a scope.
const environmentMark = "-"

// separate gives the functions of each worker's scope an environment of their own.
func separate(c *pipepb.Components) {
	for _, t := range c.GetTransforms() {
		for scope := range strings.SplitSeq(t.GetUniqueName(), "/") {
			if t.GetEnvironmentId() == "" || !strings.HasPrefix(scope, dpbeam.WorkerScope) {
				continue
			}
			id := t.GetEnvironmentId() + environmentMark + scope
			if c.GetEnvironments()[id] == nil {
				copied := proto.CloneOf(c.GetEnvironments()[t.GetEnvironmentId()])
				copied.Dependencies = nil // the pool's workers already have the program
				c.GetEnvironments()[id] = copied
			}
			t.EnvironmentId = id
			break
		}
	}
}
