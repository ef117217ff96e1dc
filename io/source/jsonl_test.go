package source_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/table/tabletest"
)

// openObjects reads lines as JSON.
func openObjects(t *testing.T, text string, columns map[string]string, names ...string) [][]any {
	t.Helper()
	return read(t, openWith(t, source.Options{Files: []string{write(t, "a.jsonl", []byte(text))},
		JSONL: textfile.JSONL{Columns: columns}}), names...)
}

// Each JSON value is a distinct value or null, never equal to another one, and changes no other line.
func TestJSONValues(t *testing.T) {
	f := tabletest.Float
	for _, c := range []struct {
		kind, value string
		want        any
	}{
		{"text", `"1"`, "1"}, {"text", `1`, nil}, {"text", `true`, nil}, {"text", `"true"`, "true"}, {"text", `""`,
			""}, {"text", `{}`, nil}, {"text", `["a"]`, nil}, {"text", `null`, nil}, {"text", `"null"`, "null"},
		{"text", `"\ud800"`, "\xed\xa0\x80"}, {"text", `"\uD801"`, "\xed\xa0\x81"}, {"text", `"\udc00\ud800"`,
			"\xed\xb0\x80\xed\xa0\x80"}, {"text", `"\ud83d\ude00"`, "😀"}, {"text", `"\ufffd"`, "\uFFFD"},
		{"text", "\"\xff\"", nil}, {"text", "\"\xfe\"", nil}, {"text", "\"\xed\xa0\x80\"", nil}, {"text", `"a\u0000b"`,
			"a\x00b"}, {"text", `"\ufeff"`, "\uFEFF"}, {"text", `"\r\n"`, "\r\n"}, {"text", "\"a\rb\"", nil},
		{"int", `1`, int64(1)}, {"int", `"1"`, int64(1)}, {"int", `1.0`, nil}, {"int", `1e0`, nil}, {"int", `true`,
			nil}, {"int", `-0`, int64(0)}, {"int", `9223372036854775808`, nil},
		{"float", `1`, f(1)}, {"float", `1.0`, f(1)}, {"float", `1e0`, f(1)}, {"float", `"1.0"`, f(1)}, {"float", `[1]`, nil},
		{"bool", `true`, int64(1)}, {"bool", `"true"`, int64(1)}, {"bool", `1`, int64(1)}, {"bool", `2`, nil},
		{"date", `"2024-01-02"`, int64(19724)}, {"date 20060102", `20240102`, int64(19724)},
		{"text", strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001), nil},
	} {
		text := fmt.Sprintf("{\"v\": \"before\", \"n\": 1}\n{\"v\": %s, \"n\": 2}\r\n{\"v\": \"behind\", \"n\": 3}", c.value)
		rows := openObjects(t, text, map[string]string{"v": c.kind, "n": "int"}, "v", "n")
		if len(rows) != 3 {
			t.Fatalf("%s %.40q: %d rows", c.kind, c.value, len(rows))
		}
		if diff := cmp.Diff(c.want, rows[1][0]); diff != "" || rows[0][1] != int64(1) || rows[2][1] != int64(3) {
			t.Errorf("%s %.40q: %v %s", c.kind, c.value, rows[1:2], diff)
		}
	}
}

// If several members have one name, the last one counts, as a whole. Paths lead only into objects.
func TestJSONMembers(t *testing.T) {
	columns := map[string]string{"a.b": "text", "c": "text"}
	for text, want := range map[string][]any{
		`{"a": {"b": "1"}, "c": "2"}`:                          {"1", "2"},
		`{"a": {"b": "1"}, "a": {"x": "2"}, "c": 1, "c": "3"}`: {nil, "3"},
		`{"a.b": "1", "a": {"b": "2"}}`:                        {"1", nil},
		`{"a": "b", "c": {"c": "1"}}`:                          {nil, nil},
		`{"a": {"b": {"b": "1"}}, "\u0063": "2"}`:              {nil, "2"},
		"{\"c\": \"1\", \"\xff\": \"2\"}":                      {nil, "1"},
		`{"c": "1"} {"c": "2"}`:                                {nil, nil},
		"\ufeff" + `{"c": "1"}`:                                {nil, "1"},
	} {
		if diff := cmp.Diff([][]any{want}, openObjects(t, text+"\n", columns, "a.b", "c")); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

// A path of three names leads through each of them, and names that contain dots are found at each step.
func TestJSONPaths(t *testing.T) {
	for text, want := range map[string]any{
		`{"a": {"c": "1", "b": {"c": "2"}}}`:        "2",
		`{"a": {"c": "1", "b.c": "2"}}`:             "2",
		`{"a.b": {"c": "1"}, "a": {"c": "2"}}`:      nil,
		`{"a": {"b": {"c": {"c": "1"}}, "c": "2"}}`: nil,
	} {
		if diff := cmp.Diff([][]any{{want}}, openObjects(t, text+"\n", map[string]string{"a.b.c": "text"}, "a.b.c")); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

// A line of more than 16 MiB is one row without values.
func TestJSONLongLines(t *testing.T) {
	long := `{"v": "` + strings.Repeat("x", 17<<20) + `"}`
	want := [][]any{{"a"}, {nil}, {"b"}}
	if diff := cmp.Diff(want, openObjects(t, "{\"v\": \"a\"}\n"+long+"\n\n{\"v\": \"b\"}", map[string]string{"v": "text"},
		"v")); diff != "" {
		t.Error(diff)
	}
}
