package gen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"
	"go.yaml.in/yaml/v4"

	"github.com/dprelease/dprelease/configs"
)

const (
	// hasReference matches a text with a reference `${…}`, which can replace any scalar.
	hasReference = `\$\{[^}]+\}`
	isNumber     = `^[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$`
)

// jobSchema returns the JSON Schema of job files.
func jobSchema(d docs) ([]byte, error) {
	r := &jsonschema.Reflector{FieldNameTag: "yaml", Anonymous: true, ExpandedStruct: true, Mapper: mapped}
	root := r.Reflect(configs.Job{})
	root.Title = "dprelease job"
	addParam(root)
	root.Definitions["Upstream"] = definition(configs.Upstream{}, mapped)
	addSteps(root.Definitions["Denoise"])
	types, _ := structs()
	for _, t := range types {
		def := root
		if t != reflect.TypeFor[configs.Job]() {
			def = root.Definitions[t.Name()]
		}
		if err := describe(def, t, d); err != nil {
			return nil, err
		}
	}
	root.Definitions["Query"].OneOf = oneKey(configs.Kinds...)
	root.Definitions["Dimension"].OneOf = append(oneKey(configs.FormKeys()...),
		&jsonschema.Schema{Required: []string{"from", "to", "width"}}, &jsonschema.Schema{Required: []string{"from", "to",
			"every"}})
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(root)
	return out.Bytes(), err
}

// addSteps adds the parameters of all methods to the schema of a step.
func addSteps(def *jsonschema.Schema) {
	def.Properties.Delete("Args")
	for _, f := range stepFields() {
		def.Properties.Set(f.key, mapped(f.typ))
	}
	graph, _ := def.Properties.Delete("graph")
	def.Properties.Set("graph", graph)
	def.Required = slices.DeleteFunc(def.Required, func(key string) bool { return key == "Args" })
}

func oneKey(keys ...string) []*jsonschema.Schema {
	var out []*jsonschema.Schema
	for _, k := range keys {
		out = append(out, &jsonschema.Schema{Required: []string{k}})
	}
	return out
}

// mapped returns the schema of a type that can be written in more than one way; nil for other types.
func mapped(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[configs.Decimal]():
		return typed(isNumber+"|"+hasReference, "number", "string")
	case reflect.TypeFor[configs.Unit]():
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Const: "row"}, {Type: "string", Pattern: hasReference},
			listOf(scalar()), {Ref: "#/$defs/Upstream"}}}
	case reflect.TypeFor[configs.Clamp]():
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Const: configs.Discover},
			{Type: "string", Pattern: hasReference}, listOf(mapped(reflect.TypeFor[configs.Decimal]()))}}
	case reflect.TypeFor[configs.MaxRows]():
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Const: configs.Discover},
			typed(hasReference, "integer", "string")}}
	case reflect.TypeFor[configs.Values]():
		entry := &jsonschema.Schema{AnyOf: []*jsonschema.Schema{scalar(), listOf(scalar())}}
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{listOf(scalar()),
			{Type: "object", AdditionalProperties: entry, MinProperties: number(1)}}}
	case reflect.TypeFor[configs.Param]():
		return &jsonschema.Schema{Ref: "#/$defs/Param"}
	}
	switch t.Kind() {
	case reflect.String:
		return scalar()
	case reflect.Int, reflect.Int64:
		return typed(hasReference, "integer", "string")
	case reflect.Bool:
		return typed(hasReference, "boolean", "string")
	}
	return nil
}

// typed returns a schema that allows several types, of which strings must match the pattern.
func typed(pattern string, types ...string) *jsonschema.Schema {
	return &jsonschema.Schema{Pattern: pattern, Extras: map[string]any{"type": types}}
}

func scalar() *jsonschema.Schema { return typed("", "string", "number", "boolean") }

func listOf(item *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Items: item, MinItems: number(1)}
}

func number(n uint64) *uint64 { return &n }

// addParam adds the definition of a parameter: a scalar, or a mapping.
func addParam(root *jsonschema.Schema) {
	mapper := func(t reflect.Type) *jsonschema.Schema {
		if t == reflect.TypeFor[configs.Param]() {
			return nil
		}
		return mapped(t)
	}
	root.Definitions["Param"] = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{scalar(),
		definition(configs.Param{}, mapper)}}
}

// definition returns the schema of a struct for a place among the definitions.
func definition(of any, mapper func(reflect.Type) *jsonschema.Schema) *jsonschema.Schema {
	r := &jsonschema.Reflector{FieldNameTag: "yaml", Anonymous: true, DoNotReference: true, Mapper: mapper}
	out := r.Reflect(of)
	out.Version = ""
	return out
}

// describe adds the comments and tags of a struct to its schema.
func describe(def *jsonschema.Schema, t reflect.Type, d docs) error {
	def.Description = d.commentOf(t, "")
	object := def
	if t == reflect.TypeFor[configs.Param]() {
		object = def.AnyOf[1]
	}
	for _, f := range fieldsOf(t, d) {
		p, ok := object.Properties.Get(f.key)
		if !ok {
			return fmt.Errorf("%s.%s has no schema", t.Name(), f.key)
		}
		if err := describeField(p, f); err != nil {
			return fmt.Errorf("%s.%s: %w", t.Name(), f.key, err)
		}
	}
	return nil
}

func describeField(p *jsonschema.Schema, f field) error {
	p.Description = f.text
	if least := f.tag.Get("min"); least != "" {
		p.Minimum = json.Number(least)
	}
	if f.key == "version" {
		p.Enum, p.Extras, p.Pattern = []any{1}, nil, ""
	}
	if known := words(f.tag.Get("enum")); known != nil {
		enum(p, known)
	}
	if also := f.tag.Get("words"); also != "" {
		p.Pattern += "|^(" + also + ")$"
	}
	if f.typ.Kind() == reflect.Slice && p.Type == "array" && f.tag.Get("empty") != "ok" {
		p.MinItems = number(1)
	}
	p.Default = defaultOf(f)
	if sample := f.tag.Get("example"); sample != "" {
		value, err := sampleValue(sample)
		if err != nil {
			return err
		}
		p.Examples = []any{value}
	}
	return nil
}

// enum restricts a text, or the items of a list, to known words and references.
func enum(p *jsonschema.Schema, known []string) {
	if p.Items != nil {
		p = p.Items
	}
	words := make([]any, len(known))
	for i, k := range known {
		words[i] = k
	}
	p.Extras = nil
	p.AnyOf = []*jsonschema.Schema{{Enum: words}, {Type: "string", Pattern: hasReference}}
}

func defaultOf(f field) any {
	text := f.tag.Get("default")
	switch {
	case text == "":
		return nil
	case f.typ.Kind() == reflect.Bool:
		return text == "true"
	case f.typ.Kind() == reflect.Slice:
		return words(text)
	case f.typ == reflect.TypeFor[configs.Decimal]():
		return json.Number(text)
	}
	return text
}

// sampleValue parses the YAML of an example tag, and returns it as a value for JSON.
func sampleValue(sample string) (any, error) {
	var n yaml.Node
	if err := yaml.Load([]byte(sample), &n); err != nil {
		return nil, err
	}
	return plain(n.Content[0]), nil
}

// plain converts a YAML node to a value for JSON. Dates become strings.
func plain(n *yaml.Node) any {
	switch n.Kind {
	case yaml.AliasNode:
		return plain(n.Alias)
	case yaml.SequenceNode:
		out := []any{}
		for _, c := range n.Content {
			out = append(out, plain(c))
		}
		return out
	case yaml.MappingNode:
		out := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			out[n.Content[i].Value] = plain(n.Content[i+1])
		}
		return out
	}
	switch n.ShortTag() {
	case "!!bool":
		return n.Value == "true"
	case "!!null":
		return nil
	case "!!int", "!!float":
		if s := strings.TrimPrefix(n.Value, "+"); json.Valid([]byte(s)) {
			return json.Number(s)
		}
	}
	return n.Value
}
