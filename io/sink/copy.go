package sink

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/dprelease/dprelease/internal/regular"
)

// Copy publishes at dir a byte-identical copy of the release folder from. It writes the copy into a staging folder
// beside dir. If a copy is interrupted, the next call removes the files that it left.
func (f *Folder) Copy(ctx context.Context, from, dir string) error {
	source, err := inspect(ctx, from)
	if err != nil {
		return err
	}
	staging := copyStaging(dir, source.Digest)
	if err := errors.Join(f.Discard(staging), f.Prepare(staging)); err != nil {
		return err
	}
	if err := f.copyStaged(ctx, from, staging, source); err != nil {
		return errors.Join(err, f.Discard(staging))
	}
	if err := f.Publish(ctx, staging, dir); err != nil {
		return errors.Join(err, f.Discard(staging))
	}
	return nil
}

// copyStaging returns the path of the staging folder for a copy. It depends only on dir and digest, so a second try
// finds the folder of the first.
func copyStaging(dir, digest string) string {
	name := sha256.Sum256([]byte(filepath.Base(dir) + "\x00" + digest))
	return filepath.Join(filepath.Dir(dir), fmt.Sprintf(".staging-copy-%x", name[:8]))
}

// copyStaged copies the files, the manifest last, and checks the copy.
func (f *Folder) copyStaged(ctx context.Context, from, staging string, source *Examined) error {
	to := filepath.Join(staging, releaseName)
	if err := os.Mkdir(to, publicMode); err != nil {
		return failure("copy", to, err)
	}
	for _, name := range append(source.paths, manifestName) {
		if err := copyFile(ctx, from, to, name); err != nil {
			return failure("copy", filepath.Join(to, name), err)
		}
	}
	if err := errors.Join(syncFolder(to), syncFolder(staging)); err != nil {
		return failure("copy", to, err)
	}
	digest, err := f.Inspect(ctx, to)
	if err == nil && digest != source.Digest {
		return refusal("copy", to, CodeMismatch, "the release changed while it was copied")
	}
	return err
}

func copyFile(ctx context.Context, from, to, name string) error {
	source, err := regular.OpenRoot(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := regular.OpenRoot(to)
	if err != nil {
		return err
	}
	defer target.Close()
	in, _, err := openRegular(source, name)
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = writeNew(target, name, fileMode, func(w io.Writer) error {
		_, err := io.Copy(w, cancellable{ctx, in})
		return err
	})
	return err
}
