package local_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/internal/wiring"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/enginetest"
	"github.com/dprelease/dprelease/pipeline/local"
)

const isolationJob = `
version: 1
name: isolation
privacy: {epsilon: 1, delta: 1e-6, unit: [u], per_unit: {max_rows: 1}}
input: {files: [%s], %s}
queries:
  - name: k
    histogram: {by: [{column: k, values: [a, b], other: bin}]}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: isolation, budget: {epsilon: 9, delta: 1e-4}}
`

// isolated returns the exact counts of a, b and other keys, of one row a unit.
func isolated(t *testing.T, name, input string, text []byte) [3]int64 {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
		t.Fatal(err)
	}
	p := enginetest.Plan(t, filepath.Join(dir, "job.yaml"), fmt.Appendf(nil, isolationJob, name, input))
	data, err := source.Open(t.Context(), wiring.SourceOptions(p.Job()))
	if err != nil {
		t.Fatal(err)
	}
	e := local.New(data, 2)
	defer e.Close()
	a, err := e.Aggregate(t.Context(), p, pipeline.Silent{})
	if err != nil {
		t.Fatal(err)
	}
	_, cells := mechanismtest.Open(t, a.Exacts[0][0])
	return [3]int64(cells)
}

func wideText(text string) (b []byte) {
	for _, u := range utf16.Encode([]rune(text)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return b
}

// One unit's rows, whatever they contain, change the counts of a table of 1,000 units only by themselves. Each of these
// cases once injected or swallowed rows of others, or merged a unit with another one.
func TestRowIsolation(t *testing.T) {
	csv := func(sep, end string) string {
		var b strings.Builder
		for i := range 1000 {
			fmt.Fprintf(&b, "f%03d%sn%s%s%s", i, sep, sep, []string{"a", "b"}[i%2], end)
		}
		return b.String()
	}
	json := func() string {
		var b strings.Builder
		for i := range 1000 {
			fmt.Fprintf(&b, "{\"u\": \"f%03d\", \"k\": \"%s\"}\n", i, []string{"a", "b"}[i%2])
		}
		return b.String()
	}()
	jsonl := `jsonl: {columns: {u: text, k: text}}`
	bare := `header: false, columns: [u, v, k]`
	lines := strings.Repeat("g000,n,a\r\n", 500)
	before, behind := [3]int64{500, 500, 0}, func(a, b, other int64) [3]int64 { return [3]int64{500 + a, 500 + b, other} }
	for name, c := range map[string]struct {
		file, input string
		text        string    // of 1,000 units
		more        [2]string // before and after them, rows of more units
		want        [3]int64
		wide        bool
	}{
		"a comment with lines in it": {"t.csv", `csv: {comment: "#"}`, csv(",", "\r\n"),
			[2]string{"u,v,k\r\n", "#v,\"x\r\n" + lines + "\",a\r\n"}, behind(1, 0, 0), false},
		"comments that open a quote": {"t.csv", `csv: {comment: "#"}`, csv(",", "\r\n"),
			[2]string{"u,v,k\r\n#v,\"x\r\n\",a\r\n", "#w,\",y\",a\r\n"}, behind(2, 0, 0), false},
		"comments without quotes": {"t.csv", `csv: {comment: "#", quote: none, ` + bare + `}`, csv(",", "\n"),
			[2]string{"#v,\"x,a\n", "#w,\",y\n"}, behind(0, 0, 0), false},
		"quotes between tabs": {"t.tsv", `csv: {}`, csv("\t", "\n"),
			[2]string{"u\tv\tk\n\"open\tx\ta\n", "close\"\t\"\tb\n"}, behind(1, 1, 0), false},
		"a mark of the other order": {"t.csv", `csv: {encoding: utf-16le, ` + bare + `}`, csv(",", "\n"),
			[2]string{"\uFFFE,n,a\n", ""}, behind(1, 0, 0), true},
		"a mark as a text": {"t.csv", `csv: {encoding: utf-16le, ` + bare + `}`, csv(",", "\n"),
			[2]string{"\uFEFFf000,n,b\n", ""}, behind(0, 1, 0), true},
		"a mark of UTF-8 as a text": {"t.csv", `csv: {` + bare + `}`, csv(",", "\n"), [2]string{"\uFEFFf000,n,b\n", ""},
			behind(0, 1, 0), false},
		"a mark that the job states": {"t.csv", `csv: {mark: true, ` + bare + `}`, "\uFEFF" + csv(",", "\n"),
			[2]string{"", "\uFEFFf000,n,b\n"}, behind(0, 1, 0), false},
		"bytes without a character": {"t.csv", `csv: {encoding: windows-1252, ` + bare + `}`, csv(",", "\n"),
			[2]string{"\x81,n,a\n", "\x8d,n,b\n"}, behind(1, 1, 0), false},
		"surrogates without a partner": {"t.jsonl", jsonl, json,
			[2]string{`{"u": "\ud800", "k": "a"}` + "\n", `{"u": "\ud801", "k": "b"}`}, behind(1, 1, 0), false},
		"bytes that are not UTF-8": {"t.jsonl", jsonl, json,
			[2]string{"{\"u\": \"\xff\", \"k\": \"a\"}\n", "{\"u\": \"\xfe\", \"k\": \"b\"}"}, behind(0, 0, 0), false},
		"numbers that look like texts": {"t.jsonl", jsonl, json,
			[2]string{`{"u": 1, "k": "a"}` + "\n", `{"u": "1", "k": "b"}`}, behind(0, 1, 0), false},
		"lines that look like JSON": {"t.jsonl", jsonl, json,
			[2]string{`{"u": "x", "k": "{\"u\": \"f000\"}\n{\"u\": \"y\", \"k\": \"a\"}"}` + "\n", ""}, behind(0, 0, 1), false},
		"half an object": {"t.jsonl", jsonl, json, [2]string{`{"u": "x", "k": "a"` + "\n", ""}, behind(0, 0, 0),
			false},
	} {
		for k, text := range []string{c.text, c.more[0] + c.text + c.more[1]} {
			if header := strings.HasPrefix(c.more[0], "u"); header && k == 0 {
				text = c.more[0][:strings.IndexByte(c.more[0], '\n')+1] + text
			}
			b := []byte(text)
			if c.wide {
				b = wideText(text)
			}
			if got, want := isolated(t, c.file, c.input, b), [][3]int64{before, c.want}[k]; got != want {
				t.Errorf("%s, table %d: %v, want %v", name, k, got, want)
			}
		}
	}
}

// A file whose header ends with LF keeps the CR at the end of a text.
func TestUnitsThatEndWithCR(t *testing.T) {
	if got := isolated(t, "t.csv", "csv: {}", []byte("k,u\na,x\r\na,x\nb,y\n")); got != [3]int64{2, 1, 0} {
		t.Errorf("%v: two units are one", got)
	}
}

// Dialects in which one row could affect how others are read are refused before anything is read.
func TestDialectsWithoutIsolation(t *testing.T) {
	for _, csv := range []string{`comment: "#"`, `encoding: utf-16`} {
		text := fmt.Appendf(nil, isolationJob, "t.csv", "csv: {header: false, columns: [u, v, k], "+csv+"}")
		if _, diags := configs.Parse("job.yaml", text, configs.ParseOptions{}); len(diags) != 1 ||
			diags[0].Code != configs.CodeContradiction || diags[0].Hint == "" {
			t.Errorf("%s: %v", csv, diags)
		}
	}
}
