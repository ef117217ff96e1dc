package configs

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// CSV dialects in which no row decides how other rows are read
//
// Some settings of CSV contradict each other. Others let the content of one row decide how other rows are read: in a
// file without a header, the first row could begin with the bytes of a byte order mark, which sets the byte order of
// the whole file. Such a job is refused before it runs (docs/adr/0036).

// dialect is the dialect of delimited text, as a job writes it: a setting that is absent is empty.
type dialect struct {
	Files                               []string
	Format                              string
	Headless, Marked, Trims             bool
	Encoding, Delimiter, Quote, Comment string
	LineEnd                             string
}

// Problem is one contradictory setting: its key, the problem and a hint.
type Problem struct{ Key, Problem, Hint string }

// checkDialect returns the contradictions between a dialect's settings, except two settings with the same character.
func checkDialect(d dialect) (problems []Problem) {
	add := func(key, problem, hint string) { problems = append(problems, Problem{key, problem, hint}) }
	for _, k := range [][2]string{{"delimiter", d.Delimiter}, {"quote", d.Quote}, {"comment", d.Comment}} {
		if r, n := utf8.DecodeRuneInString(k[1]); n == len(k[1]) && n > 0 && r != utf8.RuneError &&
			(r == 0 || r > unicode.MaxASCII) {
			add(k[0], "only a character of ASCII other than NUL is the same in all encodings",
				"write the file again with another one")
		}
		if k[1] == "\t" && k[0] != "delimiter" && d.Delimiter == "" && d.tabs() {
			add(k[0], "a tab is the delimiter of format tsv", "choose another character, or name the delimiter")
		}
	}
	if d.Trims && (d.Quote == " " || d.Quote == "\t") {
		add("quote", "the quote is white space, which trim_space removes", "choose another one, or remove trim_space")
	}
	if d.Marked && !slices.Contains([]string{"", "utf-8", "utf-16", "utf-16le", "utf-16be"}, d.Encoding) {
		add("mark", "a text in "+d.Encoding+" has no byte order mark",
			"remove mark, or write the file's encoding: utf-8, utf-16le or utf-16be")
	}
	if !d.Headless && d.LineEnd != "" {
		add("line_end", "the header's line end decides how all lines of its file end", "remove line_end, or set header: false")
	}
	if d.Headless && d.Comment != "" && d.quotes() {
		add("comment", "without a header, a quoted row that begins with the comment character could swallow other rows",
			"write quote: none if the files quote no fields; else remove comment: the lines are then rows")
	}
	if d.Headless && d.Encoding == "utf-16" {
		add("encoding", "without a header, the first row could give the byte order of utf-16",
			"write utf-16le (most files) or utf-16be, and mark: true if the files begin with a byte order mark")
	}
	return problems
}

func (d *dialect) tabs() bool {
	return d.Format == "tsv" || d.Format == "" && slices.ContainsFunc(d.Files, tabbed)
}

// quotes reports whether fields are quoted in some file. In files of format tsv they are quoted only if the job sets a
// quote.
func (d *dialect) quotes() bool {
	csv := d.Format == "csv" || d.Format == "" && slices.ContainsFunc(d.Files,
		func(file string) bool { return text(file) && !tabbed(file) })
	return d.Quote != "none" && (d.Quote != "" || csv)
}

// tabbed reports whether the extension of a path is one of format tsv.
func tabbed(file string) bool { return hasExtension(file, tabsExtensions, true) }
