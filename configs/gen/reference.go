package gen

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/dprelease/dprelease/configs"
)

// example is the job that shows every key.
const example = "testdata/whole.good.yaml"

// page is a Markdown page.
type page struct {
	bytes.Buffer
	docs  docs
	paths map[reflect.Type][]string
}

func (p *page) line(format string, args ...any) {
	_, _ = fmt.Fprintf(p, format+"\n", args...) // a buffer does not fail
}

// referencePage makes the reference of job files.
func referencePage(d docs) ([]byte, error) {
	whole, err := os.ReadFile(example)
	if err != nil {
		return nil, err
	}
	types, paths := structs()
	p := &page{docs: d, paths: paths}
	p.WriteString(preface)
	for _, t := range types {
		p.section(t)
	}
	p.WriteString(polymorphic)
	p.line("\n## Diagnostics\n\nEvery problem is reported at once, as `file:line:column: code: message` and a hint. The codes:\n\n| code | meaning |\n|---|---|")
	for _, c := range configs.Codes() {
		p.line("| `%s` | %s |", c.Code, cell(c.Meaning))
	}
	p.line("\n## A job with every key\n\n```yaml\n%s```", body(whole))
	return p.Bytes(), nil
}

// body is a sample without the comments at its top, which are for its test.
func body(sample []byte) string {
	s := string(sample)
	for strings.HasPrefix(s, "#") {
		_, s, _ = strings.Cut(s, "\n")
	}
	return s
}

const preface = `<!-- Generated from the Go structs of package configs by go generate ./configs. Do not edit. -->
# The job file

A job is one YAML file with one mapping. Unknown keys, keys that are there twice, wrong types and contradictions are errors, all
reported at once with their place. Paths are relative to the job file. ` + "`release schema`" + ` prints the JSON Schema, for editors.

- **Scalars are their source text.** Values, edges and ranges need no quotes: NO, 02139 and 2013-01-01 stay what is written. They are
  compared as numbers with numeric columns.
- **Numbers are decimals.** Budgets are rounded down to a float64, never up.
- **References.** ` + "`${name}`" + ` in any text stands for a parameter, replaced after parsing; ` + "`$${`" + ` is a plain ` + "`${`" + `. Parameters that are unknown or not used
  are errors. ` + "`${env:NAME}`" + ` stands for a variable of the environment, under input and ledger only; its value is never printed or published.
- **Not used in jobs:** tags (` + "`!!int`" + `), merge keys (` + "`<<`" + `), several documents in one file. Aliases (` + "`*name`" + `) may stand for whole values.
`

const polymorphic = `
## values: a list, or aliases

` + "`values: [Male, Female]`" + ` gives two cells. ` + "`values: {low: [\"<=50K\", \"<=50K.\"], high: [\">50K\", \">50K.\"]}`" + ` gives two cells with the texts that belong to
each; a label belongs to its own cell only where it is listed. Cells keep the order of the file.
`

// section is the table of one struct's keys.
func (p *page) section(t reflect.Type) {
	title := "The job"
	if at := p.paths[t]; at[0] != "" {
		title = "`" + strings.Join(at, "`, `") + "`"
	}
	p.line("\n## %s\n\n%s", title, p.docs.of(t, ""))
	fields := fieldsOf(t, p.docs)
	if len(fields) == 0 {
		p.line("\nIt has no keys: write `{}`.")
		return
	}
	p.line("\n| key | type | required or default | meaning | example |\n|---|---|---|---|---|")
	for _, f := range fields {
		p.line("| `%s` | %s | %s | %s | %s |", f.key, cell(p.typeName(f)), presence(f), cell(f.text), code(f.tag.Get("example")))
	}
}

func presence(f field) string {
	switch d := f.tag.Get("default"); {
	case f.required:
		return "**required**"
	case d != "":
		return code(d)
	}
	return ""
}

// typeName is a type as users know it.
func (p *page) typeName(f field) string {
	if known := words(f.tag.Get("enum")); known != nil {
		name := "`" + strings.Join(known, "`, `") + "`"
		if f.typ.Kind() == reflect.Slice {
			return "list of " + name
		}
		return name
	}
	name := p.plainType(f.typ)
	if also := words(f.tag.Get("words")); also != nil {
		name = "`" + strings.Join(also, "`, `") + "` or number"
	}
	if least := f.tag.Get("min"); least != "" {
		name += ", at least " + least
	}
	return name
}

var typeNames = map[reflect.Type]string{
	reflect.TypeFor[configs.Decimal](): "number",
	reflect.TypeFor[configs.Scalar]():  "text or number",
	reflect.TypeFor[configs.Unit]():    "`row` or list of texts",
	reflect.TypeFor[configs.Values]():  "list of texts, or mapping of text to texts",
	reflect.TypeFor[configs.Param]():   "default, or mapping",
	reflect.TypeFor[configs.Event]():   "mapping of text to text",
}

func (p *page) plainType(t reflect.Type) string {
	if name, ok := typeNames[t]; ok {
		return name
	}
	switch t.Kind() {
	case reflect.Slice:
		return "list of " + p.plainType(t.Elem())
	case reflect.Map:
		return "mapping of name to " + p.plainType(t.Elem())
	case reflect.Struct:
		return "mapping"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "text"
	}
	return "whole number"
}

// cell makes a text safe for a Markdown table.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + cell(s) + "`"
}
