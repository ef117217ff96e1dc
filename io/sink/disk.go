package sink

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dprelease/dprelease/internal/private"
	"github.com/dprelease/dprelease/internal/regular"
)

const (
	publicMode  = 0o755 // the mode of a release folder and of the folders above it that are made, less the umask
	stagingMode = 0o700
	fileMode    = 0o644
	noteMode    = 0o600
)

// renameChecked renames from to to, after a check that nothing is at to. If another process makes a folder at to after
// the check, the rename replaces it only if it is empty.
func renameChecked(from, to string) error {
	_, err := os.Lstat(to)
	switch {
	case err == nil:
		return fs.ErrExist
	case !errors.Is(err, fs.ErrNotExist):
		return err
	default:
		return os.Rename(from, to)
	}
}

// makeParents makes the missing folders above dir and syncs each to the disk.
func makeParents(dir string) error {
	parent := filepath.Dir(dir)
	if _, err := os.Stat(parent); err == nil || parent == dir {
		return err
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := makeParents(parent); err != nil {
		return err
	}
	if err := os.Mkdir(parent, publicMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncFolder(filepath.Dir(parent))
}

// syncFile writes a file's or a folder's data to the disk. Tests replace it.
var syncFile = (*os.File).Sync

// syncFolder writes a folder's entries to the disk, if the system can.
func syncFolder(dir string) error { return regular.SyncFolder(dir, syncFile) }

// digestWriter passes written bytes to another writer and computes their SHA-256.
type digestWriter struct {
	io.Writer
	sum hash.Hash
}

func newDigestWriter(w io.Writer) *digestWriter {
	sum := sha256.New()
	return &digestWriter{Writer: io.MultiWriter(w, sum), sum: sum}
}

func (d *digestWriter) hex() string { return hex.EncodeToString(d.sum.Sum(nil)) }

// writeNew makes a file, lets fill write its contents, syncs it, and returns its SHA-256. It fails if the file exists.
func writeNew(root *os.Root, name string, mode os.FileMode, fill func(io.Writer) error) (digest string, err error) {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := newDigestWriter(f)
	if err := fill(w); err != nil {
		return "", err
	}
	return w.hex(), syncFile(f)
}

// openRegular opens a regular file of a folder. It does not follow links.
func openRegular(root *os.Root, name string) (*os.File, int64, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, errNotRegular
	}
	f, err := root.Open(name)
	return f, info.Size(), err
}

const errNotRegular = reason("not a regular file")

// cancellable is a reader that fails once its context has ended.
type cancellable struct {
	ctx context.Context
	io.Reader
}

func (c cancellable) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.Reader.Read(p)
}

// checkPrivate returns an error if a staging folder does not belong to this user, or if others can read it. Another
// user may have put files into it, or may have seen its noisy values.
func checkPrivate(op, staging string) error {
	info, err := os.Lstat(staging)
	switch {
	case err != nil:
		return failure(op, staging, err)
	case !info.IsDir():
		return refusal(op, staging, CodeUnsafeStaging, "the staging folder is a file or a link: look who made it, and "+
			"remove it")
	case !owned(staging, info):
		return refusal(op, staging, CodeUnsafeStaging,
			"the staging folder belongs to another user: run as that user, or look who made it, and remove it")
	}
	who, err := private.Others(staging, info)
	if err != nil {
		return failure(op, staging, err)
	}
	if who != "" {
		return refusal(op, staging, CodeUnsafeStaging, who+" may look into the staging folder: if nobody can have, "+
			private.Repair(staging, info)+"; else remove it, and pay for a new release with --new-release")
	}
	return nil
}

// checkNewStaging returns an error if other users can read a staging folder that was just made with mode 0700. They can
// on Windows, if the folder inherits such an access list from its parent, and on file systems that keep no modes.
func checkNewStaging(op, staging string) error {
	info, err := os.Lstat(staging)
	if err != nil {
		return failure(op, staging, err)
	}
	who, err := private.Others(staging, info)
	if err != nil {
		return failure(op, staging, err)
	}
	if who != "" {
		return refusal(op, staging, CodeUnsafeStaging, who+" may look into folders that are made there, and a release is "+
			"private until it is published: choose an output folder (output.dir) in a folder of your own")
	}
	return nil
}

// The maximum length of small files that are read, in bytes.
const (
	maxManifest = 64 << 20
	maxNote     = 4 << 10
)

const errTooLarge = reason("too large")

// readSmall reads a regular file of less than limit bytes.
func readSmall(root *os.Root, name string, limit int64) ([]byte, error) {
	f, _, err := openRegular(root, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, limit))
	if err == nil && int64(len(text)) == limit {
		err = errTooLarge
	}
	return text, err
}
