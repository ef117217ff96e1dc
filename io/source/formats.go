package source

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/arrow"
	"github.com/dprelease/dprelease/io/source/internal/csv"
	"github.com/dprelease/dprelease/io/source/internal/jsonl"
	"github.com/dprelease/dprelease/io/source/internal/parquet"
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/table"
)

// dialects holds the options for reading text files. given is for CSV files, and tabs for TSV files: unless the job
// states otherwise, tabs separate the fields and no character quotes
// (https://www.iana.org/assignments/media-types/text/tab-separated-values).
type dialects struct {
	given, tabs *csv.Dialect
	wrongTabs   error // the error if tabs is invalid; reported only if there is a TSV file
	objects     *jsonl.Dialect
	exact       []string // Options.Exact
}

func newDialects(o Options) (d dialects, err error) {
	if d.given, err = csv.NewDialect(o.CSV, o.Exact); err != nil {
		return d, err
	}
	d.given.Ahead = o.Workers > 1
	tabs := o.CSV
	tabs.Delimiter, tabs.Quote = cmp.Or(tabs.Delimiter, '\t'), cmp.Or(tabs.Quote, textfile.NoQuote)
	if d.tabs, d.wrongTabs = csv.NewDialect(tabs, o.Exact); d.wrongTabs == nil {
		d.tabs.Ahead = d.given.Ahead
	}
	d.exact = o.Exact
	d.objects, err = jsonl.NewDialect(o.JSONL, o.Exact)
	return d, err
}

// opener opens a file and reads its schema.
type opener func(ctx context.Context, at scan.Place, d dialects) (scan.File, *fault.Error)

// fileFormat is a format of files: its name, the endings of its files, and whether they are texts, which may be
// compressed.
type fileFormat struct {
	name    string
	endings []string
	text    bool
	open    opener
}

// formats holds the formats. To add a format, add a package below internal and an entry here.
var formats = []fileFormat{
	{"parquet", []string{".parquet"}, false,
		func(ctx context.Context, at scan.Place, d dialects) (scan.File, *fault.Error) {
			return parquet.Open(ctx, at, d.exact)
		}},
	{"arrow", []string{".arrow", ".feather"}, false,
		func(ctx context.Context, at scan.Place, d dialects) (scan.File, *fault.Error) {
			return arrow.Open(ctx, at, d.exact)
		}},
	{"csv", []string{".csv", ".txt", ".data"}, true,
		func(ctx context.Context, at scan.Place, d dialects) (scan.File, *fault.Error) {
			return csv.Open(ctx, at, d.given)
		}},
	{"tsv", []string{".tsv", ".tab"}, true,
		func(ctx context.Context, at scan.Place, d dialects) (scan.File, *fault.Error) {
			if d.wrongTabs != nil {
				return nil, fault.From(d.wrongTabs)
			}
			return csv.Open(ctx, at, d.tabs)
		}},
	{"jsonl", []string{".jsonl", ".ndjson"}, true,
		func(ctx context.Context, at scan.Place, d dialects) (scan.File, *fault.Error) {
			return jsonl.Open(ctx, at, d.objects)
		}},
}

// packings lists the endings of compressed texts' names with their compressions. Such an ending follows the format's.
var packings = []struct {
	ending string
	packed scan.Compression
}{{".gz", scan.Gzip}, {".zst", scan.Zstd}, {".bz2", scan.Bzip2}, {".xz", scan.XZ}}

// names reports whether a file's name, in lower case, has an ending of the format.
func (f *fileFormat) names(file string) bool {
	return slices.ContainsFunc(f.endings, func(e string) bool { return strings.HasSuffix(file, e) })
}

// Formats lists the names of formats.
func Formats() (names []string) {
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// FormatOf returns the name of a file's format by the ending of its name, such as .csv.gz; "" if no format has this
// ending.
func FormatOf(file string) string {
	file = strings.ToLower(file)
	for _, p := range packings {
		file = strings.TrimSuffix(file, p.ending)
	}
	for _, f := range formats {
		if f.names(file) {
			return f.name
		}
	}
	return ""
}

// DescribesItself reports whether a file of this name holds the types of its columns: a Parquet or Arrow file. format
// is one of [Formats]; if it is empty, the name gives it. The types of other files come from the options.
func DescribesItself(format, name string) bool {
	return slices.ContainsFunc(formats, func(f fileFormat) bool {
		return !f.text && (format == f.name || format == "" && f.names(strings.ToLower(name)))
	})
}

// formatOf returns the opener of the given format, and the compression by the ending of the file's name. If given is
// empty, this ending decides the format too, in upper or lower case.
func formatOf(given, name string) (opener, scan.Compression, *fault.Error) {
	name = strings.ToLower(name)
	packed, plain := scan.Plain, name
	for _, p := range packings {
		if strings.HasSuffix(name, p.ending) {
			packed, plain = p.packed, strings.TrimSuffix(name, p.ending)
		}
	}
	for _, f := range formats {
		switch {
		case given != "" && given != f.name, given == "" && !f.names(plain):
		case f.text, packed == scan.Plain:
			return f.open, packed, nil
		default:
			return nil, packed, fault.New(fault.CodeFormat,
				"a file of this format cannot be compressed as a whole").Advise("decompress it: such files compress their own " +
				"pages")
		}
	}
	if given != "" {
		return nil, packed, fault.New(fault.CodeOption, "%q is not a known format", given).Advise("the formats are %s",
			strings.Join(Formats(), ", "))
	}
	if strings.HasSuffix(name, ".xlsx") || strings.HasSuffix(name, ".xls") || strings.HasSuffix(name, ".ods") {
		return nil, packed, fault.New(fault.CodeFormat, "spreadsheets are not read").Advise("save the sheet as CSV " +
			"(UTF-8), and name that file")
	}
	return nil, packed, fault.New(fault.CodeFormat, "the name's ending says no known format").
		Advise("known endings are .parquet, .arrow, .feather, .csv, .tsv, .txt, .data and .jsonl, and .gz, .zst, .bz2 or "+
			".xz behind those of texts; input.format states the format of an input with another ending (%s)",
			strings.Join(Formats(), ", "))
}

// found is an input file with its opener, before it is opened.
type found struct {
	at   scan.Place
	base string
	name string // the path, until it is shortened to the name that messages show
	open opener
}

// TextColumnType parses the type of a column of a text file as a job writes it, such as "date 2/1/2006". The type of a
// column for which a job states none, "", is text.
func TextColumnType(s string) (table.Type, error) {
	if s == "" {
		return scan.Text.Type, nil
	}
	t, e := scan.NewTextType(s, scan.Digits{})
	if e != nil {
		return t.Type, e
	}
	return t.Type, nil
}
