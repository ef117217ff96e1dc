package publish

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/internal/regular"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/io/store"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

const (
	manifestName = manifest.FileName
	// atOnce is the number of files that are compared or sent in parallel. step is the number of bytes of an object
	// that are read at a time.
	atOnce = 8
	step   = 4 << 20
	// maxManifest is the maximum length of another release's manifest, which is read to learn the release's files.
	maxManifest = 64 << 20
)

// file is a file of the release that is published.
type file struct {
	name   string // path in the release folder, with slashes
	digest string // SHA-256, as the manifest states it
	size   int64
}

// filesOf returns the files of a release with the digests in its manifest; the manifest is last.
func filesOf(dir string, found *sink.Examined) ([]file, error) {
	digests := named(found.Manifest)
	names := slices.Collect(maps.Keys(digests))
	if found.Manifest.Signature != nil {
		_, signature, err := sink.ReadSigned(dir)
		if err != nil {
			return nil, pipeline.OutputError(err)
		}
		sum := sha256.Sum256(signature)
		digests[sink.SignatureName] = hex.EncodeToString(sum[:])
		names = append(names, sink.SignatureName)
	}
	digests[manifestName] = found.Digest
	names = append(names, manifestName)
	files := make([]file, len(names))
	for i, name := range names {
		info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return nil, pipeline.OutputError(err)
		}
		files[i] = file{name, digests[name], info.Size()}
	}
	return files, nil
}

// named returns the files that a manifest names, with their digests.
func named(m *manifest.Manifest) map[string]string {
	digests := map[string]string{}
	for _, q := range m.Queries {
		for _, f := range q.Files {
			digests[f.Path] = f.SHA256
		}
	}
	for _, f := range m.Documents {
		digests[f.Path] = f.SHA256
	}
	return digests
}

// state tells what the store has under a file's name: no object, an object with the same contents, or one with other
// contents.
type state uint8

const (
	absent state = iota
	same
	other
)

// sighting describes the object that the store has under a file's name.
type sighting struct {
	state  state
	object store.Object // the zero object if the store has none
	digest string       // SHA-256 of the object; "" if it was not read, since its length differs
}

// copying is a publication in progress.
type copying struct {
	to      store.Writer
	at      store.Address
	prefix  string
	dir     string
	files   []file // the files to publish; the manifest is last
	replace bool
	note    store.Object // the note of this publication in the store; the zero object if there is none
	first   bool         // nothing is replaced: the note lists this release's files only
	resumed bool         // another publication was interrupted and left objects
	stays   error        // why the note of a first publication could not be removed; nil if it was

	sent, found, removed, kept int64
}

// run compares the files with the store, writes a note, removes the manifest of another release, sends the files and
// then the manifest, and removes the note.
func (c *copying) run(ctx context.Context) error {
	seen := make([]sighting, len(c.files))
	err := c.each(ctx, len(c.files), func(ctx context.Context, i int) (err error) {
		seen[i], err = c.look(ctx, c.files[i])
		return err
	})
	if err != nil {
		return err
	}
	var old map[string][]string
	if c.replace {
		if old, err = c.retire(ctx, seen); err != nil {
			return err
		}
	} else if err := c.vacant(ctx, seen); err != nil {
		return err
	}
	if old == nil {
		if complete := !slices.ContainsFunc(seen, func(s sighting) bool { return s.state != same }); !complete {
			if err := c.begin(ctx); err != nil {
				return err
			}
		}
		c.first, old = true, map[string][]string{}
	}
	last := len(c.files) - 1
	err = c.each(ctx, last, func(ctx context.Context, i int) error { return c.sendFile(ctx, c.files[i], &seen[i]) })
	if err == nil {
		err = c.unchanged(ctx, seen)
	}
	if err == nil {
		err = c.sendFile(ctx, c.files[last], &seen[last])
	}
	if err != nil || c.note.Key == "" {
		return err
	}
	// Another replacement may have changed a file after it was checked: then the manifest must not stay beside it. If the
	// store does not answer, no other replacement was seen, and the manifest stays.
	if err := c.unchanged(ctx, seen); errors.As(err, new(takenError)) {
		return errors.Join(err, c.remove(ctx, seen[last].object))
	} else if err != nil {
		return err
	}
	return c.clear(ctx, old)
}

// vacant returns an error if the prefix in the store holds another release, or part of one.
func (c *copying) vacant(ctx context.Context, seen []sighting) error {
	// The note exists while a publication is in progress. Files of two releases can be there, even if this one is
	// complete.
	before, files, err := c.readNote(ctx)
	switch {
	case err != nil:
		return err
	case before.Key != "" && maps.EqualFunc(files, c.ownFiles(), slices.Equal):
		c.note = before // this release was being published
	case before.Key != "":
		return c.unfinished()
	}
	for i, s := range seen {
		switch {
		case s.state != other:
		case seen[len(seen)-1].state == other:
			return c.refusal(c.files[i].name, " has other contents than this release",
				"choose another prefix, or put this release in place of that one with --replace")
		default:
			return c.refusal(c.files[i].name, " has other contents than this release, and no release is there",
				"choose another prefix, or move it away yourself")
		}
	}
	return nil
}

// ownFiles returns the files of this release but the manifest, as a note lists them.
func (c *copying) ownFiles() map[string][]string {
	files := map[string][]string{}
	for _, f := range c.files[:len(c.files)-1] {
		files[f.name] = []string{f.digest}
	}
	return files
}

// begin writes the note of a first publication, unless it is there. It has no Run: two publications of one release can
// be in progress, and have the same note.
func (c *copying) begin(ctx context.Context) error {
	if c.note.Key != "" {
		return nil
	}
	err := c.putNote(ctx, store.NoObject, note{Format: noteFormat, Files: c.ownFiles()})
	if store.KindOf(err) == store.Exists {
		return c.unfinished()
	}
	return err
}

// unfinished returns the error for the case that the note of another release is there.
func (c *copying) unfinished() error {
	return c.refusal("", " has part of another release, whose publication is in progress or was cut off",
		"if nobody is at it, the command that was cut off finishes it, and release publish --replace of this release "+
			"undoes it: it removes what is left there and puts this release in its place")
}

// each calls f for each number from 0 to n - 1, several at the same time.
func (c *copying) each(ctx context.Context, n int, f func(context.Context, int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	for i := range n {
		g.Go(func() error { return f(ctx, i) })
	}
	return g.Wait()
}

// refusal returns an error about a name below the prefix.
func (c *copying) refusal(name, what, hint string) error {
	return &pipeline.Error{Cause: pipeline.CauseOutput, Code: "other-release",
		Message: console.Visible(c.at.At(c.prefix+name).String()) + what, Hint: hint}
}

// replacedName is the name of a note in the store that exists while a release is published, perhaps in place of another
// one. The note lists the files of all releases below the prefix, with the digests that they may have. It is written
// before the first change and removed after the last one. If a publication is interrupted, the next one, even of
// another release, learns from the note which objects may be removed.
const replacedName = manifestName + ".replaced"

// noteFormat is the value of Format in each note.
const noteFormat = "dprelease-replacement-1"

// note is the content of the note replacedName.
type note struct {
	Format string `json:"format"`
	// Run is random, so that the notes of two replacements always differ; "" if nothing is replaced.
	Run   string              `json:"run"`
	Files map[string][]string `json:"files"`
}

// retire removes the manifest of another release. It returns the files of all earlier releases with their digests; nil
// if there is no other release. Only these files may be replaced, since other objects below the prefix are not ours.
func (c *copying) retire(ctx context.Context, seen []sighting) (old map[string][]string, err error) {
	last := len(c.files) - 1
	before, old, err := c.readNote(ctx)
	if err != nil {
		return nil, err
	}
	if seen[last].state == other {
		if old, err = c.addManifest(ctx, old, seen[last].object); err != nil {
			return nil, err
		}
	}
	for i, s := range seen[:last] {
		if s.state == other && !belongs(old, c.files[i].name, s.digest) {
			return nil, c.refusal(c.files[i].name, " is not a file of the release there, or was changed since",
				"choose another prefix, or move it away yourself")
		}
	}
	if old == nil {
		return nil, nil
	}
	if before.Key != "" && maps.EqualFunc(old, c.ownFiles(), slices.Equal) && seen[last].state != other {
		c.note = before // this release was being published
		return nil, nil
	}
	c.resumed = before.Key != ""
	if err := c.keep(ctx, before, old); err != nil {
		return nil, err
	}
	// The note makes other replacements stop. What they changed before that is found here.
	if err := c.unchanged(ctx, seen); err != nil {
		return nil, err
	}
	if seen[last].state != other {
		return old, nil
	}
	err = c.remove(ctx, seen[last].object)
	seen[last] = sighting{}
	return old, err
}

// addManifest adds to old the files that the manifest in object o names.
func (c *copying) addManifest(ctx context.Context, old map[string][]string, o store.Object) (map[string][]string,
	error) {
	text, err := c.read(ctx, o)
	if err != nil {
		return nil, err
	}
	m, err := manifest.Parse(text)
	if err != nil {
		return nil, c.refusal(manifestName, " is not a manifest of a release", "choose another prefix, or remove it yourself")
	}
	if old == nil {
		old = map[string][]string{}
	}
	for name, digest := range named(&m) {
		old[name] = append(old[name], digest)
	}
	if m.Signature != nil {
		old[sink.SignatureName] = append(old[sink.SignatureName], anyDigest)
	}
	return old, nil
}

// anyDigest stands for the digest of a signature file, which the manifest cannot state.
const anyDigest = "any"

// belongs reports whether the object name, with this digest, is a file of an earlier release.
func belongs(old map[string][]string, name, digest string) bool {
	return slices.Contains(old[name], digest) || slices.Contains(old[name], anyDigest)
}

// readNote reads the note of an interrupted publication. It returns the zero object and nil if there is none.
func (c *copying) readNote(ctx context.Context) (o store.Object, files map[string][]string, err error) {
	o, err = c.stat(ctx, replacedName)
	if err != nil {
		if store.KindOf(err) == store.NotFound {
			err = nil
		}
		return store.Object{}, nil, err
	}
	text, err := c.read(ctx, o)
	if err != nil {
		return o, nil, err
	}
	var n note
	if json.Unmarshal(text, &n) != nil || n.Format != noteFormat || n.Files == nil {
		return o, nil, c.refusal(replacedName, " is not a note of a publication", "choose another prefix, or remove it "+
			"yourself")
	}
	return o, n.Files, nil
}

// read reads an object. It returns nothing if the object is longer than any manifest.
func (c *copying) read(ctx context.Context, o store.Object) ([]byte, error) {
	if o.Size > maxManifest {
		return nil, nil
	}
	text := make([]byte, o.Size)
	return text, store.ReadFull(ctx, c.to, o, text, 0)
}

// keep writes the note of this replacement. It lists the files of earlier releases and its own. before is the earlier
// note that it overwrites; the zero object if there is none.
func (c *copying) keep(ctx context.Context, before store.Object, old map[string][]string) error {
	n := note{Format: noteFormat, Run: rand.Text(), Files: maps.Clone(old)}
	for _, f := range c.files[:len(c.files)-1] {
		if !slices.Contains(n.Files[f.name], f.digest) {
			n.Files[f.name] = append(slices.Clone(n.Files[f.name]), f.digest)
		}
	}
	return c.putNote(ctx, &before, n)
}

// putNote writes a note in place of the object over. If the store's answer was lost, the repeated request is refused
// although the note is ours. If the store refuses the first request, another replacement is in progress, or another
// publication of this release, which has the same note.
func (c *copying) putNote(ctx context.Context, over *store.Object, n note) error {
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	sum, requests := sha256.Sum256(text), 0
	own := file{replacedName, hex.EncodeToString(sum[:]), int64(len(text))}
	err = store.Retry(ctx, own.size, func(ctx context.Context) error {
		requests++
		return c.to.Put(ctx, c.prefix+replacedName, mediaType(manifestName), bytes.NewReader(text), own.size, over)
	})
	if err != nil && (requests == 1 && n.Run != "" || ctx.Err() != nil) {
		return err
	}
	back, failed := c.look(ctx, own)
	switch {
	case failed == nil && back.state == same:
		c.note = back.object
		return nil
	case err != nil:
		return err
	case failed != nil:
		return failed
	}
	return c.taken()
}

// takenError means that another publication to the prefix was seen.
type takenError struct{ error }

func (e takenError) Unwrap() error { return e.error }

// taken returns the error for the case that another replacement has begun since this publication began.
func (c *copying) taken() error {
	return takenError{c.refusal("", " is being replaced by somebody else",
		"choose another prefix, or run publish again when they are done")}
}

// alone returns an error if the note in the store is no longer the note of this publication, since the files may then
// belong to another one. Another publication of the same release may have ended and removed their common note.
func (c *copying) alone(ctx context.Context) error {
	if c.note.Key == "" {
		return nil
	}
	switch o, err := c.stat(ctx, replacedName); {
	case err != nil && store.KindOf(err) != store.NotFound:
		return err
	case err != nil && c.first:
		if s, err := c.look(ctx, c.files[len(c.files)-1]); err != nil || s.state == same {
			return err
		}
		return c.taken()
	case o != c.note:
		return c.taken()
	}
	return nil
}

// unchanged returns an error if an object is no longer the one that was seen, or if the note is not ours anymore:
// another replacement is at work. Another publication of the same release may have written objects.
func (c *copying) unchanged(ctx context.Context, seen []sighting) error {
	if c.note.Key == "" {
		return nil
	}
	err := c.each(ctx, len(seen), func(ctx context.Context, i int) error {
		o, err := c.stat(ctx, c.files[i].name)
		switch {
		case err != nil && store.KindOf(err) != store.NotFound:
			return err
		case o != seen[i].object && c.first:
			if seen[i], err = c.look(ctx, c.files[i]); err != nil || seen[i].state == same {
				return err
			}
			return c.taken()
		case o != seen[i].object:
			return c.taken()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.alone(ctx)
}

// clear removes the note and those files of earlier releases that this release does not have, unless somebody changed
// them. It removes only objects whose names can be files of a release folder, since others may belong to a release in a
// folder below the same prefix.
func (c *copying) clear(ctx context.Context, old map[string][]string) error {
	for _, f := range c.files {
		delete(old, f.name)
	}
	for name := range old {
		if !fs.ValidPath(name) || name == "." || strings.Contains(name, "/") {
			continue
		}
		s, err := c.look(ctx, file{name: name, size: -1})
		if err != nil {
			return err
		}
		switch {
		case s.state == absent:
			continue
		case !belongs(old, name, s.digest):
			c.kept++
			continue
		}
		if err := c.remove(ctx, s.object); err != nil {
			return err
		}
	}
	err := c.remove(ctx, c.note)
	if c.first && ctx.Err() == nil { // the release is whole; the note blocks nothing, and perhaps the user may not delete
		c.stays, err = err, nil
	}
	if c.stays == nil {
		c.removed--
	}
	return err
}

func (c *copying) remove(ctx context.Context, o store.Object) error {
	err := store.Retry(ctx, 0, func(ctx context.Context) error { return c.to.Delete(ctx, o) })
	if err == nil {
		c.removed++
	}
	return err
}

func (c *copying) stat(ctx context.Context, name string) (o store.Object, err error) {
	err = store.Retry(ctx, 0, func(ctx context.Context) (err error) {
		o, err = c.to.Stat(ctx, c.prefix+name)
		return err
	})
	return o, err
}

// look finds the object that the store has under a file's name. An object of another length is read only with
// --replace, which needs its digest.
func (c *copying) look(ctx context.Context, f file) (sighting, error) {
	o, err := c.stat(ctx, f.name)
	switch {
	case err != nil && store.KindOf(err) == store.NotFound:
		return sighting{}, nil
	case err != nil:
		return sighting{}, err
	case o.Size != f.size && !c.replace:
		return sighting{state: other, object: o}, nil
	}
	sum, p := sha256.New(), make([]byte, min(step, o.Size))
	for at := int64(0); at < o.Size; at += int64(len(p)) {
		p = p[:min(int64(len(p)), o.Size-at)]
		if err := store.ReadFull(ctx, c.to, o, p, at); err != nil {
			return sighting{}, err
		}
		sum.Write(p)
	}
	s := sighting{other, o, hex.EncodeToString(sum.Sum(nil))}
	if s.digest == f.digest {
		s.state = same
	}
	return s, nil
}

// open opens a file of the release. It fails if the file's digest is not the one in the manifest, so that no other
// bytes are sent. It does not follow links.
func (c *copying) open(f file) (*os.File, error) {
	root, err := regular.OpenRoot(c.dir)
	if err != nil {
		return nil, pipeline.OutputError(err)
	}
	defer root.Close()
	name := filepath.FromSlash(f.name)
	info, err := root.Lstat(name)
	if err != nil {
		return nil, pipeline.OutputError(err)
	}
	if !info.Mode().IsRegular() {
		return nil, changed(f)
	}
	content, err := root.Open(name)
	if err != nil {
		return nil, pipeline.OutputError(err)
	}
	sum := sha256.New()
	if _, err = io.Copy(sum, content); err != nil {
		err = pipeline.OutputError(err)
	} else if hex.EncodeToString(sum.Sum(nil)) != f.digest {
		err = changed(f)
	}
	if err != nil {
		_ = content.Close()
		return nil, err
	}
	return content, nil
}

func changed(f file) error {
	return &pipeline.Error{
		Cause: pipeline.CauseOutput, Code: "altered", Message: console.Visible(f.name) +
			" was changed while the release was copied",
		Hint: "release verify DIR says what differs",
	}
}

// sendFile sends a file, if the store does not have it with the right contents, and reads it back.
// It sets s to what the store has then.
func (c *copying) sendFile(ctx context.Context, f file, s *sighting) error {
	if s.state == same {
		atomic.AddInt64(&c.found, 1)
		return nil
	}
	if err := c.alone(ctx); err != nil {
		return err
	}
	if s.state == other { // replace an object of the release whose manifest was removed
		if _, err := c.stat(ctx, manifestName); err == nil {
			return c.refusal(manifestName, " is there again",
				"somebody else publishes there: choose another prefix, or run publish again when they are done")
		} else if store.KindOf(err) != store.NotFound {
			return err
		}
	}
	content, err := c.open(f)
	if err != nil {
		return err
	}
	defer content.Close()
	err = store.Retry(ctx, f.size, func(ctx context.Context) error {
		if _, err := content.Seek(0, io.SeekStart); err != nil {
			return err
		}
		return c.to.Put(ctx, c.prefix+f.name, mediaType(f.name), content, f.size, &s.object)
	})
	// If the object exists or has changed, either another copy of this release is in progress, or the answer to a
	// request was lost. A request without an answer may have been executed.
	kind := store.KindOf(err)
	if err != nil && kind != store.Exists && kind != store.Changed && kind != store.Unavailable {
		return err
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	back, failed := c.look(ctx, f)
	switch {
	case failed == nil && back.state == same:
		*s = back
	case err != nil && kind == store.Unavailable:
		return err
	case failed != nil:
		return failed
	default:
		return &pipeline.Error{
			Cause: pipeline.CauseOutput, Code: "altered", Message: console.Visible(c.at.At(c.prefix+f.name).String()) +
				" has other contents than were sent",
			Hint: "does somebody else write there? run publish again, or choose another prefix",
		}
	}
	atomic.AddInt64(&c.sent, 1)
	return nil
}

// mediaType returns the media type of a file, by the ending of its name.
func mediaType(name string) string {
	types := map[string]string{
		".csv": "text/csv; charset=utf-8", ".json": "application/json", ".html": "text/html; charset=utf-8",
		".svg": "image/svg+xml", ".png": "image/png",
		".parquet": "application/vnd.apache.parquet", ".arrow": "application/vnd.apache.arrow.file",
		".md": "text/markdown; charset=utf-8",
	}
	if t := types[path.Ext(name)]; t != "" {
		return t
	}
	return "application/octet-stream"
}
