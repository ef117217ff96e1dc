package arrow

import (
	"github.com/dprelease/dprelease/io/source/internal/scan"
)

// How the record batches of a store's file are fetched. Where the buffers of a column are, only the metadata of a
// record batch says, and to ask for that alone takes a request. So a split is fetched whole, as long as it is short and
// its columns are not known to be a small part of it. Else the metadata are fetched first, and then the buffers of the
// columns, of one record batch while the one before it is read.

const (
	// wholeSplit is the longest split that is fetched whole, in bytes.
	wholeSplit = 8 << 20
	// maxUnused is how many bytes of a record batch are fetched in vain rather than ask for its metadata first.
	maxUnused = 1 << 20
)

// Fetch implements scan.Fetcher. It asks for what Read will expect first.
func (a *file) Fetch(split int, _ []string) bool {
	if a.Remote == nil || a.streamed {
		return false
	}
	parts, _ := a.parts(split)
	return a.Remote.Fetch(parts...)
}

// parts returns what is fetched before a split is read: its record batches, or only their metadata. What is returned
// first for a split, always is.
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

// extents returns where the buffers of readers are.
func extents(readers []*arrayReader) (out []scan.Extent) {
	for _, r := range readers {
		for _, b := range r.buffers {
			out = append(out, scan.Extent{At: b.section.At, Size: b.section.End - b.section.At})
		}
	}
	return out
}
