package sink

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// A preview is a folder that looks like a release but is not one: its rows are invented from the job. The name of each
// file begins with synthetic-, its documents have a banner, and its manifest has another name and format than a
// release's, so no reader of releases accepts a preview.

// WritePreview writes a release of synthetic rows into dir as a preview. It replaces an older preview or an empty
// folder. If anything else is at dir, the error is an Error with CodeExists. dir gets its contents by one rename.
func WritePreview(ctx context.Context, dir string, r *pipeline.Release, presenters ...pipeline.Presenter) error {
	const op = "publish"
	if err := replaceable(dir); err != nil {
		return failure(op, dir, err)
	}
	if err := makeParents(dir); err != nil {
		return failure(op, filepath.Dir(dir), err)
	}
	// A preview that was killed left its staging folder under the same name.
	staging := filepath.Join(filepath.Dir(dir), ".staging-preview-"+filepath.Base(dir))
	if err := errors.Join(os.RemoveAll(staging), os.Mkdir(staging, 0o700)); err != nil {
		return failure(op, filepath.Dir(dir), err)
	}
	defer func() { _ = os.RemoveAll(staging) }() // not an error for the caller: nothing in it is private
	f := &Folder{formats: builtin()}
	s := &stager{ctx: ctx, staging: staging, dir: filepath.Join(staging, releaseName), presenters: presenters,
		synthetic: true}
	var err error
	if s.files, err = f.plan(r); err != nil {
		return err
	}
	if err := os.Mkdir(s.dir, publicMode); err != nil {
		return failure("write", s.dir, err)
	}
	r.MarkSynthetic()
	if err := s.fill(r); err != nil {
		return failure("write", s.dir, err)
	}
	if err := replaceable(dir); err != nil {
		return failure(op, dir, err)
	}
	if err := renameChecked(dir, filepath.Join(staging, "older")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failure(op, dir, err)
	}
	return failure(op, dir, renameNew(s.dir, dir))
}

// replaceable returns fs.ErrExist if something is at dir that is neither a preview nor an empty folder.
func replaceable(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), manifest.SyntheticPrefix) {
			return fs.ErrExist
		}
	}
	return nil
}
