// Package explain finds the page for an error code, a key of the job file, a denoising method or a word of the field.
//
// The pages are those of docs/reference/errors.md and docs/reference/glossary.md, the job's JSON Schema and the
// registry of denoising methods, all of which are in the program: nothing is read.
package explain

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/docs"
)

// Entry is one explanation.
type Entry struct {
	// Kind is "error code", "job key", "denoising method" or "word".
	Kind string
	Name string
	Text string
}

// Find returns the entries whose name equals word. If there are none, it returns at most 8 similar names. A job key can
// be given by its path (privacy.per_unit.max_rows) or by the last part of the path.
func Find(word string) (found []Entry, similar []string, err error) {
	all, err := entries()
	if err != nil {
		return nil, nil, err
	}
	wanted := normal(word)
	for _, e := range all {
		name := normal(e.Name)
		if name == wanted || e.Kind == "word" && singular(name) == singular(wanted) || e.Kind == "job key" && (strings.HasSuffix(name, "."+wanted) ||
			strings.ReplaceAll(name, "[]", "") == wanted) {
			found = append(found, e)
		}
	}
	if len(found) > 0 {
		return merged(found), nil, nil
	}
	for _, e := range all {
		name := e.Name[strings.LastIndexByte(e.Name, '.')+1:]
		if (strings.Contains(normal(name), wanted) || strings.Contains(wanted, normal(name)) || near(normal(name), wanted)) &&
			!slices.Contains(similar, name) {
			similar = append(similar, name)
		}
	}
	slices.Sort(similar)
	return nil, similar[:min(len(similar), 8)], nil
}

// Names lists every word that has a page, each once, for completion.
func Names() []string {
	all, err := entries()
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range all {
		names = append(names, e.Name[strings.LastIndexByte(e.Name, '.')+1:])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// normal spells privacy-unit, "privacy unit" and Privacy_Unit alike.
func normal(s string) string {
	return strings.NewReplacer("-", " ", "_", " ").Replace(strings.ToLower(strings.TrimSpace(s)))
}

// singular spells "margins" and "margin" alike.
func singular(s string) string { return strings.TrimSuffix(s, "s") }

// near reports whether two words differ by one letter that was added, lost or changed, or by two that changed places.
func near(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 || len(b) < 4 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch {
	case len(a) < len(b):
		return a[i:] == b[i+1:]
	case i == len(a) || a[i+1:] == b[i+1:]:
		return true
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// merged joins the entries with the same kind and text into one entry, which lists their names. A key of a dimension,
// for example, occurs in sums and in means.
func merged(found []Entry) (out []Entry) {
	for _, e := range found {
		if i := slices.IndexFunc(out, func(o Entry) bool { return o.Kind == e.Kind && o.Text == e.Text }); i >= 0 {
			if !strings.Contains(out[i].Name, e.Name) {
				out[i].Name += ", " + e.Name
			}
			continue
		}
		out = append(out, e)
	}
	return out
}

func entries() ([]Entry, error) {
	all := sections(docs.Glossary, "## ", "word")
	all = append(all, sections(docs.Errors, "### ", "error code")...)
	for _, m := range denoise.Methods() {
		all = append(all, Entry{"denoising method", m.Name, m.Doc})
	}
	keys, err := jobKeys()
	return append(all, keys...), err
}

// link matches a Markdown link. Only its text is shown.
var link = regexp.MustCompile(`\[([^\]]+)\]\([^)]+\)`)

// sections splits a page at its headings.
func sections(page, heading, kind string) (out []Entry) {
	_, rest, _ := strings.Cut(page, "\n"+heading)
	for _, section := range strings.Split(rest, "\n"+heading) {
		name, text, _ := strings.Cut(section, "\n")
		if i := strings.Index(text, "\n## "); i >= 0 {
			text = text[:i]
		}
		out = append(out, Entry{kind, strings.TrimSpace(name), link.ReplaceAllString(strings.TrimSpace(text), "$1")})
	}
	return out
}

// object is the part of the job's schema about a mapping or a value.
type object struct {
	Ref         string            `json:"$ref"`
	Description string            `json:"description"`
	Properties  map[string]object `json:"properties"`
	Items       *object           `json:"items"`
	OneOf       []object          `json:"oneOf"`
	AnyOf       []object          `json:"anyOf"`
	Enum        []any             `json:"enum"`
	Default     any               `json:"default"`
	Examples    []any             `json:"examples"`
	Required    []string          `json:"required"`
	Defs        map[string]object `json:"$defs"`
}

// jobKeys reads all keys of the job file from its JSON Schema.
func jobKeys() ([]Entry, error) {
	var root object
	if err := json.Unmarshal(configs.Schema(), &root); err != nil {
		return nil, fmt.Errorf("the schema cannot be read: %w", err)
	}
	var out []Entry
	collect(&root, &root, "", &out)
	return out, nil
}

func collect(root, o *object, path string, out *[]Entry) {
	names := make([]string, 0, len(o.Properties))
	for name := range o.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		p := o.Properties[name]
		at := strings.TrimPrefix(path+"."+name, ".")
		*out = append(*out, Entry{"job key", at, keyText(&p, slices.Contains(o.Required, name))})
		descend(root, &p, at, out)
	}
}

// descend collects the keys of the mappings inside o.
func descend(root, o *object, at string, out *[]Entry) {
	if def, known := root.Defs[strings.TrimPrefix(o.Ref, "#/$defs/")]; known {
		collect(root, &def, at, out)
	}
	if o.Items != nil {
		descend(root, o.Items, at+"[]", out)
	}
	for _, choice := range append(slices.Clone(o.OneOf), o.AnyOf...) {
		descend(root, &choice, at, out)
	}
	collect(root, o, at, out)
}

// keyText returns the description of a key, its values, its default and an example.
func keyText(o *object, required bool) string {
	lines := []string{o.Description}
	if len(o.Enum) > 0 {
		lines = append(lines, "Values: "+joined(o.Enum)+".")
	}
	switch {
	case required:
		lines = append(lines, "Required.")
	case o.Default != nil:
		lines = append(lines, "Default: "+joined([]any{o.Default})+".")
	}
	if len(o.Examples) > 0 {
		lines = append(lines, "Example: "+joined(o.Examples[:1]))
	}
	return strings.Join(lines, "\n")
}

func joined(values []any) string {
	texts := make([]string, len(values))
	for i, v := range values {
		b, err := json.Marshal(v)
		if err != nil {
			b = []byte("?")
		}
		texts[i] = strings.Trim(string(b), `"`)
	}
	return strings.Join(texts, ", ")
}
