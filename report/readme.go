package report

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// plainMarkdown escapes a text, so that Markdown shows it unchanged, and puts it on one line.
func plainMarkdown(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Bidi_Control, r):
			fmt.Fprintf(&b, "[U+%04X]", r)
		case r < ' ' || r == 0x7f:
			b.WriteByte(' ')
		case r == '<':
			b.WriteString("&lt;")
		case strings.ContainsRune("\\`*_{}[]#+!|~&>=@", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// readme describes the contents of the folder and how to load them.
func (r *catalogue) readme() []byte {
	var b bytes.Buffer
	w := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	w("# %s\n", plainMarkdown(r.Title))
	w("%s\n", plainMarkdown(r.Description))
	w("%s\n", plainMarkdown(r.Guarantee))
	w("Open `%sindex.html` in a browser: it shows the tables, what the guarantee means in numbers, and the limits. "+
		"`%srelease.json` is the manifest, with the SHA-256 of every file.\n", r.Prefix, r.Prefix)
	w("## Tables\n")
	w("| table | what it holds | files |\n|---|---|---|")
	for _, t := range r.Tables {
		var files []string
		for _, f := range t.Files {
			files = append(files, "`"+f.Path+"`")
		}
		w("| %s | %s | %s |", plainMarkdown(t.Name), plainMarkdown(t.Description), strings.Join(files, ", "))
	}
	w("\nColumns of every table after its keys: `noisy` is the exact answer plus noise, right on average for counts and " +
		"sums; `estimate` is the noisy value after denoising, or the same, rounded to a hundredth of its error; `standard_deviation` is that of the noise; " +
		"`ci95_low` and `ci95_high` are the ends of a 95 %% interval for the exact answer within the bounds of the job; what the bounds leave " +
		"out is in no number. For sums and tests take " +
		"`noisy`.\n")
	r.loading(w)
	w("## Licence and citation\n")
	if r.Licence == "" {
		w("The publisher states no licence.")
	} else {
		w("Licence: %s.", plainMarkdown(r.Licence))
	}
	w("To cite: %s `%s` has the same for programs.\n", plainMarkdown(r.cite()), r.Prefix+citationName)
	w("## For catalogues\n")
	w("`%s` is a Frictionless Data Package (version 2), `%s` is schema.org and DCAT, `%s` is Croissant 1.0.",
		r.Prefix+packageName, r.Prefix+dcatName, r.Prefix+croissantName)
	if len(r.csvTables()) > 0 {
		w("`%s` is CSV on the Web metadata.", r.Prefix+csvwName)
	}
	return b.Bytes()
}

// loading writes code that loads the first table for people in several programs. Each program loads the format that
// suits it best.
func (r *catalogue) loading(w func(string, ...any)) {
	if len(r.Tables) == 0 {
		return
	}
	t := r.Tables[max(slices.IndexFunc(r.Tables, func(t catalogueTable) bool { return !t.Components }), 0)]
	path := map[string]string{}
	for _, f := range t.Files {
		path[f.format()] = f.Path
	}
	w("## How to load them\n")
	best := cmp.Or(path["parquet"], path["csv"], path["json"])
	if best != "" {
		w("DuckDB:\n\n```sql\nSELECT * FROM '%s' LIMIT 10;\n```\n", best)
	}
	w("pandas:\n\n```python\nimport pandas as pd\ntable = %s\n```\n", inPandas(path))
	w("R:\n\n```r\ntable <- %s\n```\n", inR(path))
	if path["csv"] != "" {
		w("Excel: open `%s` by Data, From Text/CSV, and choose UTF-8.%s\n", path["csv"], r.apostrophes())
		return
	}
	w("Excel reads CSV, which this release does not have: add `csv` to `output.formats` of the job and run it again, at " +
		"no cost.\n")
}

// inPandas and inR return code that loads a table. For CSV, the code treats only empty fields as missing, since "NA"
// may be a label.
func inPandas(path map[string]string) string {
	switch {
	case path["parquet"] != "":
		return fmt.Sprintf("pd.read_parquet(%q)  # with pyarrow", path["parquet"])
	case path["csv"] != "":
		return fmt.Sprintf("pd.read_csv(%q, keep_default_na=False, na_values=[\"\"])", path["csv"])
	case path["arrow"] != "":
		return fmt.Sprintf("pd.read_feather(%q)  # with pyarrow", path["arrow"])
	}
	return fmt.Sprintf("pd.read_json(%q)", path["json"])
}

func inR(path map[string]string) string {
	switch {
	case path["csv"] != "":
		return fmt.Sprintf("read.csv(%q, check.names = FALSE, na.strings = \"\")", path["csv"])
	case path["parquet"] != "":
		return fmt.Sprintf("arrow::read_parquet(%q)", path["parquet"])
	case path["arrow"] != "":
		return fmt.Sprintf("arrow::read_feather(%q)", path["arrow"])
	}
	return fmt.Sprintf("jsonlite::fromJSON(%q)", path["json"])
}

func (r *catalogue) apostrophes() string {
	for _, t := range r.csvTables() {
		if t.Files[0].Raw {
			return " Beware: texts in the CSV files are as they are, and a spreadsheet may run one that looks like a formula."
		}
	}
	return " In the CSV files a text that a spreadsheet would run as a formula has an apostrophe before it; a program " +
		"has the text back by taking one leading apostrophe away."
}
