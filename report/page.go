package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page's parts
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"

	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/report/picture"
)

// The parts of the page.
var (
	//go:embed assets/page.html
	pageHTML string
	//go:embed assets/page.css
	pageCSS string
	//go:embed assets/page.js
	pageJS string
)

var pageTemplate = template.Must(template.New("page").Parse(pageHTML))

// page is the content of a page.
type page struct {
	Manifest *manifest.Manifest
	// Tables are the tables of the manifest's queries.
	Tables []*Table
}

// Sizes of a page.
const (
	// mostBytes is the largest length of the data in a page.
	mostBytes = 3 << 20
	// mostRows is the largest number of rows of all tables together that a page holds at first.
	mostRows = 40_000
	// leastRows is the number of rows of a table that it holds in any case.
	leastRows = 100
)

// pageData holds the tables for the page's script.
type pageData struct {
	Tables []tableData `json:"tables"`

	queries []*queryFacts // the facts of each table's query
}

type tableData struct {
	Name     string     `json:"name"`
	File     string     `json:"file"`
	Table    *pageTable `json:"-"`
	Readers  *pageTable `json:"table"` // the table with names for spans
	Unit     string     `json:"-"`
	Picture  string     `json:"-"`
	Axes     []axis     `json:"-"`
	Denoised bool       `json:"-"`
	Rate     string     `json:"-"` // the rate in a table of rates; "" in other tables
	// None stands for a value that is not defined.
	None   string    `json:"none,omitempty"`
	Sums   *sumsData `json:"sums,omitempty"`
	Places *places   `json:"-"`
}

// Write writes the page.
func (p *page) Write(w io.Writer) error {
	f := factsOf(p.Manifest)
	data, text, err := p.data(f)
	if err != nil {
		return err
	}
	v, err := f.view(data)
	if err != nil {
		return err
	}
	v.CSS, v.CSP, v.Data, v.Script = template.CSS(pageCSS), policy(), template.JS(text), template.JS(pageJS)
	return pageTemplate.Execute(w, v)
}

// data cuts the tables down until the page's data are short enough.
func (p *page) data(f *facts) (*pageData, []byte, error) {
	for most := max(leastRows, mostRows/max(1, len(p.Tables))); ; most /= 2 {
		d := &pageData{Tables: []tableData{}}
		for _, t := range p.Tables {
			q := f.find(t.Query)
			if q == nil {
				continue
			}
			d.Tables, d.queries = append(d.Tables, dataOf(q, t, most, f)), append(d.queries, q)
		}
		text, err := json.Marshal(d) // escapes <, > and &, so that no text ends the script or starts a tag
		if err != nil || len(text) <= mostBytes || most <= leastRows/2 {
			return d, text, err
		}
	}
}

func dataOf(q *queryFacts, t *Table, most int, f *facts) tableData {
	table, cells := t.page(most)
	axes := axesOf(q, table, t.Holds)
	out := tableData{
		Name: shown(q.title), File: q.name, Unit: q.unitText(f), Axes: axes, Table: table, Readers: forReaders(table, axes),
		Denoised: len(q.steps) > 0 && t.Holds == "", Places: placesOf(t, table, axes, cells),
	}
	if r := q.rate(t.Holds); r != nil {
		out.Unit, out.None, out.Rate = shown(r.Name), "not stated", rateText(q, r, f)
	}
	out.Sums = sumsOf(q.stated, t, out.Readers)
	if t.Holds != "" {
		part := t.Holds
		if q.kind == crosstabs && out.Rate == "" {
			part = "by " + axisNames(axes)
		}
		out.Name, out.File = shown(q.title)+" ("+part+")", q.name+"."+t.Holds
	}
	out.Picture = pictureOf(axes, table, q.reading(t.Holds), out.Places != nil)
	if q.reading(t.Holds) == pictureQuantiles {
		out.Unit = q.edgeLabel()
	}
	if missing := MissingValue(q.kind); missing != noValue {
		out.None = missing
	}
	return out
}

// noValue stands for a value that is missing for no reason that its kind of query has.
const noValue = "-"

// MissingValue returns the text for a value that a query of a kind does not have in a cell: the mean of too few rows.
func MissingValue(kind string) string {
	if kind == "mean" || kind == "variance" {
		return "too few"
	}
	return noValue
}

func (f *facts) find(query string) *queryFacts {
	for i := range f.queries {
		if f.queries[i].name == query {
			return &f.queries[i]
		}
	}
	return nil
}

// policy returns the page's Content-Security-Policy: the page may load nothing, and only its own scripts and styles
// run, identified by their digests. Its pictures are embedded (data:).
func policy() string {
	return fmt.Sprintf("default-src 'none'; script-src %s; style-src %s; img-src data:; base-uri 'none'; form-action "+
		"'none'", sourceOf(pageJS), sourceOf(pageCSS))
}

// shownPicture is a picture in the page.
type shownPicture struct {
	Name   string
	Source template.URL
	// Text describes what the picture shows, for those who do not see it.
	Text          string
	Width, Height int
	// Narrow is the picture for a telephone; nil if its marks would not fit there.
	Narrow *shownPicture
}

// Set is the source of a picture that the page offers beside another one.
func (p *shownPicture) Set() template.Srcset { return template.Srcset(p.Source) }

// embed draws a figure as SVG for the page.
func embed(f *picture.Figure, name, text string) (*shownPicture, error) {
	var b bytes.Buffer
	if err := f.Write(&b, "svg"); err != nil {
		return nil, err
	}
	out := &shownPicture{Name: name, Text: text}
	out.Width, out.Height = f.Dots()
	out.Source = template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(b.Bytes()))
	var err error
	if n := narrow(f); n != nil {
		out.Narrow, err = embed(n, name, text)
	}
	return out, err
}

func sourceOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
