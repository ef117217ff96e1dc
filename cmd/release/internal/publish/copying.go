package publish

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/io/store"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

const (
	manifestName = manifest.FileName
	// atOnce is how many files are compared or sent at once, and step how much of one is read back at once.
	atOnce = 8
	step   = 4 << 20
	// maxManifest is the longest manifest of another release that is looked into, for the names of its files.
	maxManifest = 64 << 20
)

// file is a file of a release.
type file struct {
	name   string // with slashes
	digest string // SHA-256, as the manifest states it
	size   int64
}

// filesOf returns the files of a release with the digests that its manifest states, and the manifest last.
func filesOf(dir string, found *sink.Examined) ([]file, error) {
	digests := named(found.Manifest)
	names := make([]string, 0, len(digests)+2)
	for name := range digests {
		names = append(names, name)
	}
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

// named returns the digests of the files that a manifest names.
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

// state is what the store has under a file's name.
type state uint8

const (
	absent state = iota
	same
	other
)

// sighting is what was seen under a name.
type sighting struct {
	state  state
	object store.Object // the zero object if it is absent
	digest string       // its SHA-256; "" if it is another one by its length, and was not read
}

// copying is a copy in progress.
type copying struct {
	to      store.Writer
	at      store.Address
	prefix  string
	dir     string
	files   []file // the manifest is the last
	replace bool

	sent, found, removed, kept int64
}

// run compares, retires another release, sends, and sends the manifest last.
func (c *copying) run(ctx context.Context) error {
	seen := make([]sighting, len(c.files))
	err := c.each(ctx, len(c.files), func(ctx context.Context, i int) (err error) {
		seen[i], err = c.look(ctx, c.files[i])
		return err
	})
	if err != nil {
		return err
	}
	var old map[string]string
	if c.replace {
		if old, err = c.retire(ctx, seen); err != nil {
			return err
		}
	} else if err := c.vacant(ctx, seen); err != nil {
		return err
	}
	last := len(c.files) - 1
	err = c.each(ctx, last, func(ctx context.Context, i int) error { return c.settle(ctx, c.files[i], seen[i]) })
	if err == nil {
		err = c.settle(ctx, c.files[last], seen[last])
	}
	if err == nil && old != nil {
		err = c.clear(ctx, old)
	}
	return err
}

// vacant refuses a prefix with another release or a part of one.
func (c *copying) vacant(ctx context.Context, seen []sighting) error {
	for i, s := range seen {
		if s.state == other {
			return c.refusal(c.files[i].name, " has other contents than this release",
				"choose another prefix, or put this release in the place of that one with --replace")
		}
	}
	if seen[len(seen)-1].state == same {
		return nil
	}
	switch _, err := c.stat(ctx, replacedName); { // whoever removes a manifest writes this first, and removes it last
	case err == nil:
		return c.refusal("", " has a release that is being replaced, or was not replaced to the end",
			"if nobody is at it, run publish with --replace")
	case store.KindOf(err) != store.NotFound:
		return err
	}
	return nil
}

// each calls f for so many files, some at once.
func (c *copying) each(ctx context.Context, n int, f func(context.Context, int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	for i := range n {
		g.Go(func() error { return f(ctx, i) })
	}
	return g.Wait()
}

// refusal is the error of a name below the prefix.
func (c *copying) refusal(name, what, hint string) error {
	return &pipeline.Error{Cause: pipeline.CauseOutput, Code: "other-release",
		Message: console.Visible(c.at.At(c.prefix+name).String()) + what, Hint: hint}
}

// replacedName is a copy of the manifest of a release that is being replaced. So a replacement that was stopped knows,
// when it is run again, which objects were that release's.
const replacedName = manifestName + ".replaced"

// retire removes the manifest of another release, and returns that release's files with their digests; nil if there is
// no other release. Only what that release's manifest states may be replaced: all else below the prefix is somebody
// else's.
func (c *copying) retire(ctx context.Context, seen []sighting) (old map[string]string, err error) {
	last := len(c.files) - 1
	text, err := c.earlier(ctx, seen[last])
	if err != nil {
		return nil, err
	}
	if text != nil {
		m, err := manifest.Parse(text)
		if err != nil {
			return nil, c.refusal(manifestName, " is no manifest of a release", "choose another prefix, or remove it yourself")
		}
		old = named(&m)
		if m.Signature != nil {
			old[sink.SignatureName] = anyDigest
		}
	}
	for i, s := range seen[:last] {
		if s.state == other && !belongs(old, c.files[i].name, s.digest) {
			return nil, c.refusal(c.files[i].name, " is no file of the release there, or was changed since",
				"choose another prefix, or move it away yourself")
		}
	}
	if seen[last].state != other {
		return old, nil
	}
	if err := c.keep(ctx, text); err != nil {
		return nil, err
	}
	err = c.remove(ctx, seen[last].object)
	seen[last] = sighting{}
	return old, err
}

// anyDigest is that of a signature, which its manifest cannot state.
const anyDigest = "any"

// belongs says whether an object is a file of an earlier release.
func belongs(old map[string]string, name, digest string) bool {
	want, known := old[name]
	return known && (want == digest || want == anyDigest)
}

// earlier returns the manifest of another release: the one that stands, or that of a release whose replacement was
// stopped; nil if there is none.
func (c *copying) earlier(ctx context.Context, stands sighting) ([]byte, error) {
	o := stands.object
	if stands.state != other {
		var err error
		if o, err = c.stat(ctx, replacedName); err != nil {
			if store.KindOf(err) == store.NotFound {
				return nil, nil
			}
			return nil, err
		}
	}
	if o.Size > maxManifest {
		return []byte{}, nil // no manifest is so long
	}
	text := make([]byte, o.Size)
	return text, store.ReadFull(ctx, c.to, o, text, 0)
}

// keep writes the copy of a manifest that is about to be removed. If the store wrote it and its answer was lost, a
// later request is refused, or none is answered: then our bytes are there. If the first request is refused, somebody
// else wrote, though it be the same bytes: another replacement is under way.
func (c *copying) keep(ctx context.Context, text []byte) error {
	o, err := c.stat(ctx, replacedName)
	if err != nil && store.KindOf(err) != store.NotFound {
		return err // the zero object if there is none
	}
	sum, requests := sha256.Sum256(text), 0
	own := file{replacedName, hex.EncodeToString(sum[:]), int64(len(text))}
	err = store.Retry(ctx, own.size, func(ctx context.Context) error {
		requests++
		return c.to.Put(ctx, c.prefix+replacedName, mediaType(manifestName), bytes.NewReader(text), own.size, &o)
	})
	if err == nil || requests == 1 || ctx.Err() != nil {
		return err
	}
	if back, e := c.look(ctx, own); e != nil || back.state != same {
		return err
	}
	return nil
}

// clear removes the files of the earlier release that this one does not have, unless somebody changed them, and the
// copy of its manifest. It believes only names that files of a release's folder can have: others may be of another
// release below the same prefix.
func (c *copying) clear(ctx context.Context, old map[string]string) error {
	for _, f := range c.files {
		delete(old, f.name)
	}
	for name, digest := range old {
		if !fs.ValidPath(name) || name == "." || strings.Contains(name, "/") {
			continue
		}
		s, err := c.look(ctx, file{name: name, digest: digest, size: -1})
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
	o, err := c.stat(ctx, replacedName)
	if err == nil {
		err = c.remove(ctx, o)
		c.removed--
	} else if store.KindOf(err) == store.NotFound {
		return nil
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

// look reads what the store has under a file's name. If the file is only compared, an object of another length is not
// read.
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

// open opens a file of the release, and reads it once, so that nothing is sent which the release does not state. It
// does not follow links.
func (c *copying) open(f file) (*os.File, error) {
	root, err := os.OpenRoot(c.dir)
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

// settle sends a file that is not there, or not with the right contents, and reads it back.
func (c *copying) settle(ctx context.Context, f file, s sighting) error {
	if s.state == same {
		atomic.AddInt64(&c.found, 1)
		return nil
	}
	if s.state == other { // a file of the release that was retired
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
	// If it exists or is another one now, another copy of this release is under way, or the answer to a request that was
	// made again was lost. If no request was answered, one may have been heeded all the same.
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

// mediaType is what a file's name says of its contents.
func mediaType(name string) string {
	types := map[string]string{
		".csv": "text/csv; charset=utf-8", ".json": "application/json", ".html": "text/html; charset=utf-8", ".svg": "image/svg+xml", ".png": "image/png",
		".parquet": "application/vnd.apache.parquet", ".arrow": "application/vnd.apache.arrow.file", ".md": "text/markdown; charset=utf-8",
	}
	if t := types[path.Ext(name)]; t != "" {
		return t
	}
	return "application/octet-stream"
}
