// Package hook lets tests of package sink make a pipeline.Release without a run. Only package pipeline sets the hook.
package hook

// NewRelease makes a release from a manifest, formats and results. It holds a func(manifest.Manifest, []string,
// []pipeline.Result) *pipeline.Release, and has type any because this package can't import pipeline.
var NewRelease any
