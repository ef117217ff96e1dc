package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // embeds the parts of the page
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"

	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/query"
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

// page is the content of index.html.
type page struct {
	Manifest *manifest.Manifest
	// Tables are the tables of the manifest's queries.
	Tables []*Table
}

// Limits on the size of a page.
const (
	// maxBytes is the maximum length of the page's data, as JSON.
	maxBytes = 3 << 20
	// maxRows is the maximum number of rows of all tables in the page together. If they are still longer than
	// maxBytes, fewer rows are kept.
	maxRows = 40_000
	// minRows is the number of rows that the page keeps of each longer table in any case.
	minRows = 100
)

// pageData holds the tables of the page, for its script.
type pageData struct {
	Tables []tableData `json:"tables"`

	queries []*queryFacts // the facts of each table's query
}

type tableData struct {
	Name     string     `json:"name"`
	File     string     `json:"file"`
	Table    *pageTable `json:"-"`
	Readers  *pageTable `json:"table"` // the table with a column of names for each span
	Unit     string     `json:"-"`
	Picture  string     `json:"-"`
	Axes     []axis     `json:"-"`
	Denoised bool       `json:"-"`
	Rate     string     `json:"-"` // the unit of a table of rates; "" for other tables
	// None is the text for an undefined value.
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

// data returns the page's data, and the data as JSON. It leaves out rows of the tables until the JSON has at most
// maxBytes bytes.
func (p *page) data(f *facts) (*pageData, []byte, error) {
	for limit := max(minRows, maxRows/max(1, len(p.Tables))); ; limit /= 2 {
		d := &pageData{Tables: []tableData{}}
		for _, t := range p.Tables {
			q := f.find(t.Query)
			// With publish rules, the answer of crosstabs is empty.
			if q == nil || t.Holds == "" && q.kind == crosstabs && q.publish != nil {
				continue
			}
			d.Tables, d.queries = append(d.Tables, dataOf(q, t, limit, f)), append(d.queries, q)
		}
		text, err := json.Marshal(d) // <, > and & are escaped, so no text can end the script or start a tag
		if err != nil || len(text) <= maxBytes || limit <= minRows/2 {
			return d, text, err
		}
	}
}

func dataOf(q *queryFacts, t *Table, limit int, f *facts) tableData {
	table, cells := t.page(limit)
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

// noValue is shown for a missing value if the kind of query gives no reason for it.
const noValue = "-"

// MissingValue returns the text that a query of this kind shows in a cell without a value, such as "too few" for a
// mean.
func MissingValue(kind string) string {
	if query.Kind(kind).IsQuotient() {
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

type shownPicture struct {
	Name   string
	Source template.URL
	// Text describes the picture for readers who cannot see it.
	Text          string
	Width, Height int
	// Narrow is the picture for a phone; nil if there is none.
	Narrow *shownPicture
}

// Set returns the picture as a value of the attribute srcset, with which the page offers it for a phone.
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
