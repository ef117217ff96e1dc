package sink

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dprelease/dprelease/internal/regular"
)

// A new release replaces an older one in one step: the two folders exchange their names, so that at every moment a
// reader finds one complete release. Afterwards the older release lies in the staging folder, which will be deleted. To
// save it, a file in the staging folder (replacesName) names the older release before the exchange. EndExchange moves
// that release out of the staging folder; after a crash, the next process does so.

// replacesName is the name of a file in a staging folder. The file names the older release that the staged release will
// replace.
const replacesName = "replaces"

// maxReplaces is the maximum length of the file replacesName: a path and a digest, escaped.
const maxReplaces = 64 << 10

// replaced is the content of the file replacesName.
type replaced struct {
	// Dir is the path of the older release's folder, relative to the parent of the staging folder, since another mount may
	// have another absolute path.
	Dir string `json:"dir"`
	// Digest is the SHA-256 of the older release's manifest.
	Digest string `json:"digest"`
}

// Exchange replaces the release at dir, whose manifest has the SHA-256 digest, by the staged release, in one step. The
// caller must call EndExchange next. The error is errors.ErrUnsupported if the system or the file system cannot
// exchange names; then nothing was changed.
func (f *Folder) Exchange(ctx context.Context, staging, dir, digest string) error {
	const op = "publish"
	if err := ctx.Err(); err != nil {
		return failure(op, dir, err)
	}
	if err := checkPrivate(op, staging); err != nil {
		return err
	}
	release := filepath.Join(staging, releaseName)
	if _, err := os.Lstat(filepath.Join(release, manifestName)); err != nil {
		return failure(op, release, err)
	}
	if err := writeReplaces(staging, dir, digest); err != nil {
		return failure(op, staging, err)
	}
	switch err := exchangeNames(release, dir); {
	case errors.Is(err, errors.ErrUnsupported):
		return err
	case err != nil:
		return failure(op, dir, err)
	}
	return failure(op, dir, errors.Join(syncFolder(filepath.Dir(dir)), syncFolder(staging)))
}

// writeReplaces writes the file replacesName, which names the release at dir, and syncs it to the disk.
func writeReplaces(staging, dir, digest string) error {
	relative, err := filepath.Rel(filepath.Dir(staging), dir)
	if err != nil {
		return err
	}
	text, err := json.Marshal(replaced{Dir: relative, Digest: digest})
	if err != nil {
		return err
	}
	return replaceLine(staging, replacesName, string(text))
}

// EndExchange completes an exchange. It moves the older release out of the staging folder as Retire does, removes the
// staging folder, and returns the older release's new path. If there was no exchange, the staging folder stays as it is
// and moved is empty.
func (f *Folder) EndExchange(staging string) (moved string, err error) {
	moved, exchanged, err := f.retireReplaced(staging)
	if err != nil || !exchanged {
		return "", err
	}
	return moved, remove(staging)
}

// retireReplaced moves the older release out of the staging folder after an exchange. exchanged is false if there was
// no exchange.
func (f *Folder) retireReplaced(staging string) (moved string, exchanged bool, err error) {
	const op = "move aside"
	old, err := readReplaces(staging)
	if err != nil || old == nil {
		return "", false, err
	}
	release := filepath.Join(staging, releaseName)
	switch digest, err := manifestDigest(release); {
	case errors.Is(err, fs.ErrNotExist): // an earlier call has moved it
		return "", true, nil
	case err != nil:
		return "", false, failure(op, release, err)
	case digest != old.Digest: // the names were not exchanged
		return "", false, nil
	}
	moved, err = retireAs(release, filepath.Join(filepath.Dir(staging), old.Dir), old.Digest)
	if err == nil {
		err = failure(op, staging, syncFolder(staging))
	}
	return moved, true, err
}

// manifestDigest returns the SHA-256 of the manifest of the release in dir, whatever version of the program wrote it.
func manifestDigest(dir string) (string, error) {
	root, err := regular.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	text, err := readSmall(root, manifestName, maxManifest)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// readReplaces reads the file replacesName of a staging folder. It returns nil if there is no staging folder or no
// valid file. It fails if other users can write to the staging folder, since they could choose which folder is renamed.
func readReplaces(staging string) (*replaced, error) {
	const op = "inspect"
	if _, err := os.Lstat(filepath.Join(staging, replacesName)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err := checkPrivate(op, staging); err != nil {
		return nil, err
	}
	root, err := regular.OpenRoot(staging)
	if err != nil {
		return nil, failure(op, staging, err)
	}
	defer root.Close()
	text, err := readSmall(root, replacesName, maxReplaces)
	if err != nil {
		return nil, failure(op, filepath.Join(staging, replacesName), err)
	}
	var old replaced
	if json.Unmarshal(text, &old) != nil || old.Dir == "" {
		return nil, nil // an earlier process was killed while it wrote the file, before the exchange
	}
	return &old, nil
}
