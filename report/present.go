package report

import (
	"context"
	"io"
	"path/filepath"
	"strings"

	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/query"
)

// IndexName is the file name of the page.
const IndexName = "index.html"

// Presenter makes the documents of a release while the release is staged. It has no state.
type Presenter struct{}

var _ pipeline.Presenter = Presenter{}

// Present makes the documents of a release.
func (Presenter) Present(_ context.Context, r *pipeline.Release, files map[string][]manifest.File) ([]pipeline.Document,
	error) {
	m := r.Manifest(files)
	var tables []*Table
	results := r.Results()
	for i := range results {
		tables = append(tables, tablesOf(&results[i])...)
	}
	return Documents(&m, tables), nil
}

// Documents returns the documents of a release with these tables.
func Documents(m *manifest.Manifest, tables []*Table) []pipeline.Document {
	content := &page{Manifest: m, Tables: tables}
	out := []pipeline.Document{{Path: IndexName, Write: content.Write}}
	for _, d := range factsOf(m).catalogue(tables).Documents() {
		out = append(out, pipeline.Document{Path: d.Name, Write: func(w io.Writer) error {
			_, err := w.Write(d.Text)
			return err
		}})
	}
	return out
}

// catalogue returns the description of the release for catalogues.
func (f *facts) catalogue(tables []*Table) *catalogue {
	d := &f.deployment
	r := &catalogue{
		Name: f.name, Slug: slug(f.name), Title: f.title, Description: d.Description, Guarantee: f.statement,
		Licence: d.Licence, Address: d.Address, Published: d.Published,
		Creators: d.Curators, Authors: d.Authors, Region: d.Region,
	}
	if d.Slug != "" {
		r.Slug = slug(d.Slug)
	}
	if r.Description == "" {
		r.Description = "A differentially private release, " + f.name + "."
	}
	if f.synthetic != "" {
		r.Prefix, r.Slug, r.Description = f.prefix, f.prefix+strings.TrimPrefix(r.Slug,
			f.prefix), f.synthetic+". "+r.Description
		r.Address, r.Published = "", "" // a preview is not published
	}
	for _, p := range f.params {
		r.Title += ", " + p[0] + " " + p[1]
		r.Slug += "-" + slug(p[1])
	}
	for _, t := range tables {
		if q := f.find(t.Query); q != nil {
			r.Tables = append(r.Tables, q.catalogued(t, f))
		}
	}
	return r
}

// catalogued returns the description, for catalogues, of one of the query's tables.
func (q *queryFacts) catalogued(t *Table, f *facts) catalogueTable {
	out, unit := catalogueTable{Name: q.name, Description: q.description(f)}, q.unitText(f)
	if t.Holds != "" {
		out.Name += "." + t.Holds
	}
	derived := ""
	switch q.reading(t.Holds) {
	case pictureQuantiles:
		derived, unit = "Quantiles of "+q.edgeLabel()+", read off the noisy counts of "+q.name+".", q.edgeLabel()
	case pictureCDF:
		derived, unit = "Share of the rows below each edge of "+q.edgeLabel()+", read off the noisy counts of "+
			q.name+".", "share of rows"
	case holdsSums:
		derived = "Numbers of rows below each edge of " + q.edgeLabel() + ", from the noisy counts of " + q.name + "."
	}
	if derived != "" {
		out.Description = strings.TrimSpace(derived + " " + q.conditions)
	}
	switch {
	case q.kind == crosstabs && t.Holds != "":
		out.Description = "The table " + shown(t.Holds) + " of these: " + out.Description
	case q.kind == crosstabs:
		out.Components = true
		left := ""
		if q.publish != nil {
			left = " Left empty, since withheld cells could be computed from them."
		}
		out.Description = "The noisy numbers from which tables were computed." + left + " The tables: " + out.Description
	}
	if r := q.rate(t.Holds); r != nil {
		out.Description, unit = rateText(q, r, f), shown(r.Name)
		if q.conditions != "" {
			out.Description += " Of " + q.name + ": " + q.conditions
		}
	}
	bounded := q.bounded(t.Holds)
	if bounded != "" {
		out.Description += " " + bounded
	}
	for _, x := range q.files {
		if x.Holds == t.Holds {
			out.Files = append(out.Files, catalogueFile{Path: x.Path, SHA256: x.SHA256,
				Raw: x.Raw && filepath.Ext(x.Path) == ".csv"})
		}
	}
	for _, k := range t.Keys {
		kind := textColumn
		switch {
		case len(k.Labels.Ints) > 0:
			kind = integerColumn
		case len(k.Labels.Floats) > 0:
			kind = realColumn
		}
		out.Columns = append(out.Columns, catalogueColumn{Name: k.Name, Description: "Key: names the cell.", Type: kind,
			Key: true})
	}
	for _, c := range t.Values {
		text, known := columnTexts[c.Name]
		switch {
		case c.Name == "withheld":
			text = withheldText
		case !known:
			text = "A noisy component of which the answer was made."
		}
		if c.Name == noisyColumn && query.Kind(q.kind).IsQuotient() {
			text = "A quotient of noisy components, which is not exactly right on average."
		}
		if bounded != "" && strings.HasPrefix(c.Name, "ci95_") {
			text += " " + bounded
		}
		if more := q.coverage(); more != "" && t.Holds == "" && strings.HasPrefix(c.Name, "ci95_") {
			text += " The interval holds in " + more + " of cases, since the noise takes only multiples of " +
				short(q.gridStep) + "."
		}
		described := catalogueColumn{Name: c.Name, Description: text, Type: realColumn}
		if known {
			described.Unit = unit
		}
		out.Columns = append(out.Columns, described)
	}
	return out
}

// description returns the description of a table: its query, the values that a clamp may leave out, and the reason why
// its noisy values have fractions.
func (q *queryFacts) description(f *facts) string {
	text := q.question(f)
	for _, more := range []string{q.clampRisk, q.grid()} {
		if more != "" {
			text += " " + more
		}
	}
	return text
}

// columnTexts describe the columns that every answer has.
var columnTexts = map[string]string{
	noisyColumn: "The exact answer plus noise: right on average.",
	estimateColumn: "The noisy value after denoising, or the noisy value itself if there is none. It is rounded to a " +
		"hundredth of its error, and the ends of its interval outward, unless tables agree exactly.",
	"standard_deviation": "The standard deviation of the noise.",
	"ci95_low": "The lower end of a 95 % interval for the exact answer within the bounds of the job: what the bounds " +
		"leave out is in no number.",
	"ci95_high": "The upper end of a 95 % interval for the exact answer within the bounds of the job: what the bounds " +
		"leave out is in no number.",
}

// withheldText describes the column that a publish rule adds.
const withheldText = "1 if the publish rule leaves the cell empty, 0 if it shows it."
