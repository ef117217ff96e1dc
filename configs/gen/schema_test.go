package gen

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/dprelease/dprelease/configs"
)

// The schema accepts every job that the parser accepts.
func TestSchemaAcceptsGoodJobs(t *testing.T) {
	for _, pattern := range []string{"../testdata/*.good.yaml", "../*.yaml"} {
		for name, job := range jobs(t, pattern) {
			if flaw := validator(t).check(rootSchema(t), job, ""); flaw != "" {
				t.Errorf("%s: %s", name, flaw)
			}
		}
	}
}

// The schema refuses what the decoder refuses for its form.
func TestSchemaRefusesBadForms(t *testing.T) {
	for _, name := range []string{"unknown-keys", "wrong-types", "missing-keys", "enums", "nothing", "empty-values",
		"bounds", "query-kinds", "dimension-forms", "version"} {
		for file, job := range jobs(t, "../testdata/"+name+".bad.yaml") {
			if validator(t).check(rootSchema(t), job, "") == "" {
				t.Errorf("%s is accepted", file)
			}
		}
	}
}

func jobs(t *testing.T, pattern string) map[string]any {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no %s: %v", pattern, err)
	}
	out := map[string]any{}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var n yaml.Node
		if err := yaml.Load(src, &n); err != nil {
			t.Fatal(f, err)
		}
		out[filepath.Base(f)] = plain(n.Content[0])
	}
	return out
}

func rootSchema(t *testing.T) map[string]any {
	t.Helper()
	var s map[string]any
	if err := json.Unmarshal(configs.Schema(), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// validation understands the part of JSON Schema that job.schema.json uses, and fails on any other keyword.
type validation struct {
	t    *testing.T
	root map[string]any
}

func validator(t *testing.T) *validation { return &validation{t, rootSchema(t)} }

// check returns the first problem of a value; "" if there is none.
func (v *validation) check(s map[string]any, x any, at string) string {
	for _, k := range slices.Sorted(keys(s)) {
		if flaw := v.keyword(s, k, x, at); flaw != "" {
			return flaw
		}
	}
	return ""
}

func keys(m map[string]any) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func (v *validation) keyword(s map[string]any, k string, x any, at string) string {
	list, _ := x.([]any)
	object, isObject := x.(map[string]any)
	text, isText := x.(string)
	ok := true
	switch arg := s[k]; k {
	case "$schema", "$defs", "title", "description", "default", "examples":
	case "$ref":
		defs, _ := v.root["$defs"].(map[string]any)
		target, _ := defs[strings.TrimPrefix(arg.(string), "#/$defs/")].(map[string]any)
		return v.check(target, x, at)
	case "type":
		ok = v.typed(arg, x)
	case "enum":
		ok = slices.ContainsFunc(arg.([]any), func(a any) bool { return fmt.Sprint(a) == fmt.Sprint(x) })
	case "const":
		ok = arg == x
	case "pattern":
		ok = !isText || regexp.MustCompile(arg.(string)).MatchString(text)
	case "minimum":
		n, isNumber := x.(json.Number)
		f, _ := n.Float64()
		ok = !isNumber || f >= arg.(float64)
	case "minItems":
		_, isList := x.([]any)
		ok = !isList || len(list) >= int(arg.(float64))
	case "minProperties":
		ok = !isObject || len(object) >= int(arg.(float64))
	case "required":
		for _, name := range arg.([]any) {
			if _, has := object[name.(string)]; isObject && !has {
				return at + ": no " + name.(string)
			}
		}
	case "items":
		for i, item := range list {
			if flaw := v.check(arg.(map[string]any), item, fmt.Sprintf("%s[%d]", at, i)); flaw != "" {
				return flaw
			}
		}
	case "properties", "additionalProperties":
		return v.object(s, k, object, at)
	case "anyOf", "oneOf":
		n := v.alternatives(arg.([]any), x, at)
		ok = n == 1 || n > 1 && k == "anyOf"
	default:
		v.t.Fatalf("the schema uses %s", k)
	}
	if !ok {
		return fmt.Sprintf("%s: %s %v does not hold for %v", at, k, s[k], x)
	}
	return ""
}

func (v *validation) alternatives(schemas []any, x any, at string) int {
	n := 0
	for _, s := range schemas {
		if v.check(s.(map[string]any), x, at) == "" {
			n++
		}
	}
	return n
}

func (v *validation) object(s map[string]any, k string, object map[string]any, at string) string {
	known, _ := s["properties"].(map[string]any)
	for name, value := range object {
		sub, isKnown := known[name].(map[string]any)
		if k == "additionalProperties" {
			if isKnown {
				continue
			}
			if sub, isKnown = s[k].(map[string]any); !isKnown {
				return at + ": unknown key " + name
			}
		}
		if isKnown {
			if flaw := v.check(sub, value, at+"."+name); flaw != "" {
				return flaw
			}
		}
	}
	return ""
}

func (v *validation) typed(arg, x any) bool {
	if many, ok := arg.([]any); ok {
		return slices.ContainsFunc(many, func(a any) bool { return v.typed(a, x) })
	}
	n, isNumber := x.(json.Number)
	switch arg {
	case "string":
		_, ok := x.(string)
		return ok
	case "boolean":
		_, ok := x.(bool)
		return ok
	case "array":
		_, ok := x.([]any)
		return ok
	case "object":
		_, ok := x.(map[string]any)
		return ok
	case "integer":
		_, err := n.Int64()
		return isNumber && err == nil
	}
	return isNumber
}
