package source

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/io/source/internal/arrow"
	"github.com/dprelease/dprelease/io/source/internal/csv"
	"github.com/dprelease/dprelease/io/source/internal/jsonl"
	"github.com/dprelease/dprelease/io/source/internal/parquet"
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/store"
)

// dialects are how texts are read: tabs is for files whose names say that tabs separate the fields, unless the job names a delimiter.
type dialects struct {
	given, tabs *csv.Dialect
	objects     *jsonl.Dialect
}

func newDialects(o Options) (d dialects, err error) {
	if d.given, err = csv.NewDialect(o.CSV); err != nil {
		return d, err
	}
	d.given.Ahead = o.Workers > 1
	d.tabs = d.given
	if o.CSV.Delimiter == 0 && o.CSV.Quote != '\t' && o.CSV.Comment != '\t' {
		if d.tabs, err = d.given.With('\t'); err != nil {
			return d, err
		}
	}
	d.objects, err = jsonl.NewDialect(o.JSONL)
	return d, err
}

// opener opens a file for its schema.
type opener func(ctx context.Context, at scan.Place, d dialects, mac scan.BlockMAC) (scan.File, *Error)

// formats are the formats by their names and by the endings of files' names. A new format is a package below internal and a line here. Files of
// text formats may be compressed, which a second ending says.
var formats = []struct {
	name    string
	endings []string
	open    func(packed scan.Compression) opener
	text    bool
}{
	{"parquet", []string{".parquet"}, described(parquet.Open), false},
	{"arrow", []string{".arrow", ".feather"}, described(arrow.Open), false},
	{"csv", []string{".csv", ".txt", ".data"}, separated(func(d dialects) *csv.Dialect { return d.given }), true},
	{"tsv", []string{".tsv", ".tab"}, separated(func(d dialects) *csv.Dialect { return d.tabs }), true},
	{"jsonl", []string{".jsonl", ".ndjson"}, objects, true},
}

// packings are the endings of compressed files.
var packings = []struct {
	ending string
	packed scan.Compression
}{{".gz", scan.Gzip}, {".zst", scan.Zstd}, {".bz2", scan.Bzip2}, {".xz", scan.XZ}}

// described opens files of a format that describes itself.
func described(open func(context.Context, scan.Place, scan.BlockMAC) (scan.File, *Error)) func(scan.Compression) opener {
	return func(scan.Compression) opener {
		return func(ctx context.Context, at scan.Place, _ dialects, mac scan.BlockMAC) (scan.File, *Error) {
			return open(ctx, at, mac)
		}
	}
}

// separated opens CSV files of a dialect.
func separated(of func(dialects) *csv.Dialect) func(scan.Compression) opener {
	return func(packed scan.Compression) opener {
		return func(ctx context.Context, at scan.Place, d dialects, mac scan.BlockMAC) (scan.File, *Error) {
			return csv.Open(ctx, at, packed, of(d), mac)
		}
	}
}

// objects opens JSON lines.
func objects(packed scan.Compression) opener {
	return func(ctx context.Context, at scan.Place, d dialects, mac scan.BlockMAC) (scan.File, *Error) {
		return jsonl.Open(ctx, at, packed, d.objects, mac)
	}
}

// Formats lists the names of formats.
func Formats() (names []string) {
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// FormatOf returns the name of the format that a file's name says, "" if it says none.
func FormatOf(file string) string {
	file = strings.ToLower(file)
	for _, p := range packings {
		file = strings.TrimSuffix(file, p.ending)
	}
	for _, f := range formats {
		if slices.ContainsFunc(f.endings, func(e string) bool { return strings.HasSuffix(file, e) }) {
			return f.name
		}
	}
	return ""
}

// formatOf returns the format that is given or, if none is, that a file's name says, in any case.
func formatOf(given, name string) (opener, *Error) {
	name = strings.ToLower(name)
	packed, plain := scan.Plain, name
	for _, p := range packings {
		if strings.HasSuffix(name, p.ending) {
			packed, plain = p.packed, strings.TrimSuffix(name, p.ending)
		}
	}
	for _, f := range formats {
		switch said := slices.ContainsFunc(f.endings, func(e string) bool { return strings.HasSuffix(plain, e) }); {
		case given != "" && given != f.name, given == "" && !said:
		case f.text:
			return f.open(packed), nil
		case packed == scan.Plain:
			return f.open(packed), nil
		default:
			return nil, scan.Fault(CodeFormat, "a file of this format cannot be compressed as a whole").Advise("decompress it: such files compress their own pages")
		}
	}
	if given != "" {
		return nil, scan.Fault(CodeOption, "%q is no format that is known", given).Advise("the formats are %s", strings.Join(Formats(), ", "))
	}
	if strings.HasSuffix(name, ".xlsx") || strings.HasSuffix(name, ".xls") || strings.HasSuffix(name, ".ods") {
		return nil, scan.Fault(CodeFormat, "spreadsheets are not read").Advise("save the sheet as CSV (UTF-8), and name that file")
	}
	return nil, scan.Fault(CodeFormat, "the name's ending says no known format").
		Advise("say it with input.format (%s); known endings are .parquet, .arrow, .feather, .csv, .tsv, .txt, .data and .jsonl, and .gz, .zst, .bz2 or .xz behind those of texts", strings.Join(Formats(), ", "))
}

// found is a file to be read.
type found struct {
	at   scan.Place
	base string
	open opener
}

// Exists looks for the input's files and opens none: nil if every path and pattern finds one. Errors: as Open.
func Exists(ctx context.Context, o Options) error {
	stores := newStores(o.Workers)
	defer stores.close()
	_, err := find(ctx, o, stores)
	return err
}

// find lists the files of all patterns, in order, and everything that is wrong with them.
func find(ctx context.Context, o Options, stores *stores) ([]found, error) {
	var out []found
	var wrong Errors
	seen := seenFiles{}
	for _, pattern := range o.Files {
		if store.IsAddress(pattern) {
			files, faults := stores.find(ctx, o.Format, pattern)
			out, wrong = append(out, files...), append(wrong, faults...)
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			continue
		}
		paths, e := match(o.Dir, pattern)
		if e != nil {
			wrong = append(wrong, e)
		}
		for _, p := range paths {
			f, e := seen.identify(o.Format, p)
			if e != nil {
				wrong = append(wrong, e.InFile(filepath.Base(p)))
				continue
			}
			out = append(out, f)
		}
	}
	if len(o.Files) == 0 {
		wrong = append(wrong, scan.Fault(CodeOption, "no input files are named"))
	}
	return out, wrong.Err()
}

// match returns the paths of one pattern. A name that exists is taken as it is, even if it holds wildcards.
func match(dir, pattern string) ([]string, *Error) {
	path := pattern
	if !filepath.IsAbs(pattern) {
		path = filepath.Join(dir, pattern)
	}
	if _, err := os.Stat(path); err == nil || !strings.ContainsAny(pattern, `*?[`) {
		return []string{path}, nil
	}
	if !filepath.IsAbs(pattern) {
		path = filepath.Join(literal(dir), pattern)
	}
	paths, err := filepath.Glob(path)
	switch {
	case err != nil:
		return nil, scan.Fault(CodeOption, "the pattern %q is malformed", filepath.Base(pattern))
	case len(paths) == 0:
		return nil, scan.Fault(CodeNotFound, "nothing matches the pattern %q", filepath.Base(pattern)).
			Advise("a relative pattern starts from the job file's folder")
	}
	slices.Sort(paths)
	return paths, nil
}

// literal escapes the wildcards of a folder's name.
func literal(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// seenFiles are the files named so far. A file of several names (symbolic or hard links, overlapping patterns, mounts) is found by what
// the system says it is: its rows would count twice. The keys are sizes and times, so that few are compared.
type seenFiles map[[2]int64][]fs.FileInfo

// add reports whether the file was not named before.
func (s seenFiles) add(file fs.FileInfo) bool {
	key := [2]int64{file.Size(), file.ModTime().UnixNano()}
	if slices.ContainsFunc(s[key], func(other fs.FileInfo) bool { return os.SameFile(file, other) }) {
		return false
	}
	s[key] = append(s[key], file)
	return true
}

// identify checks that a path is a regular file of a known format that was not named before.
func (s seenFiles) identify(format, path string) (found, *Error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return found{}, scan.NotOpened(err)
	case info.IsDir():
		return found{}, scan.Fault(CodeNotFile, "this is a folder").Advise("name the files in it: %s/*.parquet", filepath.Base(path))
	case !info.Mode().IsRegular():
		return found{}, scan.Fault(CodeNotFile, "this is not a regular file")
	}
	if !s.add(info) {
		return found{}, scan.Fault(CodeDuplicate, "the file is named twice, perhaps by a link").Advise("its rows would count twice: name it once, and let no two patterns match it")
	}
	f, e := formatOf(format, path)
	return found{scan.Place{Path: path}, filepath.Base(path), f}, e
}
