package sink

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/internal/regular"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// Inspect checks a release folder: its manifest, the SHA-256 of every file that the manifest names, and that there is
// no other file. It returns the SHA-256 of release.json.
func (f *Folder) Inspect(ctx context.Context, dir string) (digest string, err error) {
	c, err := inspect(ctx, dir)
	return c.Digest, err
}

// Examined is what Examine finds in a release folder.
type Examined struct {
	// Manifest is release.json; nil if it cannot be read. Digest is its SHA-256.
	Manifest *manifest.Manifest
	Digest   string
	// Compared is the number of files whose SHA-256 equals the manifest's.
	Compared int
	// Findings are sentences about files that are changed, missing or not part of the release. They hold no value of a
	// table.
	Findings []string
	paths    []string // the paths of the release's files other than the manifest
}

func (e *Examined) addFinding(text string) { e.Findings = append(e.Findings, text) }

// Staged returns the note of a complete staging folder and the SHA-256 of its manifest. It fails if other users can
// read the folder.
func (f *Folder) Staged(ctx context.Context, staging string) (note, digest string, err error) {
	if err := checkPrivate("inspect", staging); errors.Is(err, fs.ErrNotExist) {
		return "", "", noRelease(staging)
	} else if err != nil {
		return "", "", err
	}
	c, err := inspect(ctx, filepath.Join(staging, releaseName))
	if err != nil {
		return "", "", err
	}
	root, err := regular.OpenRoot(staging)
	if err != nil {
		return "", "", failure("inspect", staging, err)
	}
	defer root.Close()
	text, err := readSmall(root, noteName, maxNote)
	if err != nil {
		return "", "", missingError(staging, noteName, err)
	}
	note, whole := strings.CutSuffix(string(text), "\n")
	if !whole {
		return "", "", incomplete(staging, "the note is cut short")
	}
	return note, c.Digest, nil
}

// inspect checks a release folder as Examine does, and returns the findings as an error.
func inspect(ctx context.Context, dir string) (*Examined, error) {
	e, err := Examine(ctx, dir)
	if err != nil {
		return &Examined{}, err
	}
	if len(e.Findings) > 0 {
		return &Examined{}, incomplete(dir, strings.Join(e.Findings, "; "))
	}
	return e, nil
}

// Examine checks a release folder as Inspect does, but continues after the first finding. It returns an error if there
// is no release, or if the folder or a file of it cannot be read at all.
func Examine(ctx context.Context, dir string) (*Examined, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, noRelease(dir)
	case err != nil:
		return nil, failure("inspect", dir, err)
	case !info.IsDir():
		return nil, incomplete(dir, "a file, not a release folder")
	}
	root, err := regular.OpenRoot(dir)
	if err != nil {
		return nil, failure("inspect", dir, err)
	}
	defer root.Close()
	i := &inspection{ctx: ctx, dir: dir, root: root}
	if err := i.run(); err != nil {
		return nil, failure("inspect", dir, err)
	}
	return &i.Examined, nil
}

// inspection is a check of a release folder in progress.
type inspection struct {
	ctx  context.Context
	dir  string
	root *os.Root
	Examined
}

func (i *inspection) run() error {
	names, err := i.list()
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return noRelease(i.dir)
	}
	if err := i.readManifest(); err != nil || i.Manifest == nil {
		return err
	}
	listed := map[string]bool{manifestName: true}
	if i.Manifest.Signature != nil {
		listed[SignatureName], i.paths = true, append(i.paths, SignatureName)
		if _, err := readSmall(i.root, SignatureName, maxNote); err != nil {
			if err := i.noteMissing(SignatureName, err); err != nil {
				return err
			}
		}
	}
	if err := i.compareFiles(listed); err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range names {
		if !listed[name] {
			i.addFinding(name + " does not belong to the release")
		}
	}
	return nil
}

func (i *inspection) list() ([]string, error) {
	d, err := i.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

// readManifest reads release.json. If the file is not a manifest, it records a finding and leaves the manifest nil.
func (i *inspection) readManifest() error {
	text, err := readSmall(i.root, manifestName, maxManifest)
	if errors.Is(err, fs.ErrNotExist) && i.isPreview() {
		i.addFinding("the folder " + manifest.ErrSynthetic.Error())
		return nil
	}
	if err != nil {
		return i.noteMissing(manifestName, err)
	}
	m, err := manifest.Parse(text)
	if err != nil {
		i.addFinding(manifestName + " " + err.Error())
		return nil
	}
	sum := sha256.Sum256(text)
	i.Manifest, i.Digest = &m, hex.EncodeToString(sum[:])
	return nil
}

// isPreview reports whether the folder has the manifest of a preview.
func (i *inspection) isPreview() bool {
	_, err := i.root.Lstat(syntheticManifest)
	return err == nil
}

// compareFiles compares the SHA-256 of every file that the manifest names.
func (i *inspection) compareFiles(listed map[string]bool) error {
	for q := range i.Manifest.Queries {
		files := i.Manifest.Queries[q].Files
		if len(files) == 0 {
			i.addFinding(manifestName + " names no file of a query")
		}
		if err := i.compareListed(files, listed); err != nil {
			return err
		}
	}
	return i.compareListed(i.Manifest.Documents, listed)
}

func (i *inspection) compareListed(files []manifest.File, listed map[string]bool) error {
	for _, f := range files {
		if !isFileName(f.Path) || listed[f.Path] {
			i.addFinding(manifestName + " names a file twice or outside the folder")
			continue
		}
		listed[f.Path], i.paths = true, append(i.paths, f.Path)
		if err := i.compareFile(f); err != nil {
			return err
		}
	}
	return nil
}

func (i *inspection) compareFile(f manifest.File) error {
	digest, err := i.fileDigest(f.Path)
	switch {
	case err != nil:
		return i.noteMissing(f.Path, err)
	case digest != f.SHA256:
		i.addFinding(f.Path + " has been changed")
	default:
		i.Compared++
	}
	return nil
}

func (i *inspection) fileDigest(name string) (string, error) {
	f, _, err := openRegular(i.root, name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	w := newDigestWriter(io.Discard)
	_, err = io.Copy(w, cancellable{i.ctx, f})
	return w.hex(), err
}

// noteMissing records a finding if err means that a file of the release is missing or not a regular file. It returns
// other errors unchanged.
func (i *inspection) noteMissing(name string, err error) error {
	if reason := whyMissing(name, err); reason != "" {
		i.addFinding(reason)
		return nil
	}
	return failure("inspect", filepath.Join(i.dir, name), err)
}

// whyMissing returns why a file of the release cannot be read: it is missing or not a regular file. It returns "" if
// err means something else.
func whyMissing(name string, err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return name + " is missing"
	case errors.Is(err, errNotRegular), errors.Is(err, errTooLarge):
		return name + " is " + err.Error()
	}
	return ""
}

// missingError returns the error for a file of a release that cannot be read.
func missingError(dir, name string, err error) error {
	if reason := whyMissing(name, err); reason != "" {
		return incomplete(dir, reason)
	}
	return failure("inspect", filepath.Join(dir, name), err)
}

// Find returns the folder that holds the release with this manifest digest: dir, or a folder beside it to which Retire
// moved it. The error is pipeline.ErrNoRelease if it is in neither place, and pipeline.ErrIncomplete if dir holds a
// release that was changed.
func (f *Folder) Find(ctx context.Context, dir, digest string) (string, error) {
	found, err := f.Inspect(ctx, dir)
	switch {
	case err == nil && found == digest:
		return dir, nil
	case err != nil && ctx.Err() != nil:
		return "", err
	}
	base := filepath.Clean(dir) + "." + digest[:min(shortDigest, len(digest))]
	aside := base
	for n := 2; ; n++ {
		if _, err := os.Lstat(aside); err != nil {
			break
		}
		if found, err := f.Inspect(ctx, aside); err == nil && found == digest {
			return aside, nil
		}
		aside = fmt.Sprintf("%s-%d", base, n)
	}
	if errors.Is(err, pipeline.ErrIncomplete) {
		return "", err
	}
	return "", noRelease(dir)
}
