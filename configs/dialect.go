package configs

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/dprelease/dprelease/configs/internal/yamltree"
)

// CSV dialects in which no row decides how other rows are read
//
// Some settings of CSV contradict each other. Others let the content of one row decide how other rows are read: in a
// file without a header, the first row could begin with the bytes of a byte order mark, which sets the byte order of
// the whole file. Such a job is refused before it runs (docs/adr/0036).

// dialect reports the contradictions between the settings of CSV, except two settings with the same character.
func (c *checker) dialect(at *yamltree.Path) {
	in, d := &c.job.Input, &c.job.Input.CSV
	headless := d.Header != nil && !*d.Header
	add := func(key, problem, hint string) { c.bad(at.At(key), CodeContradiction, problem, hint) }
	for _, k := range [][2]string{{"delimiter", d.Delimiter}, {"quote", d.Quote}, {"comment", d.Comment}} {
		if r, n := utf8.DecodeRuneInString(k[1]); n == len(k[1]) && n > 0 && r != utf8.RuneError &&
			(r == 0 || r > unicode.MaxASCII) {
			add(k[0], "only a character of ASCII other than NUL is the same in all encodings",
				"write the file again with another one")
		}
		if k[1] == "\t" && k[0] != "delimiter" && d.Delimiter == "" && in.tabs() {
			add(k[0], "a tab is the delimiter of format tsv", "choose another character, or name the delimiter")
		}
	}
	if d.TrimSpace && (d.Quote == " " || d.Quote == "\t") {
		add("quote", "the quote is white space, which trim_space removes", "choose another one, or remove trim_space")
	}
	if d.Mark != nil && *d.Mark && !slices.Contains([]string{"", "utf-8", "utf-16", "utf-16le", "utf-16be"}, d.Encoding) {
		add("mark", "a text in "+d.Encoding+" has no byte order mark",
			"remove mark, or write the file's encoding: utf-8, utf-16le or utf-16be")
	}
	if !headless && d.LineEnd != "" {
		add("line_end", "the header's line end decides how all lines of its file end",
			"remove line_end, or set header: false")
	}
	if headless && d.Comment != "" && in.quotes() {
		add("comment", "without a header, a quoted row that begins with the comment character could swallow other rows",
			"write quote: none if the files quote no fields; else remove comment: the lines are then rows")
	}
	if headless && d.Encoding == "utf-16" {
		add("encoding", "without a header, the first row could give the byte order of utf-16",
			"write utf-16le (most files) or utf-16be, and mark: true if the files begin with a byte order mark")
	}
}

func (in *Input) tabs() bool {
	return in.Format == "tsv" || in.Format == "" && slices.ContainsFunc(in.Files, tabbed)
}

// quotes reports whether fields are quoted in some file. In files of format tsv they are quoted only if the job sets a
// quote.
func (in *Input) quotes() bool {
	csv := in.Format == "csv" || in.Format == "" && slices.ContainsFunc(in.Files,
		func(file string) bool { return text(file) && !tabbed(file) })
	return in.CSV.Quote != "none" && (in.CSV.Quote != "" || csv)
}

// tabbed reports whether the extension of a path is one of format tsv.
func tabbed(file string) bool { return hasExtension(file, tabsExtensions, true) }
