package report

import (
	"crypto/sha256"
	_ "embed" // the page's parts
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/dprelease/dprelease/pipeline/manifest"
)

// The parts of the page; assets/README.md says where the libraries come from.
var (
	//go:embed assets/page.html
	pageHTML string
	//go:embed assets/page.css
	pageCSS string
	//go:embed assets/page.js
	pageJS string
	//go:embed assets/d3.min.js
	d3JS string
	//go:embed assets/plot.umd.min.js
	plotJS string
	//go:embed assets/d3.LICENSE
	d3Licence string
	//go:embed assets/plot.LICENSE
	plotLicence string
)

var pageTemplate = template.Must(template.New("page").Parse(pageHTML))

// plotStyles are the SHA-256 of the style sheets that Observable Plot puts into its pictures and legends, all with the
// class plot. The page allows these and no others: a browser test finds the ones that are missing.
var plotStyles = []string{
	"1kPXObVh35hutZu8ThsqcFSTEzmho2VP/CTu739M1zY=", // legends
	"+TfQir1nvDucAdvE6XUQBt4ayUjpAWkbw2kCdSfekHM=", // pictures
}

// Page is all that a page shows.
type Page struct {
	Manifest *manifest.Manifest
	// Tables are those of the manifest's queries.
	Tables []*Table
}

// Sizes of a page.
const (
	// mostBytes is how long the data in a page may be.
	mostBytes = 3 << 20
	// mostRows is how many rows of all tables together a page holds at first.
	mostRows = 40_000
	// leastRows is how many rows of a table it holds in any case.
	leastRows = 100
)

// pageData is what the page's script draws.
type pageData struct {
	Curve  [][2]float64 `json:"curve"`
	Tables []tableData  `json:"tables"`
}

type tableData struct {
	Name     string     `json:"name"`
	File     string     `json:"file"`
	Unit     string     `json:"unit"`
	Picture  string     `json:"picture"`
	Axes     []axis     `json:"axes"`
	Table    *pageTable `json:"table"`
	Denoised bool       `json:"denoised"`
	Linear   bool       `json:"linear"` // colours from the least value to the largest, not by the root from 0
	Places   *places    `json:"places,omitempty"`
}

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	f := factsOf(p.Manifest)
	data, text, err := p.data(f)
	if err != nil {
		return err
	}
	v := f.view(data)
	scripts := []string{d3JS, plotJS, pageJS}
	v.CSS, v.CSP, v.Data = template.CSS(pageCSS), policy(scripts), template.JS(text)
	for _, s := range scripts {
		v.Scripts = append(v.Scripts, template.JS(s))
	}
	v.Licences = []string{"D3: " + d3Licence, "Observable Plot: " + plotLicence}
	return pageTemplate.Execute(w, v)
}

// data cuts the tables down until the page's data are short enough.
func (p *Page) data(f *facts) (*pageData, []byte, error) {
	for most := max(leastRows, mostRows/max(1, len(p.Tables))); ; most /= 2 {
		d := &pageData{Curve: f.guarantee.curve(), Tables: []tableData{}}
		for _, t := range p.Tables {
			q := f.find(t.Query)
			if q == nil {
				continue
			}
			d.Tables = append(d.Tables, dataOf(q, t, most, f))
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
		Name: q.name, File: q.name, Unit: q.unitText(f), Axes: axes, Table: table, Denoised: len(q.steps) > 0 &&
			t.Holds == "", Linear: q.linear(),
		Places: placesOf(t, table, axes, cells),
	}
	if t.Holds != "" {
		out.Name, out.File = q.name+" ("+t.Holds+")", q.name+"."+t.Holds
	}
	out.Picture = pictureOf(axes, table, t.Holds, out.Places != nil)
	if t.Holds == pictureQuantiles {
		out.Unit = q.edgeLabel()
	}
	return out
}

func (f *facts) find(query string) *queryFacts {
	for i := range f.queries {
		if f.queries[i].name == query {
			return &f.queries[i]
		}
	}
	return nil
}

// policy is the page's Content-Security-Policy: it may load nothing, and runs and styles by nothing but its own parts,
// by their digests. Legends are pictures that the page makes itself (data:).
func policy(scripts []string) string {
	var allowed []string
	for _, s := range scripts {
		allowed = append(allowed, sourceOf(s))
	}
	styles := []string{sourceOf(pageCSS)}
	for _, s := range plotStyles {
		styles = append(styles, "'sha256-"+s+"'")
	}
	return fmt.Sprintf("default-src 'none'; script-src %s; style-src %s; img-src data:; base-uri 'none'; form-action "+
		"'none'",
		strings.Join(allowed, " "), strings.Join(styles, " "))
}

func sourceOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
