package configs

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/configs/internal/wording"
	"github.com/dprelease/dprelease/configs/internal/yamltree"
	"github.com/dprelease/dprelease/io/store"
)

// This file maps file extensions to input formats, and checks what a job says about a format: the columns of JSON lines
// and the types of text columns.

// These are the file extensions of the supported formats. A text format may be followed by an extension of a
// compression (packings).
var (
	extensions     = []string{".parquet", ".arrow", ".feather"}
	textExtensions = []string{".csv", ".txt", ".data", ".tsv", ".tab"}
	tabsExtensions = []string{".tsv", ".tab"}
	lineExtensions = []string{".jsonl", ".ndjson"}
	packings       = []string{".gz", ".zst", ".bz2", ".xz"}
)

// hasExtension reports whether a path ends with one of some extensions, in upper or lower case. A text format may be
// followed by an extension of a compression.
func hasExtension(file string, extensions []string, text bool) bool {
	if file = strings.ToLower(file); store.IsAddress(file) {
		file = store.Base(file)
	}
	if text {
		for _, p := range packings {
			file = strings.TrimSuffix(file, p)
		}
	}
	return slices.ContainsFunc(extensions, func(e string) bool { return strings.HasSuffix(file, e) })
}

// text reports whether the extension of a path is an extension of delimited text.
func text(file string) bool { return hasExtension(file, textExtensions, true) }

// IsDelimited reports whether some file of the input is delimited text, which states no types.
func (in *Input) IsDelimited() bool {
	return in.Format == "csv" || in.Format == "tsv" || in.Format == "" && slices.ContainsFunc(in.Files, text)
}

// IsText reports whether all files of the input are texts: delimited text or JSON lines.
func (in *Input) IsText() bool {
	switch in.Format {
	case "csv", "tsv", "jsonl":
		return true
	case "":
		return len(in.Files) > 0 && !slices.ContainsFunc(in.Files, func(f string) bool { return !text(f) && !lines(f) })
	}
	return false
}

// lines reports whether the extension of a path is an extension of JSON lines.
func lines(file string) bool { return hasExtension(file, lineExtensions, true) }

// known reports whether the extension of a path names a format.
func known(file string) bool {
	return hasExtension(file, extensions, false) || text(file) || lines(file)
}

// hint returns advice for a file whose format is unknown.
func hint(file string) string {
	known := "known: " + strings.Join(slices.Concat(extensions, textExtensions, lineExtensions), ", ")
	switch strings.ToLower(filepath.Ext(file)) {
	case ".xlsx", ".xls", ".ods":
		return known + "; save the sheet as CSV in UTF-8"
	case ".sas7bdat", ".xpt", ".dta", ".sav", ".rds", ".rdata":
		return known + "; export the table as CSV in UTF-8, or as Parquet"
	case "":
		return known + "; for the files of a folder write FOLDER/*.parquet; for a file of another extension write " +
			"input.format: csv, tsv, parquet, arrow or jsonl"
	}
	return known + "; for any other extension write input.format: csv, tsv, parquet, arrow or jsonl"
}

var textTypes = []string{"text", "int", "float", "bool", "date", "timestamp"}

// TypeProblem returns what is wrong with the type of a column in a text file (csv.types), and a hint; "" if nothing is.
func TypeProblem(text string) (problem, hint string) { return checkType(text, yamltree.Shown) }

// checkType does what TypeProblem does. Its function show quotes a text of the job for a message.
func checkType(text string, show func(string) string) (problem, hint string) {
	kind, all, _ := strings.Cut(text, " ")
	for _, layout := range strings.Split(all, " | ") {
		if problem, hint = checkLayout(text, kind, layout, show); problem != "" {
			break
		}
	}
	return problem, hint
}

// checkLayout checks one layout of a date or timestamp type.
func checkLayout(text, kind, layout string, show func(string) string) (problem, hint string) {
	switch {
	case text == "":
		return "", ""
	case !slices.Contains(textTypes, kind):
		return "unknown type " + show(text), wording.DidYouMean(kind, textTypes)
	case kind != "timestamp" && kind != "date" && layout != "":
		return "unknown type " + show(text), "only date and timestamp have a layout: write " + kind
	case kind == "timestamp" && !strings.Contains(layout, "06"):
		return "the timestamp's layout " + show(layout) + " has no year", "write how 2 January 2006, 15:04:05 looks in the " +
			"file: timestamp 2006-01-02 15:04:05"
	case kind == "date" && layout != "" && !strings.Contains(layout, "06"):
		return "the date's layout " + show(layout) + " has no year", "write how 2 January 2006 looks in the file: date " +
			"2/1/2006 if the day comes first, date 1/2/2006 if the month does"
	}
	return "", ""
}

// jsonl checks that the job names the columns of JSON lines if it reads a file of that format.
func (c *checker) jsonl(at *yamltree.Path) {
	in := &c.job.Input
	lines := in.Format == "jsonl" || in.Format == "" && slices.ContainsFunc(in.Files, lines)
	switch {
	case !lines && in.JSONL == nil:
		return
	case !lines:
		c.bad(at.At("jsonl"), CodeContradiction, "no file of the input is in JSON lines",
			"remove jsonl, or write format: jsonl")
	case in.JSONL == nil || len(in.JSONL.Columns) == 0:
		c.bad(at, CodeMissing, "JSON lines need the names and types of the columns that are read",
			"add jsonl: {columns: {age: int, city: text}}; release columns FILE shows what is seen")
		return
	}
	for _, name := range slices.Sorted(maps.Keys(in.JSONL.Columns)) {
		c.textType(at.At("jsonl").At("columns").At(name), in.JSONL.Columns[name])
	}
}
