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
	if d.given, err = csv.NewDialect(o.CSV); err != nil {
		return d, err
	}
	d.given.Ahead = o.Workers > 1
	d.given.Exact(o.Exact)
	tabs := o.CSV
	tabs.Delimiter, tabs.Quote = cmp.Or(tabs.Delimiter, '\t'), cmp.Or(tabs.Quote, textfile.NoQuote)
	if d.tabs, d.wrongTabs = csv.NewDialect(tabs); d.wrongTabs == nil {
		d.tabs.Ahead = d.given.Ahead
		d.tabs.Exact(o.Exact)
	}
	d.exact = o.Exact
	if d.objects, err = jsonl.NewDialect(o.JSONL); err != nil {
		return d, err
	}
	d.objects.Exact(o.Exact)
	return d, nil
}

// opener opens a file and reads its schema.
type opener func(ctx context.Context, at scan.Place, d dialects, mac scan.BlockMAC) (scan.File, *fault.Error)

// formats holds the formats with their names and the endings of their files. To add a format, add a package below
// internal and a line here. Files of text formats may be compressed; a second ending such as .gz tells how.
var formats = []struct {
	name    string
	endings []string
	open    func(packed scan.Compression) opener
	text    bool
}{
	{"parquet", []string{".parquet"}, openDescribed(parquet.Open), false},
	{"arrow", []string{".arrow", ".feather"}, openDescribed(arrow.Open), false},
	{"csv", []string{".csv", ".txt", ".data"}, openSeparated(func(d dialects) (*csv.Dialect, error) { return d.given, nil }),
		true},
	{"tsv", []string{".tsv", ".tab"}, openSeparated(func(d dialects) (*csv.Dialect, error) { return d.tabs, d.wrongTabs }),
		true},
	{"jsonl", []string{".jsonl", ".ndjson"}, openObjects, true},
}

// packings lists the endings of compressed files' names with their compressions.
var packings = []struct {
	ending string
	packed scan.Compression
}{{".gz", scan.Gzip}, {".zst", scan.Zstd}, {".bz2", scan.Bzip2}, {".xz", scan.XZ}}

// openDescribed returns an opener for a format whose files hold the types of their columns (Parquet, Arrow).
func openDescribed(open func(context.Context, scan.Place, []string, scan.BlockMAC) (scan.File,
	*fault.Error)) func(scan.Compression) opener {
	return func(scan.Compression) opener {
		return func(ctx context.Context, at scan.Place, d dialects, mac scan.BlockMAC) (scan.File, *fault.Error) {
			return open(ctx, at, d.exact, mac)
		}
	}
}

// openSeparated returns, for a compression, an opener of CSV files. of chooses the dialect: CSV or TSV.
func openSeparated(of func(dialects) (*csv.Dialect, error)) func(scan.Compression) opener {
	return func(packed scan.Compression) opener {
		return func(ctx context.Context, at scan.Place, d dialects, mac scan.BlockMAC) (scan.File, *fault.Error) {
			dialect, err := of(d)
			if err != nil {
				return nil, fault.From(err)
			}
			return csv.Open(ctx, at, packed, dialect, mac)
		}
	}
}

// openObjects returns an opener of JSON-lines files with the given compression.
func openObjects(packed scan.Compression) opener {
	return func(ctx context.Context, at scan.Place, d dialects, mac scan.BlockMAC) (scan.File, *fault.Error) {
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

// FormatOf returns the name of a file's format by the ending of its name, such as .csv.gz; "" if no format has this
// ending.
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

// formatOf returns the opener of the given format. If given is empty, the ending of the file's name decides, in upper
// or lower case.
func formatOf(given, name string) (opener, *fault.Error) {
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
			return nil, fault.New(fault.CodeFormat,
				"a file of this format cannot be compressed as a whole").Advise("decompress it: such files compress their own pages")
		}
	}
	if given != "" {
		return nil, fault.New(fault.CodeOption, "%q is not a known format", given).Advise("the formats are %s",
			strings.Join(Formats(), ", "))
	}
	if strings.HasSuffix(name, ".xlsx") || strings.HasSuffix(name, ".xls") || strings.HasSuffix(name, ".ods") {
		return nil, fault.New(fault.CodeFormat, "spreadsheets are not read").Advise("save the sheet as CSV (UTF-8), and name " +
			"that file")
	}
	return nil, fault.New(fault.CodeFormat, "the name's ending says no known format").
		Advise("known endings are .parquet, .arrow, .feather, .csv, .tsv, .txt, .data and .jsonl, and .gz, .zst, .bz2 or .xz "+
			"behind those of texts; input.format states the format of an input with another ending (%s)",
			strings.Join(Formats(), ", "))
}

// found is an input file with its opener, before it is opened.
type found struct {
	at   scan.Place
	base string
	name string // the path, until it is shortened to the name that messages show
	open opener
}
