package sink

import (
	"bytes"
	"context"
	"io"

	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// Rehearse makes all files of a release in memory, to find errors early: it writes each table, reads it back and
// compares, and makes the documents and the manifest. It writes nothing to disk.
func (f *Folder) Rehearse(ctx context.Context, r *pipeline.Release) error {
	const op = "rehearse"
	outputs, err := f.plan(r)
	if err != nil {
		return err
	}
	files := map[string][]manifest.File{}
	for _, o := range outputs {
		file, err := rehearseTable(ctx, o)
		if err != nil {
			return failure(op, o.path(), err)
		}
		files[o.table.Query] = append(files[o.table.Query], file)
	}
	m := r.Manifest(files)
	if r.Presented() {
		for _, p := range f.presenters {
			if m.Documents, err = rehearseDocuments(ctx, p, r, files, m.Documents); err != nil {
				return err
			}
		}
	}
	text, err := m.Encode()
	if err == nil && len(text) >= maxManifest {
		err = errTooLarge
	}
	if err != nil {
		return failure(op, manifestName, err)
	}
	read, err := manifest.Parse(text)
	if err == nil {
		err = read.Meets()
	}
	if err != nil {
		return failure(op, manifestName, reason(err.Error()))
	}
	return nil
}

// rehearseTable writes a table to memory, reads it back and compares.
func rehearseTable(ctx context.Context, o outputFile) (manifest.File, error) {
	var text bytes.Buffer
	rows, err := o.format.Write(ctx, &text, o.table)
	if err != nil {
		return manifest.File{}, err
	}
	err = verify(ctx, o.format, bytes.NewReader(text.Bytes()), int64(text.Len()), o.table)
	return manifest.File{Path: o.path(), Holds: o.table.Holds, Rows: rows, SHA256: noDigest}, err
}

// noDigest stands for the SHA-256 of a file that does not exist.
const noDigest = "0000000000000000000000000000000000000000000000000000000000000000"

func rehearseDocuments(ctx context.Context, p pipeline.Presenter, r *pipeline.Release, files map[string][]manifest.File,
	made []manifest.File) ([]manifest.File, error) {
	documents, err := p.Present(ctx, r, files)
	if err != nil {
		return nil, err
	}
	for _, d := range documents {
		if !isFileName(d.Path) {
			return nil, refusal("rehearse", d.Path, CodeFormat, "a document's name is not a file name")
		}
		if err := d.Write(io.Discard); err != nil {
			return nil, failure("rehearse", d.Path, err)
		}
		made = append(made, manifest.File{Path: d.Path, SHA256: noDigest})
	}
	return made, nil
}
