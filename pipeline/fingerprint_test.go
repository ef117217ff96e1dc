package pipeline

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/owntest"
)

// The keys of a job, each by its path. A key in neither list, such as a new key of the format, must change the
// fingerprint.
var (
	// presented keys only affect how noisy values are shown. A path that ends with "." includes all paths below it; *
	// stands for any kind of query.
	presented = []string{
		"name", "title", "columns.", "params.", "deployment.", "output.", "engine",
		"queries.name", "queries.title", "queries.description", "queries.unit", "queries.denoise.", "queries.margins.",
		"queries.rates.",
		"queries.sparse", "queries.max_error", "queries.publish.", "queries.accuracy.",
		"queries.histogram.quantiles.", "queries.histogram.cdf", "queries.crosstabs.nonnegative",
		"queries.crosstabs.integers", "queries.crosstabs.round_to",
		"queries.*.by.as", "queries.*.by.values.Name",
	}
	// unseen keys change no byte of a release.
	unseen = []string{"output.dir", "ledger.store", "ledger.budget.", "memory_limit", "data_checks", "input.missing",
		"input.sql.dsn"}
)

// input.tables.NAME.missing changes neither the fingerprint nor the rendering, like input.missing of a job with one
// table.
func TestMissingOfATableIsUnseen(t *testing.T) {
	var seen []Identity
	for _, key := range []string{"", `"missing":"empty",`} {
		id, err := identify([]byte(`{"input":{"tables":{"a":{`+key+`"unit":["u"]}}}}`), nil, "d", nil)
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, id)
	}
	if seen[0] != seen[1] {
		t.Errorf("%v, want %v", seen[1], seen[0])
	}
}

func listed(list []string, path string) bool {
	parts := strings.Split(path, ".")
	if len(parts) > 2 && parts[0] == "queries" {
		parts[1] = "*"
	}
	ofAny := strings.Join(parts, ".")
	return slices.ContainsFunc(list, func(p string) bool {
		return path == p || ofAny == p || strings.HasSuffix(p, ".") &&
			(strings.HasPrefix(path+".", p) || strings.HasPrefix(ofAny+".", p))
	})
}

// keyOf returns the name of a field in a job.
func keyOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	if name == "" {
		return f.Name
	}
	return name
}

// fill sets every key of a value, also combinations that no job can have, and visits each single value with its path
// and a function that changes it.
func fill(v reflect.Value, path string, visit func(path string, v reflect.Value, change func())) {
	switch {
	// with them other keys become part of the fingerprint: see the tests below
	case strings.HasSuffix(path, ".by.keys"), path == "privacy.weights":
		visit(path, v, func() { v.SetString("b") })
		return
	case path == "queries.crosstabs.tables.by": // names of no dimension here, as they change with these
		v.Set(reflect.ValueOf([]string{"c"}))
		visit(path, v, func() { v.Set(reflect.ValueOf([]string{"d"})) })
		return
	}
	if v.Type() == reflect.TypeFor[configs.Unit]() { // one of two forms
		fill(v.FieldByName("Upstream"), path, visit)
		visit(path+".columns", v, func() { v.Set(reflect.ValueOf(configs.Unit{Columns: []string{"d"}})) })
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				fill(v.Field(i), strings.TrimPrefix(path+"."+keyOf(f), "."), visit)
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), path, visit)
		if v.Elem().Kind() == reflect.Struct && v.Elem().NumField() == 0 { // a kind without keys
			visit(path, v, func() { v.SetZero() })
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), path, visit)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		set := func(key, text string) {
			x := reflect.New(v.Type().Elem()).Elem()
			fill(x, path, func(string, reflect.Value, func()) {})
			switch {
			case x.Kind() == reflect.String:
				x.SetString(text)
			case x.Kind() == reflect.Struct:
				for i := range x.NumField() {
					if x.Field(i).Kind() == reflect.String {
						x.Field(i).SetString(text)
						break
					}
				}
			}
			v.SetMapIndex(reflect.ValueOf(key), x)
		}
		set("a", "a")
		visit(path+".value", v, func() { set("a", "b") })
		visit(path+".key", v, func() { set("b", "b") })
	case reflect.String:
		if v.SetString("a"); v.Type() == reflect.TypeFor[configs.Decimal]() {
			v.SetString("1")
		}
		visit(path, v, func() {
			if v.String() == "1" {
				v.SetString("2")
			} else {
				v.SetString("b")
			}
		})
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
		visit(path, v, func() { v.SetInt(2) })
	case reflect.Bool:
		v.SetBool(true)
		visit(path, v, func() { v.SetBool(false) })
	default:
		panic("a key of an unknown type: " + path)
	}
}

func identity(t *testing.T, j *configs.Job) Identity {
	t.Helper()
	text, err := j.Identity()
	if err != nil {
		t.Fatal(err)
	}
	id, err := identify(text, nil, j.Ledger.Dataset, nil)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// Every key of the format, in every kind of query, is part of the fingerprint, of the rendering or of neither: a
// change of the key changes exactly these.
func TestEveryKey(t *testing.T) {
	owntest.Slow(t)
	var paths []string
	fill(reflect.ValueOf(&configs.Job{}).Elem(), "", func(path string, _ reflect.Value,
		_ func()) {
		paths = append(paths, path)
	})
	if len(paths) < 150 {
		t.Fatalf("%d keys", len(paths))
	}
	for at, path := range paths {
		job := &configs.Job{}
		n, change := 0, func() {}
		fill(reflect.ValueOf(job).Elem(), "", func(_ string, _ reflect.Value, c func()) {
			if n == at {
				change = c
			}
			n++
		})
		before := identity(t, job)
		change()
		after := identity(t, job)
		hidden := listed(unseen, path)
		shown := listed(presented, path) || hidden
		if asks := before.Run != after.Run; asks == shown {
			t.Errorf("%s: another question: %t", path, asks)
		}
		// The value of a parameter counts, not its default.
		if presents := before.Rendering != after.Rendering; presents == hidden && !strings.HasPrefix(path, "params.") {
			t.Errorf("%s: another rendering: %t", path, presents)
		}
	}
}

// kindsOf returns the kinds of queries that have dimensions, from the fields of configs.Query.
func kindsOf(t *testing.T) (names []string) {
	t.Helper()
	typ := reflect.TypeFor[configs.Query]()
	for i := range typ.NumField() {
		if f := typ.Field(i); f.Type.Kind() == reflect.Pointer && f.Type.Elem().Kind() == reflect.Struct {
			if _, ok := f.Type.Elem().FieldByName("By"); ok {
				names = append(names, keyOf(f))
			}
		}
	}
	if len(names) < 5 {
		t.Fatalf("kinds with dimensions: %q", names)
	}
	return names
}

// asked returns the fingerprint of a job.
func asked(t *testing.T, format string, args ...any) string {
	t.Helper()
	id, err := identify(fmt.Appendf(nil, format, args...), nil, "people", nil)
	if err != nil {
		t.Fatal(err)
	}
	return id.Run
}

// The name of a label is part of the fingerprint only together with discovered keys, whose cells it identifies, in
// every kind.
func TestLabels(t *testing.T) {
	for _, kind := range kindsOf(t) {
		job := func(label, keys string) string {
			return asked(t, `{"queries": [{%q: {"by": [{"column": "x", "values": [{"label": %q, "members": ["1"]}]}%s]}}]}`,
				kind, label, keys)
		}
		if job("a", "") != job("b", "") {
			t.Errorf("%s: a label makes a question", kind)
		}
		if d := `, {"column": "y", "keys": "discover"}`; job("a", d) == job("b", d) {
			t.Errorf("%s: cells are told by their labels", kind)
		}
	}
}

// Tables refer to dimensions by their names, in any order: renaming a dimension does not change a table.
func TestTablesByOtherNames(t *testing.T) {
	job := func(as, name, other, accuracy string) string {
		return asked(t, `{"privacy": {"weights": "auto"}, "queries": [{"crosstabs": {"by": [{"column": "sex"%s}, {"column": "race"}, {"grid": {}}],
			"tables": [{"by": [%q, %q]}]}, "accuracy": {"95%%": 4, "table": [%q]}}]}`, as, name, other, accuracy)
	}
	first := job("", "sex", "race", "sex")
	if job(`, "as": "gender"`, "gender", "race", "gender") != first || job("", "race", "sex", "sex") != first {
		t.Error("another name or order is another question")
	}
	for _, other := range []string{job("", "sex", "grid", "sex"), job("", "sex", "race", "race"),
		job(`, "as": "gender"`, "race", "grid", "gender")} {
		if other == first {
			t.Error("another table is the same question")
		}
	}
}

// The accuracy decides how much noise a query gets only if weights are computed from it.
func TestAccuracy(t *testing.T) {
	job := func(weights, half string) string {
		return asked(t, `{"privacy": {"epsilon": 1%s}, "queries": [{"count": {}, "accuracy": {"95%%": %s}}]}`, weights, half)
	}
	if job("", "4") != job("", "5") {
		t.Error("without weights an accuracy makes a question")
	}
	if w := `, "weights": "auto"`; job(w, "4") == job(w, "5") {
		t.Error("with weights an accuracy makes no question")
	}
}
