package pipeline

import "github.com/dprelease/dprelease/pipeline/internal/hook"

// Tests of sinks and reports need releases, and only a run makes them: pipelinetest, which needs a testing.TB, makes
// them through this hook. A release holds public data alone.
func init() {
	hook.NewRelease = func(manifest any, formats []string, results any) any {
		m, isManifest := manifest.(Manifest)
		r, isResults := results.([]Result)
		if !isManifest || !isResults {
			return nil
		}
		return &Release{manifest: m, formats: formats, results: r}
	}
}
