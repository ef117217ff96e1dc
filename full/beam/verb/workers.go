package verb

import (
	"context"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"
	"google.golang.org/protobuf/proto"

	dpbeam "github.com/dprelease/dprelease/full/beam"
)

// Several workers on prism
//
// Prism starts one worker for each environment of a pipeline, and the Go SDK gives a pipeline one environment. So the
// functions of each worker's scope (dpbeam.WorkerScope) get a copy of it, and prism asks the pool for as many workers.

// runOnWorkers runs a pipeline on a portable runner as the SDK's universal runner does, with an environment for each
// worker's scope.
func runOnWorkers(ctx context.Context, p *beam.Pipeline) error {
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
	separate(pipeline.GetComponents())
	_, err = runnerlib.Execute(ctx, pipeline, endpoint, &runnerlib.JobOptions{
		Name: jobopts.GetJobName(), Experiments: jobopts.GetExperiments(), Worker: *jobopts.WorkerBinary, Parallelism: *jobopts.Parallelism,
	}, false)
	return err
}

// environmentMark is between the SDK's name of an environment and a scope's.
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
				copied.Dependencies = nil // the pool's workers have the program
				c.GetEnvironments()[id] = copied
			}
			t.EnvironmentId = id
			break
		}
	}
}
