package sink

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/internal/regular"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// Prepare makes an empty staging folder of mode 0700, and the missing folders above it, durably.
func (f *Folder) Prepare(staging string) error {
	const op = "prepare"
	if err := makeParents(staging); err != nil {
		return failure(op, filepath.Dir(staging), err)
	}
	if err := os.Mkdir(staging, stagingMode); err != nil {
		return failure(op, staging, err)
	}
	if err := checkNewStaging(op, staging); err != nil {
		return errors.Join(err, os.Remove(staging))
	}
	return failure(op, staging, syncFolder(filepath.Dir(staging)))
}

// Stage writes note and the release into a prepared staging folder and returns the SHA-256 of release.json. After an
// error it removes the files that it wrote.
func (f *Folder) Stage(ctx context.Context, staging, note string, r *pipeline.Release) (digest string, err error) {
	s := &stager{ctx: ctx, staging: staging, dir: filepath.Join(staging, releaseName), presenters: f.presenters}
	if s.files, err = f.plan(r); err != nil {
		return "", err
	}
	if r.IsRehearsal() {
		return "", refusal("write", staging, CodeFormat, "a rehearsal holds nothing to publish")
	}
	if strings.ContainsRune(note, '\n') || len(note) >= maxNote {
		return "", refusal("write", filepath.Join(staging, noteName), CodeFormat, "the note is not one short line")
	}
	if err := checkPrivate("write", staging); err != nil {
		return "", err
	}
	if err := os.Mkdir(s.dir, publicMode); err != nil {
		return "", failure("write", s.dir, err)
	}
	if err = s.run(note, r); err == nil {
		digest, err = f.Inspect(ctx, s.dir)
	}
	if err != nil {
		return "", errors.Join(failure("write", s.dir, err), s.undo())
	}
	return digest, nil
}

// outputFile is one file to write.
type outputFile struct {
	table  *table
	format format
}

func (o outputFile) path() string { return o.table.Name + o.format.Extension() }

// plan returns the files to write. It reports every problem that can be known before writing.
func (f *Folder) plan(r *pipeline.Release) (files []outputFile, err error) {
	paths := []string{manifestName}
	for _, result := range r.Results() {
		all, err := tablesOf(result)
		if err != nil {
			return nil, err
		}
		for _, t := range all {
			some, err := f.tableFiles(t, r)
			if err != nil {
				return nil, err
			}
			for _, o := range some {
				if slices.Contains(paths, o.path()) {
					return nil, refusal("write", o.path(), CodeFormat, "two files would have this name")
				}
				paths, files = append(paths, o.path()), append(files, o)
			}
		}
	}
	return files, nil
}

// tableFiles returns the files of a table, one per format.
func (f *Folder) tableFiles(t *table, r *pipeline.Release) (files []outputFile, err error) {
	for _, name := range r.Formats() {
		format, ok := f.formats[name]
		if !ok {
			return nil, refusal("write", t.Name, CodeFormat, "unknown format "+name)
		}
		if csv, ok := format.(CSVFormat); ok {
			csv.Raw = r.RawCSV()
			format = csv
		}
		files = append(files, outputFile{t, format})
	}
	return files, nil
}

// stager writes one release into a staging folder.
type stager struct {
	ctx     context.Context
	staging string
	dir     string
	files   []outputFile

	presenters []pipeline.Presenter
	// synthetic is true for a preview, whose files all have names that begin with synthetic-.
	synthetic bool
}

func (s *stager) fileName(path string) string {
	if s.synthetic {
		return manifest.SyntheticPrefix + path
	}
	return path
}

// run writes the note, the tables, the documents and the manifest, in this order. It syncs each, and the folders around
// them.
func (s *stager) run(note string, r *pipeline.Release) error {
	if err := s.writeNote(note); err != nil {
		return err
	}
	if err := s.fill(r); err != nil {
		return err
	}
	return errors.Join(syncFolder(s.dir), syncFolder(s.staging))
}

// fill writes the tables, the documents and the manifest.
func (s *stager) fill(r *pipeline.Release) error {
	root, err := regular.OpenRoot(s.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	files := map[string][]manifest.File{}
	for _, o := range s.files {
		file, err := s.writeTable(root, o)
		if err != nil {
			return failure("write", filepath.Join(s.dir, o.path()), err)
		}
		file.Holds = o.table.Holds
		if csv, ok := o.format.(CSVFormat); ok {
			file.Raw = csv.Raw
		}
		files[o.table.Query] = append(files[o.table.Query], file)
	}
	documents, err := s.writeDocuments(root, r, files)
	if err != nil {
		return err
	}
	m := r.Manifest(files)
	m.Documents = documents
	if s.synthetic {
		text, err := m.Encode()
		if err != nil {
			return reason(err.Error())
		}
		return failure("write", filepath.Join(s.dir, syntheticManifest), writeBytes(root, syntheticManifest, text))
	}
	return failure("write", filepath.Join(s.dir, manifestName), writeManifest(root, m, r.Sign))
}

// writeDocuments writes the documents that the presenters make of the release, if it includes documents.
func (s *stager) writeDocuments(root *os.Root, r *pipeline.Release,
	files map[string][]manifest.File) (written []manifest.File, err error) {
	defer recoverError(&err)
	if !r.Presented() {
		return nil, nil
	}
	for _, p := range s.presenters {
		documents, err := p.Present(s.ctx, r, files)
		if err != nil {
			return nil, err
		}
		for _, d := range documents {
			if !isFileName(d.Path) {
				return nil, refusal("write", s.dir, CodeFormat, "a document's name is not a file name")
			}
			name, write := s.fileName(d.Path), d.Write
			if s.synthetic {
				write = bannered(d)
			}
			sum, err := writeNew(root, name, fileMode, write)
			if err != nil {
				return nil, failure("write", filepath.Join(s.dir, name), err)
			}
			written = append(written, manifest.File{Path: name, SHA256: sum})
		}
	}
	return written, nil
}

func (s *stager) writeNote(note string) error {
	root, err := regular.OpenRoot(s.staging)
	if err != nil {
		return err
	}
	defer root.Close()
	return writeLine(root, noteName, note)
}

// writeTable writes one table, syncs it, and reads it back.
func (s *stager) writeTable(root *os.Root, o outputFile) (file manifest.File, err error) {
	defer recoverError(&err)
	file.Path = s.fileName(o.path())
	file.SHA256, err = writeNew(root, file.Path, fileMode, func(w io.Writer) (err error) {
		file.Rows, err = o.format.Write(s.ctx, w, o.table)
		return err
	})
	if err != nil {
		return file, err
	}
	f, size, err := openRegular(root, file.Path)
	if err != nil {
		return file, err
	}
	defer f.Close()
	return file, verify(s.ctx, o.format, f, size, o.table)
}

// undo removes everything that run wrote.
func (s *stager) undo() error {
	err := errors.Join(os.RemoveAll(s.dir), os.RemoveAll(filepath.Join(s.staging, noteName)), syncFolder(s.staging))
	return failure("clean up", s.staging, err)
}

// writeManifest writes the manifest, which is the last file. If sign returns a signature, it writes the signature
// first.
func writeManifest(root *os.Root, m manifest.Manifest, sign func(manifest []byte) ([]byte, bool)) error {
	text, err := m.Encode()
	if err != nil {
		return reason(err.Error())
	}
	if len(text) >= maxManifest {
		return errTooLarge
	}
	if signature, ok := sign(text); ok {
		if err := writeBytes(root, SignatureName, signature); err != nil {
			return err
		}
	}
	return writeBytes(root, manifestName, text)
}

func writeBytes(root *os.Root, name string, data []byte) error {
	_, err := writeNew(root, name, fileMode, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	return err
}

// bannered returns a function that writes a document of a preview with a warning that its numbers are invented. The
// page has such a banner already. Other documents get the warning as their first line, if their format allows one.
func bannered(d pipeline.Document) func(io.Writer) error {
	before := map[string]string{".md": "> **" + manifest.SyntheticNotice + "**\n\n", ".txt": manifest.SyntheticNotice +
		"\n\n", ".cff": "# " + manifest.SyntheticNotice + "\n"}
	return func(w io.Writer) error {
		if _, err := io.WriteString(w, before[filepath.Ext(d.Path)]); err != nil {
			return err
		}
		return d.Write(w)
	}
}
