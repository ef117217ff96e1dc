package arrow

import (
	"github.com/dprelease/dprelease/io/source/internal/scan"
)

// This file decides which parts of a file in a store are fetched ahead. Only the metadata of a record batch tells where
// the buffers of a column are, and fetching the metadata alone costs a request. So a short split is fetched whole,
// unless an earlier one showed that the columns are a small part of it. Otherwise the metadata is fetched first. The
// buffers of a record batch are fetched while the batch before it is read.

const (
	// wholeSplit is the longest split that is fetched whole, in bytes.
	wholeSplit = 8 << 20
	// maxUnused is how many unused bytes of a record batch may be fetched to save a request for its metadata.
	maxUnused = 1 << 20
)

// Fetch starts to fetch what Read will need first: the whole split or its metadata.
func (a *file) Fetch(split int, _ []string) bool {
	if a.Remote == nil || a.streamed {
		return false
	}
	parts, _ := a.parts(split)
	return a.Remote.Fetch(parts...)
}

// parts returns the parts to fetch before a split is read: its record batches, or only their metadata. The first answer
// for a split is kept, so that Fetch and Read expect the same parts.
func (a *file) parts(split int) (parts []scan.Extent, metadata bool) {
	total := int64(0)
	for _, b := range a.groups[split] {
		total += b.meta + b.body
	}
	only, _ := a.sparse.LoadOrStore(split, total > wholeSplit || a.unused.Load() > maxUnused)
	metadata = only.(bool)
	for _, b := range a.groups[split] {
		part := scan.Extent{At: b.at, Size: b.meta}
		if !metadata {
			part.Size += b.body
		}
		parts = append(parts, part)
	}
	return parts, metadata
}

// extents returns the extents of the readers' buffers in the file.
func extents(readers []*arrayReader) (out []scan.Extent) {
	for _, r := range readers {
		for _, b := range r.buffers {
			out = append(out, scan.Extent{At: b.section.At, Size: b.section.End - b.section.At})
		}
	}
	return out
}
