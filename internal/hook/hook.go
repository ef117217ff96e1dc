// Package hook lets tests of sinks make a pipeline.Release without a run. Only package pipeline sets the hook.
package hook

// NewRelease is a func(manifest.Manifest, []string, []pipeline.Result) *pipeline.Release, of a manifest, formats and
// results. It has no type because this package can't import pipeline.
var NewRelease any
