// Package hook is the entry point by which pipelinetest makes releases: only package pipeline may set it.
package hook

// NewRelease makes a *pipeline.Release of a manifest.Manifest, formats and a []pipeline.Result; nil for other types.
// Its parameters have no types because this package can't import pipeline.
var NewRelease func(manifest any, formats []string, results any) any
