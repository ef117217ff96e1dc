package report

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

func sample() *catalogue {
	sum := strings.Repeat("0123456789abcdef", 4)
	return &catalogue{
		Name: "trips", Slug: "trips", Title: "trips <script>alert(1)</script>", Description: "=cmd()|x",
		Guarantee: "It is private.", Licence: "CC-BY-4.0", Address: "https://example.org/x",
		Published: "2026-11-22", Creators: []string{"A city"}, Authors: []string{"# An author"},
		Tables: []catalogueTable{{
			Name: "by_hour", Description: "Numbers of rows by hour.",
			Columns: []catalogueColumn{
				{Name: "=hour", Description: "Key.", Type: integerColumn, Key: true}, {Name: "_payment é", Description: "Key.",
					Key: true},
				{Name: "noisy", Description: "Noisy.", Unit: "rows", Type: realColumn},
			},
			Files: []catalogueFile{{Path: "by_hour.csv", SHA256: sum}, {Path: "by_hour.parquet", SHA256: sum}},
		}},
	}
}

func documents(t *testing.T, r *catalogue) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for _, d := range r.Documents() {
		out[d.Name] = d.Text
	}
	return out
}

func parsed(t *testing.T, text []byte) (o map[string]any) {
	t.Helper()
	if err := json.Unmarshal(text, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

func objects(t *testing.T, v any) (out []map[string]any) {
	t.Helper()
	list, ok := v.([]any)
	if !ok {
		t.Fatalf("%T is no list", v)
	}
	for _, x := range list {
		out = append(out, x.(map[string]any))
	}
	return out
}

// The Data Package standard, version 2, requires: a resource has a unique name and a path inside the package; a field
// has a name and a known type; every key is a field; a hash names its algorithm.
func TestDataPackage(t *testing.T) {
	p := parsed(t, documents(t, sample())[packageName])
	names := map[string]bool{}
	for _, r := range objects(t, p["resources"]) {
		name, path := r["name"].(string), r["path"].(string)
		if names[name] || !regexp.MustCompile(`^[a-z0-9._-]+$`).MatchString(name) || strings.HasPrefix(path, "/") ||
			strings.Contains(path, "..") {
			t.Errorf("resource %q at %q", name, path)
		}
		names[name] = true
		if !regexp.MustCompile(`^sha256:[0-9a-f]{64}$`).MatchString(r["hash"].(string)) {
			t.Errorf("hash %v", r["hash"])
		}
		schema := r["schema"].(map[string]any)
		fields := map[string]bool{}
		for _, f := range objects(t, schema["fields"]) {
			fields[f["name"].(string)] = true
			if kind := f["type"]; kind != "string" && kind != "integer" && kind != "number" {
				t.Errorf("type %v", kind)
			}
		}
		for _, k := range schema["primaryKey"].([]any) {
			if !fields[k.(string)] {
				t.Errorf("the key %v is no field", k)
			}
		}
		if path == "by_hour.csv" && !fields["'=hour"] || path == "by_hour.parquet" && !fields["=hour"] {
			t.Errorf("%s has the fields %v", path, fields)
		}
	}
	if len(names) != 2 {
		t.Errorf("%d resources, want one for each file", len(names))
	}
}

// CSV on the Web requires for a group of tables: its context, a url for each table, titles as in the header, names for
// URI templates.
func TestCSVW(t *testing.T) {
	m := parsed(t, documents(t, sample())[csvwName])
	context := m["@context"].([]any)
	if context[0] != "http://www.w3.org/ns/csvw" {
		t.Errorf("context %v", context)
	}
	table := objects(t, m["tables"])[0]
	if table["url"] != "by_hour.csv" {
		t.Error(table["url"])
	}
	schema := table["tableSchema"].(map[string]any)
	names := map[string]bool{}
	for _, c := range objects(t, schema["columns"]) {
		name := c["name"].(string)
		if names[name] || !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_]*$`).MatchString(name) {
			t.Errorf("name %q", name)
		}
		names[name] = true
	}
	if first := objects(t, schema["columns"])[0]; first["titles"] != "'=hour" || first["datatype"] != "integer" {
		t.Errorf("first column %v", first)
	}
	for _, k := range schema["primaryKey"].([]any) {
		if !names[k.(string)] {
			t.Errorf("the key %v is no column", k)
		}
	}
}

// Croissant 1.0 requires: its type and conformsTo; a file has a content URL, an encoding and a digest; a field names an
// existing file.
func TestCroissant(t *testing.T) {
	m := parsed(t, documents(t, sample())[croissantName])
	if m["@type"] != "sc:Dataset" || m["conformsTo"] != "http://mlcommons.org/croissant/1.0" || m["name"] == "" ||
		m["license"] != "https://spdx.org/licenses/CC-BY-4.0" || m["url"] == nil || m["datePublished"] == nil ||
		m["creator"] == nil {
		t.Errorf("%v", m)
	}
	files := map[string]bool{}
	for _, f := range objects(t, m["distribution"]) {
		files[f["@id"].(string)] = true
		if f["@type"] != "cr:FileObject" || f["contentUrl"] == "" || f["encodingFormat"] == "" ||
			len(f["sha256"].(string)) != 64 {
			t.Errorf("%v", f)
		}
	}
	ids := map[string]bool{}
	for _, s := range objects(t, m["recordSet"]) {
		for _, f := range objects(t, s["field"]) {
			id := f["@id"].(string)
			source := f["source"].(map[string]any)
			file := source["fileObject"].(map[string]any)["@id"].(string)
			if ids[id] || !strings.HasPrefix(id, s["@id"].(string)+"/") || !files[file] {
				t.Errorf("field %q of file %q", id, file)
			}
			ids[id] = true
		}
		for _, k := range objects(t, s["key"]) {
			if !ids[k["@id"].(string)] {
				t.Errorf("the key %v is no field", k)
			}
		}
	}
}

// The citation file has the keys that its format demands, and is YAML whatever the texts are.
func TestCitation(t *testing.T) {
	var c struct {
		Version string              `yaml:"cff-version"`
		Message string              `yaml:"message"`
		Title   string              `yaml:"title"`
		Type    string              `yaml:"type"`
		Authors []map[string]string `yaml:"authors"`
		Date    string              `yaml:"date-released"`
	}
	if err := yaml.Unmarshal(documents(t, sample())[citationName], &c); err != nil {
		t.Fatal(err)
	}
	if c.Version != "1.2.0" || c.Message == "" || c.Type != "dataset" || c.Title != sample().Title ||
		len(c.Authors) != 2 || c.Authors[1]["name"] != "# An author" || c.Date != "2026-11-22" {
		t.Errorf("%+v", c)
	}
}

// No text of a release is markup or code in any document.
func TestTextsAreHarmless(t *testing.T) {
	r := sample()
	r.Name, r.Title = "a\nb: [", "`$(x)` ![i](http://example.org) <img src=x onerror=alert(1)> \u202e"
	r.Tables[0].Columns[0].Name = strings.Repeat("x", 10_000)
	for name, text := range documents(t, r) {
		if name != citationName && (strings.Contains(string(text), "<script") || strings.Contains(string(text), "<img")) {
			t.Errorf("%s holds markup", name)
		}
		if strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".jsonld") {
			parsed(t, text)
		}
		if name == readmeName && strings.Contains(string(text), "![i]") {
			t.Errorf("%s holds a picture", name)
		}
	}
}

func TestWithoutFormats(t *testing.T) {
	r := sample()
	r.Tables[0].Files = r.Tables[0].Files[1:]
	d := documents(t, r)
	if d[csvwName] != nil {
		t.Error("there is CSV metadata without CSV")
	}
	if strings.Contains(string(d[readmeName]), "%!") || !strings.Contains(string(d[readmeName]), "add `csv`") {
		t.Errorf("%s", d[readmeName])
	}
}

func Example_slug() {
	fmt.Println(slug("Taxi trips, 2013"))
	// Output: taxi-trips--2013
}
