package publication

import (
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

// copying is a copy in progress.
type copying struct {
	to      store.Writer
	at      store.Address
	prefix  string
	dir     string
	files   []file // the manifest is the last
	replace bool

	sent, found, removed int64
}

// run compares, removes another manifest, sends, and sends the manifest last.
func (c *copying) run(ctx context.Context) error {
	states := make([]state, len(c.files))
	err := c.each(ctx, len(c.files), func(ctx context.Context, i int) (err error) {
		states[i], err = c.compare(ctx, c.files[i])
		return err
	})
	if err != nil {
		return err
	}
	for i, s := range states {
		if s == other && !c.replace {
			return &pipeline.Error{
				Cause: pipeline.CauseOutput, Code: "other-release", Message: console.Visible(c.at.At(c.prefix+c.files[i].name).String()) + " has other contents than this release",
				Hint: "choose another prefix, or put this release in the place of that one with --replace",
			}
		}
	}
	last := len(c.files) - 1
	var left []string
	if states[last] == other {
		if left, err = c.retire(ctx); err != nil {
			return err
		}
		states[last] = absent
	}
	err = c.each(ctx, last, func(ctx context.Context, i int) error { return c.settle(ctx, c.files[i], states[i]) })
	if err == nil {
		err = c.settle(ctx, c.files[last], states[last])
	}
	if err != nil {
		return err
	}
	for _, name := range left {
		if err := c.remove(ctx, name); err != nil {
			return err
		}
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

// retire removes the manifest of another release, and returns the names of its files that this one does not have.
func (c *copying) retire(ctx context.Context) (left []string, err error) {
	o, err := c.stat(ctx, manifestName)
	if err == nil && o.Size <= maxManifest {
		text := make([]byte, o.Size)
		if err = store.ReadFull(ctx, c.to, o, text, 0); err == nil {
			left = c.leftBy(text)
		}
	}
	if err != nil && store.KindOf(err) != store.NotFound {
		return nil, err
	}
	return left, c.remove(ctx, manifestName)
}

// leftBy returns the names in another manifest that this release does not have. It believes only names that files of a
// release's folder can have: others may be of another release below the same prefix.
func (c *copying) leftBy(text []byte) (left []string) {
	m, err := manifest.Parse(text)
	if err != nil {
		return nil
	}
	own := map[string]bool{}
	for _, f := range c.files {
		own[f.name] = true
	}
	others := named(&m)
	others[sink.SignatureName] = ""
	for name := range others {
		if !own[name] && fs.ValidPath(name) && name != "." && !strings.Contains(name, "/") {
			left = append(left, name)
		}
	}
	return left
}

func (c *copying) remove(ctx context.Context, name string) error {
	err := store.Retry(ctx, 0, func(ctx context.Context) error { return c.to.Delete(ctx, c.prefix+name) })
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

// compare reads what the store has under a file's name.
func (c *copying) compare(ctx context.Context, f file) (state, error) {
	o, err := c.stat(ctx, f.name)
	switch {
	case err != nil && store.KindOf(err) == store.NotFound:
		return absent, nil
	case err != nil:
		return absent, err
	case o.Size != f.size:
		return other, nil
	}
	sum, p := sha256.New(), make([]byte, min(step, f.size))
	for at := int64(0); at < f.size; at += int64(len(p)) {
		p = p[:min(int64(len(p)), f.size-at)]
		if err := store.ReadFull(ctx, c.to, o, p, at); err != nil {
			return absent, err
		}
		sum.Write(p)
	}
	if hex.EncodeToString(sum.Sum(nil)) != f.digest {
		return other, nil
	}
	return same, nil
}

// open opens a file of the release, and reads it once, so that nothing is sent which the release does not state. It does not follow links.
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
		Cause: pipeline.CauseOutput, Code: "altered", Message: console.Visible(f.name) + " was changed while the release was copied",
		Hint: "release verify DIR says what differs",
	}
}

// settle sends a file that is not there, or not with the right contents, and reads it back.
func (c *copying) settle(ctx context.Context, f file, s state) error {
	if s == same {
		atomic.AddInt64(&c.found, 1)
		return nil
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
		return c.to.Put(ctx, c.prefix+f.name, mediaType(f.name), content, f.size, s == absent)
	})
	// If it exists now, another copy of this release is under way, or the answer to a request that was made again was lost.
	if err != nil && store.KindOf(err) != store.Exists {
		return err
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	back, err := c.compare(ctx, f)
	switch {
	case err != nil:
		return err
	case back != same:
		return &pipeline.Error{
			Cause: pipeline.CauseOutput, Code: "altered", Message: console.Visible(c.at.At(c.prefix+f.name).String()) + " has other contents than were sent",
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
