package command

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"html/template"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/jobs"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/regular"
	"github.com/dprelease/dprelease/internal/runjob"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/report"
)

const indexLong = `index writes index.html and feed.atom into DIR: a list of all releases in the folders below it, and a
feed of them for readers who want to hear of new ones. It reads the manifests and the ledger, changes nothing else, and
writes the same bytes for the same releases. A release that the ledger has as withdrawn is marked so. Without --store
the ledgers beside the releases and in the folders above are asked.

The feed dates an entry by the date among its job's parameters, or else by deployment.published.`

// indexed describes one release in the index.
type indexed struct {
	Title, Window, Guarantee, Link string
	Digest                         string // the SHA-256 of the release's manifest
	series                         string // a digest of the dataset's name and the job's without its dates
	Withdrawn                      string // the day on which the release was withdrawn; "" if it was not
	at, changed                    time.Time
	dir                            string
}

func indexCommand(c *console.Console) *cobra.Command {
	store := ""
	cmd := &cobra.Command{
		Use: "index DIR", Short: "Write a page and a feed of all releases below a folder", Long: indexLong,
		Args: cobra.ExactArgs(1), Example: "  release index out",
		RunE: func(cmd *cobra.Command, args []string) error { return writeIndex(cmd.Context(), c, args[0], store) },
	}
	cmd.Flags().StringVar(&store, "store", "",
		"the ledger that knows which releases were withdrawn; by default those near the folders")
	return cmd
}

func writeIndex(ctx context.Context, c *console.Console, dir, store string) error {
	all, unread, err := findReleases(ctx, dir)
	if err != nil {
		return err
	}
	for _, path := range unread {
		c.Warn(console.Here(path) + " can't be read: the index lacks the releases in it, if there are any")
	}
	if err := markWithdrawn(ctx, c, all, store); err != nil {
		return err
	}
	if len(all) == 0 {
		return &pipeline.Error{Cause: pipeline.CauseOutput, Code: "no-release", Message: "no folder below " +
			console.Here(dir) + " holds a release", Hint: "name the folder in which the releases lie, such as out for " +
			"out/2024-03-01"}
	}
	page := filepath.Join(dir, report.IndexName)
	if old, err := regular.ReadFile(page, 1<<20); err == nil && !bytes.Contains(old, []byte(indexMark)) ||
		err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &pipeline.Error{Cause: pipeline.CauseOutput, Code: "occupied", Message: console.Here(page) +
			" was not written by release index", Hint: "move it away, or name another folder"}
	}
	content := struct {
		Releases []indexed
		Windows  bool // whether some release is of a data interval
	}{all, slices.ContainsFunc(all, func(e indexed) bool { return e.Window != "" })}
	err = errors.Join(replaceWhole(page, func(b *bytes.Buffer) error { return indexPage.Execute(b, content) }),
		replaceWhole(filepath.Join(dir, "feed.atom"), func(b *bytes.Buffer) error { return writeFeed(b, all) }))
	if err != nil {
		return console.WriteError(dir, err)
	}
	if c.Quiet {
		return nil
	}
	return c.Printf("%s: %s\n", console.Here(page), spelling.Count(len(all), "release"))
}

// findReleases lists the releases in the folders below dir, the newest first. It skips links and hidden folders, such
// as staging folders, and what is removed while it looks. unread lists the folders that this user may not read, such
// as lost+found, and those whose release.json this user may not read.
func findReleases(ctx context.Context, dir string) (out []indexed, unread []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case path != dir && errors.Is(err, fs.ErrNotExist):
			return nil
		case path != dir && d.IsDir() && errors.Is(err, fs.ErrPermission):
			unread = append(unread, path)
			return nil
		case err != nil:
			return err
		case d.IsDir() && path != dir && (strings.HasPrefix(d.Name(), ".") || isRetired(path)):
			return fs.SkipDir
		case d.Name() != manifest.FileName || !d.Type().IsRegular():
			return nil
		case filepath.Dir(path) == filepath.Clean(dir):
			return console.Usagef("%s is a release itself: name the folder above it", console.Here(dir))
		}
		m, digest, err := sink.ReadManifest(filepath.Dir(path))
		if _, gone := os.Lstat(path); err != nil && errors.Is(gone, fs.ErrNotExist) {
			return fs.SkipDir
		}
		if errors.Is(err, fs.ErrPermission) { // a folder that can be listed but not entered, or a manifest of another user
			unread = append(unread, filepath.Dir(path))
			return fs.SkipDir
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, filepath.Dir(path))
		if err != nil {
			return err
		}
		e := entryOf(&m, digest, filepath.ToSlash(rel))
		e.dir = filepath.Dir(path)
		out = append(out, e)
		return fs.SkipDir // a release folder holds no other release
	})
	var usage *console.UsageError
	var failed *fs.PathError
	switch {
	case errors.As(err, &failed):
		return nil, nil, &pipeline.Error{Cause: pipeline.CauseOutput, Code: "output", Message: console.Here(failed.Path) +
			" can't be read: " + regular.Reason(failed), Hint: regular.Remedy(failed)}
	case err != nil && !errors.As(err, &usage):
		return nil, nil, pipeline.OutputError(err)
	}
	slices.SortFunc(out, func(a, b indexed) int {
		return cmp.Or(b.at.Compare(a.at), cmp.Compare(b.Link, a.Link))
	})
	return out, unread, err
}

// markWithdrawn marks the releases that a ledger lists as withdrawn. store names the ledger; if it is "", the ledgers
// near the folders are read. If a ledger near a folder cannot be read, for instance because the user has no access, its
// name is printed on stderr.
func markWithdrawn(ctx context.Context, c *console.Console, all []indexed, store string) error {
	names := map[string]bool{}
	if store != "" {
		names[store] = true
	}
	looked := map[string]bool{}
	for i := range all {
		dir, err := filepath.Abs(all[i].dir)
		if above := filepath.Dir(dir); err == nil && store == "" && !looked[above] {
			looked[above] = true
			for _, path := range jobs.LedgersNear(dir) {
				names["sqlite:"+path] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		runs, err := runsIn(ctx, name)
		switch {
		case err != nil && (store != "" || ctx.Err() != nil):
			return err
		case err != nil:
			c.Warn(jobs.ShownStore(name) + " cannot be read, so that the index does not mark the releases that it has as " +
				"withdrawn")
			continue
		}
		for i := range all {
			if r := jobs.RunOf(runs, all[i].Digest); r != nil && r.Withdrawn != nil {
				all[i].changed = r.Withdrawn.At.UTC()
				all[i].Withdrawn = all[i].changed.Format(time.DateOnly)
			}
		}
	}
	return nil
}

// runsIn returns the runs of a ledger.
func runsIn(ctx context.Context, store string) ([]ledger.Run, error) {
	book, err := runjob.OpenStore(ctx, store, false)
	if err != nil {
		return nil, err
	}
	defer book.Close() // nothing is lost: the ledger was only read
	runs, err := book.Runs(ctx)
	return runs, pipeline.LedgerError("read the ledger", err)
}

// retired matches the name to which a release folder is renamed when a newer release replaces it.
var retired = regexp.MustCompile(`\.[0-9a-f]{8}(-[0-9]+)?$`)

// isRetired reports whether a folder holds a replaced release: it is named like another folder, with a digest at the
// end.
func isRetired(path string) bool {
	at := retired.FindStringIndex(path)
	if at == nil {
		return false
	}
	_, err := os.Stat(filepath.Join(path[:at[0]], manifest.FileName))
	return err == nil || errors.Is(err, fs.ErrPermission)
}

// entryOf returns the index entry of a release. path is the path of its folder, relative to the index.
func entryOf(m *manifest.Manifest, digest, path string) indexed {
	e := indexed{Title: report.Title(m), Digest: digest, Guarantee: "epsilon " + report.AsStated(m.Privacy.Epsilon) +
		", delta " + report.AsStated(m.Privacy.Delta)}
	name := m.Name
	for _, value := range slices.Sorted(maps.Values(m.Params)) {
		if value != "" {
			name = strings.ReplaceAll(name, value, "$")
		}
	}
	series := sha256.Sum256([]byte(m.Dataset() + "\x00" + name))
	e.series = hex.EncodeToString(series[:])
	target := path + "/" + manifest.FileName
	for i := range m.Documents {
		if m.Documents[i].Path == report.IndexName {
			target = path + "/" + report.IndexName
		}
	}
	e.Link = (&url.URL{Path: target}).EscapedPath()
	if published, err := time.Parse(time.DateOnly, m.Deployment().Published); err == nil {
		e.at = published
	}
	values := slices.Sorted(maps.Values(m.Params))
	for _, value := range values {
		for _, layout := range []string{time.DateOnly, "2006-01", "2006"} {
			if at, err := time.Parse(layout, value); err == nil {
				e.at = at
			}
		}
	}
	e.Window = strings.Join(values, ", ")
	if e.at.IsZero() {
		e.at = time.Unix(0, 0)
	}
	e.changed = e.at
	return e
}

// indexMark is a text in every page that this verb writes. The verb overwrites a page only if it has this text.
const indexMark = `<meta name="generator" content="release index">`

var indexPage = template.Must(template.New("index").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
` + indexMark + `
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="alternate" type="application/atom+xml" href="feed.atom" title="New releases">
<title>Releases</title>
<style>body{font:1rem/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}td,th{text-align:left;padding:.3rem 1rem .3rem 0;vertical-align:top}td:nth-child(2):not(:last-child){min-width:6.5em}</style>
</head>
<body>
<h1>Releases</h1>
<p>These releases are differentially private: each states what its numbers can tell about one unit of the data, at most. <a href="feed.atom">Feed</a></p>
<table>
<thead><tr><th scope="col">Release</th>{{if .Windows}}<th scope="col">Data of</th>{{end}}<th scope="col">Guarantee</th></tr></thead>
<tbody>
{{- range .Releases}}
<tr><td><a href="{{.Link}}"><bdi>{{.Title}}</bdi></a></td>{{if $.Windows}}<td><bdi>{{.Window}}</bdi></td>{{end}}<td>{{with .Withdrawn}}<strong>Withdrawn on {{.}}: do not use it.</strong> {{end}}{{.Guarantee}}</td></tr>
{{- end}}
</tbody>
</table>
</body>
</html>
`))

// The parts of an Atom feed (RFC 4287).
type (
	atomFeed struct {
		XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
		ID      string      `xml:"id"`
		Title   string      `xml:"title"`
		Updated string      `xml:"updated"`
		Author  string      `xml:"author>name"`
		Entries []atomEntry `xml:"entry"`
	}
	atomEntry struct {
		ID      string   `xml:"id"`
		Title   string   `xml:"title"`
		Updated string   `xml:"updated"`
		Link    atomLink `xml:"link"`
		Summary string   `xml:"summary"`
	}
	atomLink struct {
		Href string `xml:"href,attr"`
	}
)

// writeFeed writes an Atom feed. The id of an entry is the digest of the release's manifest. The id of the feed
// is made of the oldest release's dataset and job, so that it stays when old releases are pruned.
func writeFeed(b *bytes.Buffer, all []indexed) error {
	oldest := &all[len(all)-1]
	newest := slices.MaxFunc(all, func(a, b indexed) int { return a.changed.Compare(b.changed) })
	feed := atomFeed{ID: "urn:dprelease:feed:" + oldest.series, Title: oldest.Title, Author: oldest.Title,
		Updated: newest.changed.UTC().Format(time.RFC3339)}
	for i := range all {
		e := &all[i]
		title := e.Title
		if e.Window != "" {
			title += ", " + e.Window
		}
		summary := e.Guarantee
		if e.Withdrawn != "" {
			title, summary = "Withdrawn: "+title, "Withdrawn on "+e.Withdrawn+": do not use it. "+summary
		}
		feed.Entries = append(feed.Entries, atomEntry{ID: "urn:dprelease:release:" + e.Digest, Title: title,
			Updated: e.changed.UTC().Format(time.RFC3339), Link: atomLink{e.Link}, Summary: summary})
	}
	b.WriteString(xml.Header)
	encoder := xml.NewEncoder(b)
	encoder.Indent("", " ")
	return errors.Join(encoder.Encode(feed), encoder.Close())
}

// replaceWhole writes a file next to the old one and then renames it over the old one, so that readers see the old or
// the new file, whole.
func replaceWhole(path string, write func(*bytes.Buffer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	b.WriteByte('\n')
	return regular.Replace(path, 0o644, func(f *os.File) error {
		_, err := f.Write(b.Bytes())
		return err
	})
}
