package sink

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dprelease/dprelease/pipeline"
)

const (
	maxManifest = 64 << 20
	maxNote     = 4 << 10
)

// Inspect checks a release folder: its manifest, the SHA-256 of every file that it names, and that there is no other
// file. It returns the SHA-256 of release.json.
func (f *Folder) Inspect(ctx context.Context, dir string) (digest string, err error) {
	c, err := inspect(ctx, dir)
	return c.digest, err
}

// Staged returns the note and the manifest's SHA-256 of a complete staging folder.
func (f *Folder) Staged(ctx context.Context, staging string) (note, digest string, err error) {
	c, err := inspect(ctx, filepath.Join(staging, releaseName))
	if err != nil {
		return "", "", err
	}
	root, err := os.OpenRoot(staging)
	if err != nil {
		return "", "", failure("inspect", staging, err)
	}
	defer root.Close()
	text, err := readSmall(root, noteName, maxNote)
	if err != nil {
		return "", "", missing(staging, noteName, err)
	}
	note, whole := strings.CutSuffix(string(text), "\n")
	if !whole {
		return "", "", incomplete(staging, "the note is cut short")
	}
	return note, c.digest, nil
}

// content is a complete release folder.
type content struct {
	digest string   // of the manifest
	paths  []string // of the other files
	signed bool
}

func inspect(ctx context.Context, dir string) (content, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return content{}, noRelease(dir)
	case err != nil:
		return content{}, failure("inspect", dir, err)
	case !info.IsDir():
		return content{}, incomplete(dir, "it is a file")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return content{}, failure("inspect", dir, err)
	}
	defer root.Close()
	i := &inspection{ctx: ctx, dir: dir, root: root}
	c, err := i.run()
	return c, failure("inspect", dir, err)
}

// inspection is one check of a folder in progress.
type inspection struct {
	ctx  context.Context
	dir  string
	root *os.Root
}

func (i *inspection) run() (content, error) {
	names, err := i.list()
	if err != nil {
		return content{}, err
	}
	if len(names) == 0 {
		return content{}, noRelease(i.dir)
	}
	c, files, err := i.manifest()
	if err != nil {
		return content{}, err
	}
	listed := map[string]bool{manifestName: true}
	if c.signed {
		listed[SignatureName], c.paths = true, append(c.paths, SignatureName)
		if _, err := readSmall(i.root, SignatureName, maxNote); err != nil {
			return content{}, missing(i.dir, SignatureName, err)
		}
	}
	for _, f := range files {
		if !plainName(f.Path) || listed[f.Path] {
			return content{}, incomplete(i.dir, manifestName+" names a file twice or outside the folder")
		}
		listed[f.Path], c.paths = true, append(c.paths, f.Path)
	}
	for _, name := range names {
		if !listed[name] {
			return content{}, incomplete(i.dir, name+" does not belong to the release")
		}
	}
	return c, i.compare(files)
}

func (i *inspection) list() ([]string, error) {
	d, err := i.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

// manifest reads release.json and returns its digest and the files that it names.
func (i *inspection) manifest() (content, []pipeline.File, error) {
	text, err := readSmall(i.root, manifestName, maxManifest)
	if err != nil {
		return content{}, nil, missing(i.dir, manifestName, err)
	}
	m, err := decodeManifest(text)
	if err != nil {
		return content{}, nil, incomplete(i.dir, manifestName+" "+err.Error())
	}
	var files []pipeline.File
	for _, q := range m.Queries {
		files = append(files, q.Files...)
		if len(q.Files) == 0 {
			return content{}, nil, incomplete(i.dir, manifestName+" names no file of a query")
		}
	}
	sum := sha256.Sum256(text)
	return content{digest: hex.EncodeToString(sum[:]), signed: m.Signature != nil}, files, nil
}

// decodeManifest accepts exactly one manifest of our format. Its errors are in our own words.
func decodeManifest(text []byte) (m pipeline.Manifest, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return m, reason("is damaged, or of another version")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return m, reason("has something after its end")
	}
	if m.Format != pipeline.ManifestFormat {
		return m, reason("has another format")
	}
	return m, nil
}

// compare reads every file and compares its SHA-256.
func (i *inspection) compare(files []pipeline.File) error {
	for _, f := range files {
		digest, err := i.digest(f.Path)
		if err != nil {
			return missing(i.dir, f.Path, err)
		}
		if digest != f.SHA256 {
			return incomplete(i.dir, f.Path+" has been changed")
		}
	}
	return nil
}

func (i *inspection) digest(name string) (string, error) {
	f, _, err := openRegular(i.root, name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	w := newDigestWriter(io.Discard)
	_, err = io.Copy(w, cancellable{i.ctx, f})
	return w.hex(), err
}

// missing says that a file of a release is not there, or no file; other errors pass.
func missing(dir, name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return incomplete(dir, name+" is missing")
	case errors.Is(err, errNotRegular), errors.Is(err, errTooLarge):
		return incomplete(dir, name+" is "+err.Error())
	default:
		return failure("inspect", filepath.Join(dir, name), err)
	}
}

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
