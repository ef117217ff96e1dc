package sink

import (
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

const (
	manifestName = manifest.FileName
	releaseName  = "release" // the release folder inside a staging folder
	noteName     = "note"
	macName      = "mac"
	// SignatureName is the file that holds the signature of a signed manifest.
	SignatureName = manifestName + ".minisig"
)

// Folder writes releases to folders of the local file system. It has no state, so it may be used concurrently for
// different folders.
type Folder struct {
	formats    map[string]format
	presenters []pipeline.Presenter
}

var _ pipeline.Sink = (*Folder)(nil)

// New returns a sink that knows every format. If a release includes documents, the presenters make them.
func New(presenters ...pipeline.Presenter) pipeline.Sink {
	return &Folder{formats: builtin(), presenters: presenters}
}

// syntheticManifest is the file name of a preview's manifest.
const syntheticManifest = manifest.SyntheticPrefix + manifestName
