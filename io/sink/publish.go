package sink

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Publish makes the staged release visible as dir by one rename, and removes the staging folder. If dir is an empty
// folder, it is replaced; if anything else is at dir, the error is an Error with CodeExists.
func (f *Folder) Publish(ctx context.Context, staging, dir string) error {
	const op = "publish"
	if err := ctx.Err(); err != nil {
		return failure(op, dir, err)
	}
	release := filepath.Join(staging, releaseName)
	if _, err := os.Lstat(filepath.Join(release, manifestName)); err != nil {
		return failure(op, release, err)
	}
	if err := makeParents(dir); err != nil {
		return failure(op, filepath.Dir(dir), err)
	}
	if err := removeIfEmpty(dir); err != nil {
		return failure(op, dir, err)
	}
	switch err := renameNew(release, dir); {
	case errors.Is(err, syscall.EXDEV): // staging is on another disk than dir
		if err := f.Copy(ctx, release, dir); err != nil {
			return err
		}
		return f.Discard(staging)
	case err != nil:
		return failure(op, dir, err)
	}
	if err := syncFolder(filepath.Dir(dir)); err != nil {
		return failure(op, dir, err)
	}
	return f.Discard(staging)
}

func removeIfEmpty(dir string) error {
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.IsDir():
		return fs.ErrExist
	default:
		return removeEmpty(dir)
	}
}

// Discard removes a staging folder and its contents, durably. If an exchange left a published release in it, Discard
// first moves that release aside. It is not an error if there is no staging folder.
func (f *Folder) Discard(staging string) error {
	if _, _, err := f.retireReplaced(staging); err != nil {
		return err
	}
	return remove(staging)
}

func remove(staging string) error {
	if _, err := os.Lstat(staging); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := os.RemoveAll(staging); err != nil {
		return failure("remove", staging, err)
	}
	return failure("remove", staging, syncFolder(filepath.Dir(staging)))
}

// shortDigest is the number of digits of a digest in the name of a folder that was moved aside.
const shortDigest = 8

// Retire renames a published folder to dir.<first 8 digits of its digest>, with -2, -3, … appended if the name is
// taken.
func (f *Folder) Retire(dir, digest string) (moved string, err error) {
	const op = "move aside"
	if _, err := os.Lstat(dir); err != nil {
		return "", failure(op, dir, err)
	}
	return retireAs(dir, dir, digest)
}

// retireAs renames the release at from to a name beside dir, as Retire does with the release at dir.
func retireAs(from, dir, digest string) (moved string, err error) {
	const op, tries = "move aside", 1000
	if len(digest) < shortDigest || !isFileName(digest) {
		return "", refusal(op, dir, CodeFormat, "the digest is not one")
	}
	base := filepath.Clean(dir) + "." + digest[:shortDigest]
	moved = base
	for n := 2; ; n++ {
		err := renameNew(from, moved)
		if err == nil {
			return moved, failure(op, dir, syncFolder(filepath.Dir(moved)))
		}
		if !errors.Is(err, fs.ErrExist) || n > tries {
			return "", failure(op, dir, err)
		}
		moved = fmt.Sprintf("%s-%d", base, n)
	}
}
