package report

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"unicode"
)

// This file makes documents about the tables of a release for catalogues and programs: a Frictionless Data Package, CSV
// on the Web, schema.org with DCAT, Croissant, a citation file, and a README that says how to load the tables. Each
// document depends on the release alone, so its bytes are the same each time.

// catalogue holds the facts about a release from which the documents are made.
type catalogue struct {
	// Name is the release's name in its job; Title is for people. Slug has lower-case letters, digits, "-", "." and "_"
	// only.
	Name, Slug, Title string
	// Description is one or more sentences about the release. Guarantee states its privacy guarantee in one or two.
	Description, Guarantee string
	// Licence is an SPDX identifier or a URL, Address the URL of the release, and Published its date of publication
	// (YYYY-MM-DD). Each is "" if the job does not state it.
	Licence, Address, Published string
	// Creators are the names of those who publish the release; Authors wrote its description. Both may be empty.
	Creators, Authors []string
	Region            string
	// Prefix begins the names of all files of a preview; "" for a release.
	Prefix string
	Tables []catalogueTable
}

// catalogueTable is one table of the release with its files, one for each format.
type catalogueTable struct {
	Name, Description string
	Columns           []catalogueColumn
	Files             []catalogueFile
	// Components is true if the table has the noisy numbers from which the query's other tables were computed.
	Components bool
}

// catalogueColumn describes a column of a table for the documents.
type catalogueColumn struct {
	Name, Description string
	// Unit is the unit of the column's numbers; "" if they have none.
	Unit string
	Type columnType
	// Key is true if the column is one of those that identify a cell: no two rows have the same labels in all of them.
	Key bool
}

type columnType int

// The values of columnType.
const (
	textColumn columnType = iota
	integerColumn
	realColumn
)

// catalogueFile is the file of a table in one format.
type catalogueFile struct {
	Path, SHA256 string
	// Raw is true if the CSV file has no apostrophes in front of texts that look like formulas.
	Raw bool
}

// The file names of the documents.
const (
	packageName   = "datapackage.json"
	csvwName      = "csv-metadata.json"
	dcatName      = "dcat.jsonld"
	croissantName = "croissant.json"
	citationName  = "CITATION.cff"
	readmeName    = "README.md"
)

// document is a file that describes the release, such as datapackage.json.
type document struct {
	Name string
	Text []byte
}

// Documents returns all documents of the release.
func (r *catalogue) Documents() []document {
	out := []document{
		{readmeName, r.readme()}, {citationName, r.citation()}, {packageName, encode(r.dataPackage())}, {dcatName,
			encode(r.dcat())}, {croissantName, encode(r.croissant())},
	}
	if len(r.csvTables()) > 0 {
		out = append(out, document{csvwName, encode(r.csvw())})
	}
	return out
}

// object is a JSON object; encode writes its keys in alphabetical order.
type object map[string]any

// encode returns o as JSON. It escapes <, > and &, since a portal may put the JSON into a page.
func encode(o object) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	_ = e.Encode(o) // no error: texts, numbers, lists and objects can be encoded
	return b.Bytes()
}

// set sets key to text unless text is empty.
func (o object) set(key, text string) object {
	if text != "" {
		o[key] = text
	}
	return o
}

// format returns a file's format: csv, parquet, arrow or json.
func (f catalogueFile) format() string { return strings.TrimPrefix(filepath.Ext(f.Path), ".") }

func (f catalogueFile) mediaType() string {
	switch f.format() {
	case "csv":
		return "text/csv"
	case "json":
		return "application/json"
	case "parquet":
		return "application/vnd.apache.parquet"
	case "arrow":
		return "application/vnd.apache.arrow.file"
	}
	return "application/octet-stream"
}

// csvTables returns the tables that have a CSV file, each without its other files.
func (r *catalogue) csvTables() []catalogueTable {
	var out []catalogueTable
	for _, t := range r.Tables {
		for _, f := range t.Files {
			if f.format() == "csv" {
				t.Files = []catalogueFile{f}
				out = append(out, t)
			}
		}
	}
	return out
}

// inCSV returns a text as it is in the CSV file: after an apostrophe if a spreadsheet would run it as a formula, unless
// Raw is true.
func (f catalogueFile) inCSV(text string) string {
	if !f.Raw && text != "" && strings.ContainsRune("=+-@\t\r'", rune(text[0])) {
		return "'" + text
	}
	return text
}

// slug makes a short name for URLs from any text: "Trips 2025" becomes "trips-2025".
func slug(text string) string {
	slug := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		case r >= 'A' && r <= 'Z':
			return unicode.ToLower(r)
		}
		return '-'
	}, text)
	if slug = strings.Trim(slug, "-_."); slug == "" {
		return "release"
	}
	return slug
}

// words returns the description of a column with its unit.
func (c catalogueColumn) words() string {
	if c.Unit == "" {
		return c.Description
	}
	return c.Description + " Unit: " + c.Unit + "."
}
