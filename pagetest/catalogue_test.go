package pagetest

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/piprate/json-gold/ld"
)

// These tests check the descriptions in a folder against the texts of the standards, and against the tables: the
// headers, types, keys and digests that a description promises agree with the files. The standards' own validators
// (frictionless, csvlint, mlcroissant, the DCAT-AP shapes, cffconvert) are programs in Python, Ruby and Java, so they
// do not run here.

type object = map[string]any

// folder is a release with its descriptions.
type folder struct {
	t   *testing.T
	dir string
}

func (f *folder) read(name string) []byte {
	f.t.Helper()
	text, err := os.ReadFile(filepath.Join(f.dir, name))
	if err != nil {
		f.t.Fatal(err)
	}
	return text
}

func (f *folder) json(name string) object {
	f.t.Helper()
	var o object
	if err := json.Unmarshal(f.read(name), &o); err != nil {
		f.t.Fatalf("%s: %v", name, err)
	}
	return o
}

// only checks that an object has no other properties than these, so that a misspelled one is found.
func (f *folder) only(where string, o object, known ...string) {
	f.t.Helper()
	for name := range o {
		if !slices.Contains(known, name) {
			f.t.Errorf("%s has the property %s, which its standard does not know", where, name)
		}
	}
}

// text returns a property, which must be a nonempty text that matches a pattern.
func (f *folder) text(where string, o object, name, pattern string) string {
	f.t.Helper()
	s, ok := o[name].(string)
	if !ok || s == "" || !regexp.MustCompile(`^(?s:`+pattern+`)$`).MatchString(s) {
		f.t.Errorf("%s: %s is %.200v", where, name, o[name])
	}
	return s
}

func (f *folder) list(where string, v any) []object {
	f.t.Helper()
	items, ok := v.([]any)
	if !ok || len(items) == 0 {
		f.t.Errorf("%s is no list, or empty", where)
	}
	var out []object
	for _, x := range items {
		o, ok := x.(object)
		if !ok {
			f.t.Fatalf("%s holds a %T", where, x)
		}
		out = append(out, o)
	}
	return out
}

func (f *folder) digest(path string) string {
	f.t.Helper()
	sum := sha256.Sum256(f.read(path))
	return hex.EncodeToString(sum[:])
}

// records returns the header and the rows of a table in CSV or JSON; JSON texts are converted to the form of CSV.
func (f *folder) records(path string, names []string) (header []string, rows [][]string) {
	f.t.Helper()
	if filepath.Ext(path) == ".json" {
		var list []map[string]any
		if err := json.Unmarshal(f.read(path), &list); err != nil {
			f.t.Fatal(err)
		}
		for _, r := range list {
			var row []string
			for _, n := range names {
				switch x, ok := r[n]; {
				case !ok:
					f.t.Fatalf("%s has no %s", path, n)
				case x == nil:
					row = append(row, "")
				default:
					row = append(row, fmt.Sprint(x))
				}
			}
			rows = append(rows, row)
		}
		return names, rows
	}
	all, err := csv.NewReader(strings.NewReader(string(f.read(path)))).ReadAll()
	if err != nil {
		f.t.Fatalf("%s: %v", path, err)
	}
	return all[0], all[1:]
}

// column is a description's promise about a column.
type column struct {
	name, kind    string
	key, required bool
}

// holds checks a file against its description: its header, the types of all cells, required cells, and keys that
// identify the rows.
func (f *folder) holds(path string, columns []column) {
	f.t.Helper()
	var names []string
	for _, c := range columns {
		names = append(names, c.name)
	}
	header, rows := f.records(path, names)
	if !slices.Equal(header, names) {
		f.t.Errorf("%s has the columns %.300v, and %.300v are described", path, header, names)
		return
	}
	seen := map[string]bool{}
	for at, row := range rows {
		key := ""
		for i, c := range columns {
			if c.key {
				key += strconv.Quote(row[i])
			}
			if !c.fits(row[i]) {
				f.t.Errorf("%s, row %d: %.100q is no %s in %.100s", path, at+1, row[i], c.kind, c.name)
			}
		}
		if seen[key] && len(rows) > 1 {
			f.t.Errorf("%s has two rows with the key %.200s", path, key)
		}
		seen[key] = true
	}
}

func (c column) fits(text string) bool {
	switch {
	case text == "":
		return !c.required || c.kind == "string"
	case c.kind == "integer":
		_, err := strconv.ParseInt(text, 10, 64)
		return err == nil
	case c.kind == "number", c.kind == "double":
		x, err := strconv.ParseFloat(text, 64)
		return err == nil && !math.IsNaN(x) && !math.IsInf(x, 0)
	}
	return c.kind == "string"
}

// dataPackage checks datapackage.json by the Data Package standard, version 2.0: Data Package, Data Resource, Table
// Dialect, Table Schema.
func (f *folder) dataPackage() {
	p := f.json("datapackage.json")
	f.only("the package", p, "$schema", "name", "title", "description", "keywords", "licenses", "contributors", "homepage",
		"created", "resources")
	f.text("the package", p, "$schema", `https://datapackage\.org/profiles/2\.0/datapackage\.json`)
	f.text("the package", p, "name", `[a-z0-9._-]+`)
	if p["licenses"] != nil {
		for _, l := range f.list("licenses", p["licenses"]) {
			f.only("a licence", l, "name", "path", "title")
			if l["path"] == nil {
				f.text("a licence", l, "name", `[-a-zA-Z0-9._]+`)
			} else {
				f.text("a licence", l, "path", `https?://.+`)
			}
		}
	}
	if p["created"] != nil {
		f.text("the package", p, "created", `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	}
	if p["contributors"] != nil {
		for _, c := range f.list("contributors", p["contributors"]) {
			f.only("a contributor", c, "title", "roles")
			f.text("a contributor", c, "title", `.+`)
		}
	}
	names := map[any]bool{}
	for _, r := range f.list("resources", p["resources"]) {
		path := f.text("a resource", r, "path", `[^/.\\][^\\]*`)
		f.only(path, r, "name", "path", "title", "description", "format", "mediatype", "hash", "schema", "type", "encoding",
			"dialect")
		if f.text(path, r, "name", `[a-z0-9._-]+`); names[r["name"]] {
			f.t.Errorf("two resources are called %v", r["name"])
		}
		names[r["name"]] = true
		f.text(path, r, "mediatype", `.+/.+`)
		if r["hash"] != "sha256:"+f.digest(path) {
			f.t.Errorf("%s has another digest than %v", path, r["hash"])
		}
		if d, ok := r["dialect"].(object); ok {
			f.only(path+"'s dialect", d, "$schema", "delimiter", "header", "quoteChar", "doubleQuote")
		}
		columns := f.tableSchema(path, r["schema"].(object))
		if ext := filepath.Ext(path); ext == ".csv" || ext == ".json" {
			f.holds(path, columns)
		}
	}
}

func (f *folder) tableSchema(path string, s object) []column {
	f.only(path+"'s schema", s, "$schema", "fields", "missingValues", "primaryKey")
	var columns []column
	for _, x := range f.list("fields", s["fields"]) {
		f.only(path+"'s field", x, "name", "type", "description", "constraints")
		c := column{name: x["name"].(string), kind: f.text(path, x, "type", `string|integer|number`)}
		if k, ok := x["constraints"].(object); ok {
			f.only(path+"'s constraints", k, "required")
			c.required = k["required"] == true
		}
		columns = append(columns, c)
	}
	keys, _ := s["primaryKey"].([]any)
	for _, k := range keys {
		at := slices.IndexFunc(columns, func(c column) bool { return c.name == k })
		if at < 0 {
			f.t.Errorf("%s: the key %v is no field", path, k)
			continue
		}
		columns[at].key = true
	}
	return columns
}

// csvw checks csv-metadata.json by the Metadata Vocabulary for Tabular Data (W3C Recommendation, 17 December 2015): a
// table group.
func (f *folder) csvw() {
	if _, err := os.Stat(filepath.Join(f.dir, "csv-metadata.json")); err != nil {
		return // no CSV
	}
	m := f.json("csv-metadata.json")
	f.only("the group", m, "@context", "tables", "dialect", "dc:title", "dc:description", "dc:license")
	context, _ := m["@context"].([]any)
	if len(context) != 2 || context[0] != "http://www.w3.org/ns/csvw" {
		f.t.Errorf("the context is %v", m["@context"])
	}
	f.only("the dialect", m["dialect"].(object), "header", "encoding")
	for _, table := range f.list("tables", m["tables"]) {
		path, err := url.PathUnescape(f.text("a table", table, "url", `[^/:][^:]*`))
		if err != nil {
			f.t.Error(err)
		}
		f.only(path, table, "url", "tableSchema", "dc:title", "dc:description")
		schema := table["tableSchema"].(object)
		f.only(path+"'s schema", schema, "columns", "primaryKey")
		var columns []column
		names := map[string]int{}
		for i, c := range f.list("columns", schema["columns"]) {
			f.only(path+"'s column", c, "name", "titles", "datatype", "required", "dc:description")
			// a variable of a URI template, not first an underscore
			name := f.text(path, c, "name", `[A-Za-z0-9](?:[A-Za-z0-9_.]|%[0-9A-Fa-f]{2})*`)
			if _, twice := names[name]; twice {
				f.t.Errorf("%s: two columns are called %s", path, name)
			}
			names[name] = i
			columns = append(columns, column{name: c["titles"].(string),
				kind: f.text(path, c, "datatype", `string|integer|double`), required: c["required"] == true})
		}
		keys, _ := schema["primaryKey"].([]any)
		for _, k := range keys {
			at, ok := names[k.(string)]
			if !ok {
				f.t.Errorf("%s: the key %v is no column", path, k)
				continue
			}
			columns[at].key = true
		}
		f.holds(path, columns)
	}
}

// croissant checks croissant.json by the Croissant format, version 1.0, as its reader mlcroissant does: types,
// identifiers, digests, sources of fields, one file for each set of records.
func (f *folder) croissant() {
	m := f.json("croissant.json")
	f.text("the dataset", m, "@type", `sc:Dataset`)
	f.text("the dataset", m, "conformsTo", `http://mlcommons\.org/croissant/1\.0`)
	f.text("the dataset", m, "name", `[a-zA-Z0-9._-]+`)
	f.text("the dataset", m, "description", `.+`)
	f.text("the dataset", m, "version", `\d\.\d\.\d`)
	context := m["@context"].(object)
	known := []string{"@context", "@type", "@id", "name", "description", "license", "url", "creator", "datePublished",
		"version", "distribution", "contentUrl", "encodingFormat", "sha256"}
	for term := range context {
		known = append(known, term)
	}
	f.only("the dataset", m, known...)
	types := map[string]string{}
	for _, x := range f.list("distribution", m["distribution"]) {
		id := f.text("a file", x, "@id", `.+`)
		f.only(id, x, known...)
		f.text(id, x, "@type", `cr:FileObject`)
		if path := f.text(id, x, "contentUrl", `[^/:]+`); x["sha256"] != f.digest(path) {
			f.t.Errorf("%s has another digest", path)
		}
		types[id] = f.text(id, x, "encodingFormat",
			`text/csv|application/json|application/x-parquet|application/vnd\.apache\.arrow\.file`)
	}
	ids := map[string]bool{}
	sets, _ := m["recordSet"].([]any)
	for _, set := range sets {
		f.recordSet(set.(object), types, ids, known)
	}
	f.triples("croissant.json")
}

// recordSet checks a set of records of a Croissant dataset, whose files have these types.
func (f *folder) recordSet(set object, types map[string]string, ids map[string]bool, known []string) {
	f.text("a set", set, "@type", `cr:RecordSet`)
	id := f.text("a set", set, "@id", `.+`)
	f.only(id, set, known...)
	var columns []column
	from := ""
	own := map[any]int{}
	for i, x := range f.list("fields", set["field"]) {
		name := f.text(id, x, "@id", regexp.QuoteMeta(id)+`/.+`)
		f.only(name, x, known...)
		if ids[name] {
			f.t.Errorf("two fields are called %s", name)
		}
		ids[name] = true
		own[name] = i
		f.text(name, x, "@type", `cr:Field`)
		kind := map[string]string{"sc:Text": "string", "sc:Integer": "integer",
			"sc:Float": "number"}[f.text(name, x, "dataType", `sc:Text|sc:Integer|sc:Float`)]
		source := x["source"].(object)
		file := source["fileObject"].(object)["@id"].(string)
		if from != "" && from != file || types[file] != "text/csv" && types[file] != "application/x-parquet" {
			f.t.Errorf("%s is read from %s beside %s", name, file, from)
		}
		from = file
		columns = append(columns, column{name: source["extract"].(object)["column"].(string), kind: kind})
	}
	keys, _ := set["key"].([]any)
	for _, k := range keys {
		at, ok := own[k.(object)["@id"]]
		if !ok {
			f.t.Errorf("the key %v is no field", k)
			continue
		}
		columns[at].key = true
	}
	if types[from] == "text/csv" {
		f.holds(from, columns)
	}
}

// triples expands a JSON-LD document to RDF: the objects by subject and predicate.
func (f *folder) triples(name string) map[string]map[string][]ld.Node {
	f.t.Helper()
	var doc any
	if err := json.Unmarshal(f.read(name), &doc); err != nil {
		f.t.Fatal(err)
	}
	options := ld.NewJsonLdOptions("https://example.org/folder/")
	options.DocumentLoader = noDocuments{}
	set, err := ld.NewJsonLdProcessor().ToRDF(doc, options)
	if err != nil {
		f.t.Fatalf("%s: %v", name, err)
	}
	said := map[string]map[string][]ld.Node{}
	for _, q := range set.(*ld.RDFDataset).Graphs["@default"] {
		subject := q.Subject.GetValue()
		if said[subject] == nil {
			said[subject] = map[string][]ld.Node{}
		}
		said[subject][q.Predicate.GetValue()] = append(said[subject][q.Predicate.GetValue()], q.Object)
	}
	return said
}

// noDocuments loads no context: a description must be self-contained.
type noDocuments struct{}

func (noDocuments) LoadDocument(string) (*ld.RemoteDocument, error) {
	return nil, ld.NewJsonLdError(ld.LoadingDocumentFailed, "a description asks for a context")
}

const (
	dct    = "http://purl.org/dc/terms/"
	dcat   = "http://www.w3.org/ns/dcat#"
	schema = "https://schema.org/"
	kind   = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
)

// dcat checks dcat.jsonld: the mandatory properties of DCAT-AP 3.0 with their ranges, and those that search engines
// demand of a schema.org Dataset.
func (f *folder) dcat() {
	said := f.triples("dcat.jsonld")
	datasets := 0
	for subject, of := range said {
		is := func(what string) bool {
			return slices.ContainsFunc(of[kind], func(n ld.Node) bool { return n.GetValue() == what })
		}
		literal := func(property string, least, most int) {
			f.t.Helper()
			if v := of[property]; len(v) != 1 || !ld.IsLiteral(v[0]) || len(v[0].GetValue()) < least ||
				len([]rune(v[0].GetValue())) > most {
				f.t.Errorf("%s: %s is %.300v", subject, property, v)
			}
		}
		resource := func(property string, needed bool) {
			f.t.Helper()
			if len(of[property]) == 0 && needed {
				f.t.Errorf("%s has no %s", subject, property)
			}
			for _, v := range of[property] {
				if !ld.IsIRI(v) || !strings.HasPrefix(v.GetValue(), "http") {
					f.t.Errorf("%s: %s is %v", subject, property, v.GetValue())
				}
			}
		}
		switch {
		case is(dcat + "Dataset"):
			datasets++
			if !is(schema + "Dataset") {
				f.t.Error("the dataset is none of schema.org")
			}
			for _, property := range []string{dct + "title", schema + "name"} {
				literal(property, 1, math.MaxInt)
			}
			literal(dct+"description", 1, math.MaxInt)
			literal(schema+"description", 50, 5000)
			resource(dct+"license", false)
			resource(dcat+"landingPage", false)
			resource(dcat+"distribution", true)
			resource(schema+"distribution", true)
		case is(dcat + "Distribution"):
			for _, property := range []string{dcat + "accessURL", dcat + "downloadURL", dcat + "mediaType"} {
				resource(property, true)
			}
			literal(schema+"contentUrl", 1, math.MaxInt)
			literal(schema+"encodingFormat", 1, math.MaxInt)
		}
	}
	if datasets != 1 {
		f.t.Errorf("dcat.jsonld describes %d datasets", datasets)
	}
}

// citation checks CITATION.cff by the schema of the Citation File Format, version 1.2.0. Each value is on one line, or
// quoted: only the keys are checked here.
func (f *folder) citation() {
	keys := map[string]string{}
	for _, line := range strings.Split(string(f.read("CITATION.cff")), "\n") {
		if key, value, found := strings.Cut(line, ":"); found && regexp.MustCompile(`^[a-z-]+$`).MatchString(key) {
			keys[key] = strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	for _, needed := range []string{"cff-version", "message", "title", "authors"} {
		if _, ok := keys[needed]; !ok {
			f.t.Errorf("the citation has no %s", needed)
		}
	}
	for key, value := range keys {
		pattern, known := map[string]string{
			"cff-version": `1\.2\.0`, "message": `.+`, "title": `.+`, "authors": ``, "type": `dataset|software`,
			"abstract": `.*`, "keywords": ``, "license": `[A-Za-z0-9.-]+`,
			"license-url": `https?://.+`, "url": `https?://.+`, "date-released": `\d{4}-\d\d-\d\d`,
		}[key]
		if !known || !regexp.MustCompile(`^`+pattern+`$`).MatchString(value) {
			f.t.Errorf("the citation's %s is %.200q", key, value)
		}
	}
}

// Every description of every example, and of releases with hostile texts, meets its standard and describes the tables
// correctly.
func TestDescriptions(t *testing.T) {
	folders := map[string]string{"everything": released(t, everything()), "city": released(t, city())}
	for name, dir := range examples(t) {
		folders[name] = dir
	}
	for name, dir := range folders {
		t.Run(name, func(t *testing.T) {
			f := &folder{t, dir}
			f.dataPackage()
			f.csvw()
			f.croissant()
			f.dcat()
			f.citation()
		})
	}
}
