// Package pipelinetest makes releases for the tests of sinks and reports, without a run.
package pipelinetest

import (
	"testing"

	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/internal/hook"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// NewRelease returns a release of these results, as a run of the pipeline would have made it.
func NewRelease(tb testing.TB, m manifest.Manifest, formats []string, results ...pipeline.Result) *pipeline.Release {
	tb.Helper()
	r, ok := hook.NewRelease(m, formats, results).(*pipeline.Release)
	if !ok {
		tb.Fatal("the pipeline made no release")
	}
	return r
}
