package gen

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/configs"
)

// example is a job file that uses every key.
const example = "testdata/whole.good.yaml"

// page is a Markdown page.
type page struct {
	bytes.Buffer
	docs  docs
	paths map[reflect.Type][]string
}

func (p *page) line(format string, args ...any) {
	_, _ = fmt.Fprintf(p, format+"\n", args...) // writing to a buffer cannot fail
}

// referencePage returns the reference page of job files.
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
	p.line("\n## A job with every key\n\n```yaml\n%s```", body(whole))
	return p.Bytes(), nil
}

// body returns a sample file without the comments at its top, which are only for its test.
func body(sample []byte) string {
	s := string(sample)
	for strings.HasPrefix(s, "#") {
		_, s, _ = strings.Cut(s, "\n")
	}
	return s
}

const preface = `<!-- Generated from the Go structs of package configs by go generate ./configs. Do not edit. -->
# The job file

A job is one YAML file with one mapping. Unknown keys, repeated keys, wrong types and contradictions are errors. All
errors are reported together, each as ` + "`file:line:column: code: message`" + ` with a hint; [error codes](errors.md)
explains the codes. Paths are relative to the job file. ` + "`release schema`" + ` prints the JSON Schema, for editors.

- **Scalars are their source text.** Values, edges and ranges need no quotes: NO, 02139 and 2013-01-01 stay as written.
  If the column is numeric, they are compared as numbers.
- **Numbers are decimals.** Budgets are rounded down to a float64, never up.
- **References.** ` + "`${name}`" + ` in any text is replaced by the value of a parameter after parsing; write ` + "`$${`" + ` for
  a plain ` + "`${`" + `. An unknown or unused parameter is an error. ` + "`${env:NAME}`" + ` is replaced by an environment variable,
  under input and ledger only. Its value is never printed or published.
- **Headings.** In ` + "`queries[].KIND.by[]`" + `, KIND stands for each kind of query that has the key, such as
  ` + "`histogram`" + ` or ` + "`mean`" + `.
- **Not used in jobs:** tags (` + "`!!int`" + `), merge keys (` + "`<<`" + `), several documents in one file. An alias
  (` + "`*name`" + `) may replace a whole value.
`

const polymorphic = `
## values: a list, or aliases

` + "`values: [Male, Female]`" + ` gives two cells. ` + "`values: {low: [\"<=50K\", \"<=50K.\"], high: [\">50K\", \">50K.\"]}`" + ` gives two cells, each
with the texts that belong to it. The label is one of them only if it is listed. Cells keep the order of the file.
`

// common shortens the list of paths at which a mapping may stand in a job. If there are more than three, for instance
// one for each kind of query, it returns one path with KIND in place of the kind.
func common(paths []string) []string {
	if len(paths) <= 3 {
		return paths
	}
	first := strings.Split(paths[0], ".")
	for _, path := range paths {
		parts := strings.Split(path, ".")
		if len(parts) != len(first) || parts[0] != first[0] || !slices.Equal(parts[2:], first[2:]) {
			return paths
		}
	}
	first[1] = "KIND"
	return []string{strings.Join(first, ".")}
}

// section writes the table of one struct's keys.
func (p *page) section(t reflect.Type) {
	title := "The job"
	if at := p.paths[t]; at[0] != "" {
		title = "`" + strings.Join(common(at), "`, `") + "`"
	}
	p.line("\n## %s\n\n%s", title, p.docs.commentOf(t, ""))
	fields := fieldsOf(t, p.docs)
	if len(fields) == 0 {
		p.line("\nIt has no keys: write `{}`.")
		return
	}
	p.line("\n| key | type | required or default | meaning | example |\n|---|---|---|---|---|")
	for _, f := range fields {
		p.line("| `%s` | %s | %s | %s | %s |", f.key, cell(p.typeName(f)), presence(f), cell(f.text),
			code(f.tag.Get("example")))
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

// typeName returns the name of a type for users.
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
	reflect.TypeFor[configs.Scalar]():  "string or number",
	reflect.TypeFor[configs.Unit]():    "`row`, list of strings, or mapping",
	reflect.TypeFor[configs.Clamp]():   "list of numbers, or `discover`",
	reflect.TypeFor[configs.MaxRows](): "integer, or `discover`",
	reflect.TypeFor[configs.Values]():  "list of strings, or mapping of string to strings",
	reflect.TypeFor[configs.Param]():   "default, or mapping",
	reflect.TypeFor[configs.Event]():   "mapping of string to string",
}

func (p *page) plainType(t reflect.Type) string {
	if name, ok := typeNames[t]; ok {
		return name
	}
	switch t.Kind() {
	case reflect.Slice:
		return "list of " + plural(p.plainType(t.Elem()))
	case reflect.Map:
		return "mapping of name to " + p.plainType(t.Elem())
	case reflect.Struct:
		return "mapping"
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	}
	return "integer"
}

func plural(typeName string) string {
	switch typeName {
	case "string", "mapping":
		return typeName + "s"
	case "string or number":
		return "strings or numbers"
	}
	return typeName
}

// cell escapes a text for a table in Markdown.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + cell(s) + "`"
}
