package pipeline

import (
	"github.com/dprelease/dprelease/pipeline/internal/hook"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// Tests of sinks and reports need releases, and only a run makes them: pipelinetest, which needs a testing.TB, makes
// them through this hook. A release holds public data alone.
func init() {
	hook.NewRelease = func(of any, formats []string, results any) any {
		m, isManifest := of.(manifest.Manifest)
		r, isResults := results.([]Result)
		if !isManifest || !isResults {
			return nil
		}
		return &Release{manifest: m, formats: formats, results: r}
	}
}
