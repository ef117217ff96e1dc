package yamltree

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/dprelease/dprelease/configs/internal/wording"
)

// MaxFile is the largest job file in bytes. Long lists of cells belong in a file of their own (values_from).
const MaxFile = 4 << 20

// ReadTree parses a job file that holds one mapping.
func ReadTree(src []byte) (*yaml.Node, *Fault) {
	if f := checkText(src); f != nil {
		return nil, f
	}
	docs, err := load(src)
	if err != nil {
		f := syntaxFault(err)
		if lines := bytes.Split(src, []byte("\n")); f.Line <= len(lines) && bytes.HasPrefix(lines[f.Line-1], []byte("\t")) {
			f.Message, f.Hint = "a tab is part of the indentation", "indent with spaces, not tabs"
		}
		if before, _, found := bytes.Cut(src, []byte("\u00A0")); found {
			f.Hint += fmt.Sprintf("; line %d has a no-break space (U+00A0), which is not a space in YAML",
				1+bytes.Count(before, []byte("\n")))
		}
		return nil, f
	}
	if len(docs) == 0 || len(docs[0].Content) == 0 || IsNull(docs[0].Content[0]) {
		return nil, &Fault{1, 1, CodeYAML, "the job file is empty", "see the reference for a whole example"}
	}
	if len(docs) > 1 {
		return nil, &Fault{docs[1].Line, docs[1].Column, CodeYAML, "a second document starts here",
			"one file holds one job: remove the line ---, or make two files"}
	}
	root := docs[0].Content[0]
	if root.Kind != yaml.MappingNode {
		found := "a text" // it may be a private table, so it is not quoted
		if root.Kind == yaml.SequenceNode {
			found = "a list"
		}
		return nil, &Fault{root.Line, root.Column, CodeWrongType, "a job is a mapping (key: value), found " + found,
			"start with version: 1; is this a table? release init FILE writes a first job for it"}
	}
	return root, nil
}

// load calls the YAML library. The library panics on some of its own bugs; load returns those as errors.
func load(src []byte) (docs []yaml.Node, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("the YAML reader failed on this file")
		}
	}()
	err = yaml.Load(src, &docs, yaml.WithAllDocuments())
	return docs, err
}

// checkText finds the first character that YAML does not allow.
func checkText(src []byte) *Fault {
	if len(src) > MaxFile {
		return &Fault{1, 1, CodeYAML, fmt.Sprintf("the job file is larger than %d MiB", MaxFile>>20),
			"move long lists of cells into a file and name it with values_from"}
	}
	src = bytes.TrimPrefix(src, []byte("\uFEFF"))
	switch {
	case bytes.HasPrefix(src, []byte("SQLite format 3\x00")):
		return &Fault{1, 1, CodeYAML, "this is a SQLite file, such as a ledger, and not a job",
			"give the path of a job file, or name the ledger by --store sqlite:FILE"}
	case bytes.HasPrefix(src, []byte("PAR1")):
		return &Fault{1, 1, CodeYAML, "this is a Parquet file, and not a job",
			"give the path of a job file; release init FILE writes a first one"}
	}
	line, column := 1, 1
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRune(src[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			return &Fault{line, column, CodeYAML, "the file is not UTF-8 from here on", "save it as UTF-8"}
		case !printable(r):
			return &Fault{line, column, CodeYAML, fmt.Sprintf("control character U+%04X", r),
				`remove it, or write "\x.." in double quotes if it is meant`}
		case r == '\n':
			line, column = line+1, 0
		}
		i, column = i+n, column+1
	}
	return nil
}

// printable reports whether YAML 1.2, section 5.1, allows a character.
func printable(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r', r == 0x85:
		return true
	case r < 0x20, r >= 0x7f && r < 0xa0, r == 0xfeff, r == 0xfffe, r == 0xffff:
		return false
	}
	return true
}

// syntaxFault converts an error of the YAML library to a fault with a position.
func syntaxFault(err error) *Fault {
	var e *yaml.LoadError
	if !errors.As(err, &e) {
		return &Fault{1, 1, CodeYAML, "the file is not YAML", "compare it with a job that release init writes"}
	}
	text, hint := syntaxWords(e.Message)
	if e.ContextMark.Line > 0 && e.ContextMark != e.Mark {
		text += fmt.Sprintf("; what is open here starts at line %d, column %d", e.ContextMark.Line, e.ContextMark.Column)
	}
	return &Fault{max(1, e.Mark.Line), max(1, e.Mark.Column), CodeYAML, oneLine(text), hint}
}

// syntaxTexts explains messages of the YAML library: part is a piece of the message, text and hint are the explanation.
var syntaxTexts = []struct{ part, text, hint string }{
	{"tab character", "a tab is part of the indentation", "indent with spaces, not tabs"},
	{"cannot start any token", "no value can begin with this character",
		"indent with spaces, not tabs; quote values that begin with @, ` or %"},
	{"mapping values are not allowed", "there is no place for another key here",
		"check the indentation and the brackets above; quote a value that has a colon and a space in it"},
	{"block sequence entries are not allowed", "there is no place for a list item here",
		"begin the list on a line of its own, below its key"},
	{"alphabetic or numeric character", "a name is missing behind *, & or !",
		`quote a value that begins with *, & or !: "*.parquet"`},
	{"unknown anchor", "no value above is named by & as this * asks",
		`quote a value that begins with *: "*.parquet"`},
	{"',' or ']'", "the list in [ ] is not closed, or a comma is missing",
		"close the list with ], and put commas between its items"},
	{"',' or '}'", "the mapping in { } is not closed, or a comma is missing",
		"close the mapping with }, and put commas between its entries"},
	{"unexpected end of stream", "the file ends inside quotes", "close the quotes"},
	{"document separator", "the document ends inside quotes", "close the quotes"},
	{"did not find expected key", "this is not a key of the mapping above",
		"check the indentation and the brackets: keys of one mapping start in one column"},
	{"did not find expected '-' indicator", "this is not an item of the list above",
		"check the indentation: the items of one list start in one column, each with a dash"},
	{"could not find expected ':'", "a key has no value", "a key needs a colon and a space after it"},
	{"escape", "the text in double quotes has a backslash that means nothing",
		`write \\ for a backslash, or use single quotes`},
	{"expected <document start>", "this line does not belong to what is above", "write each line as key: value, and begin " +
		"the keys of one mapping in one column"},
	{"did not find expected node content", "a value is missing before this character",
		`remove a comma too many: [a, , b]; write "" for the empty text; quote a text that begins with , ] or }`},
	{"incompatible YAML document", "the line %YAML names a version that is not read", "remove the line that begins with %YAML"},
	{"depth", "the file is nested too deeply", "a job has fewer levels: check the brackets"},
}

// syntaxWords returns the text and the hint for a message of the YAML library.
func syntaxWords(message string) (text, hint string) {
	for _, x := range syntaxTexts {
		if strings.Contains(message, x.part) {
			return x.text, x.hint
		}
	}
	return "this is not YAML", "compare the indentation, quotes and brackets with a job that release init writes"
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// IsNull reports whether a value is null or absent.
func IsNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

func kindName(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case IsNull(n):
		return "nothing"
	}
	return wording.Quote(n.Value)
}
