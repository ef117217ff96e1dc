package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
)

func TestVisible(t *testing.T) {
	for s, want := range map[string]string{
		"Ünïcode 世\t\n":         "Ünïcode 世\t\n",
		"\x1b[2Jgone":           `\u001b[2Jgone`,
		"a\u009b31mb":           `a\u009b31mb`,
		"a\rb\x00\x7f":          `a\u000db\u0000\u007f`,
		"evil\u202efdp.exe":     `evil\u202efdp.exe`,
		"zero\u200bwidth\u2028": `zero\u200bwidth\u2028`,
		"not\xffUTF-8 \uFFFD":   `not\xffUTF-8 ` + "\uFFFD",
		"\U000e0041":            `\udb40\udc41`,
	} {
		if got := console.Visible(s); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
	if got := console.OneLine("a\tb\nerror: none"); got != `a\u0009b\u000aerror: none` {
		t.Error(got)
	}
	var back string
	if err := json.Unmarshal([]byte(`"`+console.Visible("x\u009b\u202e\U000e0041")+`"`), &back); err != nil ||
		back != "x\u009b\u202e\U000e0041" {
		t.Errorf("JSON reads %q, %v", back, err)
	}
}

// Texts in a file's header and in the job's labels never reach the terminal unescaped, in any verb.
func TestHostileNamesAreShownEscaped(t *testing.T) {
	const evil = "\x1b]0;owned\x07\x1b[2J\u009b31m\u202e"
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("a.csv", "person,col"+evil+"\n1,k"+evil+"\n")
	quoted := strings.NewReplacer("\x1b", `\x1b`, "\x07", `\x07`, "\u009b", `\u009b`, "\u202e", `\u202e`).Replace(evil)
	job := func(column string) string {
		return `version: 1
name: hostile
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 1}}
input: {files: [a.csv]}
queries:
  - {name: keys, histogram: {by: [{column: "` + column + `", values: ["k` + quoted + `", b], as: key}]}}
output: {dir: out, formats: [csv, json]}
ledger: {store: "sqlite:ledger.db", dataset: "data` + quoted + `", budget: {epsilon: 10, delta: 1e-5}}
`
	}
	good, wrong := write("job.yaml", job("col"+quoted)), write("wrong.yaml", job("cole"))
	folder := filepath.Join(dir, "out")
	if err := os.Mkdir(filepath.Join(dir, "f"+evil), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"check", wrong}, {"plan", good}, {"run", good}, {"run", good, "--log", "json"}, {"verify", folder}, {"ledger",
			"show", good}, {"ledger", "audit", good},
		{"verify", filepath.Join(dir, "f"+evil)}, {"run", filepath.Join(dir, evil)}, {"registry", folder}, {"verify", folder,
			"--json"}, {evil},
	} {
		var out bytes.Buffer
		execute(t.Context(), args, &out, &out)
		if i := strings.IndexAny(out.String(), "\x1b\x07\u009b\u202e"); i >= 0 {
			t.Errorf("%q prints raw: %q", args, out.String()[max(0, i-60):min(out.Len(), i+40)])
		}
	}
}

// hostileName is a possible name of a column, a file or a key: it clears the screen and writes lines that the program
// did not write.
const hostileName = "\x1b]0;owned\x07\x1b[2J\u009b31m\u202e\nFORGED: published\r\nFORGED\tagain"

// printsHarmlessly fails if a verb prints a character that a terminal acts upon, or a line that a name forged.
func printsHarmlessly(t *testing.T, args ...string) (output string) {
	t.Helper()
	var out bytes.Buffer
	execute(t.Context(), args, &out, &out)
	if i := strings.IndexAny(out.String(), "\x1b\x07\u009b\u202e\r"); i >= 0 {
		t.Errorf("%q prints raw: %q", args, out.String()[max(0, i-60):min(out.Len(), i+40)])
	}
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(strings.TrimLeft(line, " \t"), "FORGED") {
			t.Errorf("%q prints a forged line:\n%s", args, out.String())
			break
		}
	}
	return out.String()
}

func hostileJob(file, unit, column, key, formats string) string {
	quote := strconv.QuoteToASCII
	return fmt.Sprintf(`version: 1
name: hostile
privacy: {epsilon: 1, delta: 1e-6, unit: [%s], per_unit: {max_rows: 1}}
input: {files: [%s]}
queries:
  - {name: keys, histogram: {by: [{column: %s, values: [%s, b], as: key}]}}
output: {dir: out, formats: [%s]}
ledger: {store: "sqlite:ledger.db", dataset: people, budget: {epsilon: 10, delta: 1e-5}}
`, quote(unit), quote(file), quote(column), quote(key), formats)
}

func hostileFolder(t *testing.T) (dir string, write func(name, text string) string) {
	t.Helper()
	dir = t.TempDir()
	return dir, func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
}

// No command prints escape sequences or line ends that are in the column names of a Parquet file.
func TestHostileNamesOfAParquetFile(t *testing.T) {
	dir, write := hostileFolder(t)
	f, err := os.Create(filepath.Join(dir, "a.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	w := parquet.NewGenericWriter[any](f, parquet.NewSchema("a",
		parquet.Group{"person": parquet.Int(64), hostileName: parquet.String()}))
	if _, err := w.WriteRows([]parquet.Row{{parquet.ValueOf("k"+hostileName).Level(0, 0, 0),
		parquet.ValueOf(int64(1)).Level(0, 0, 1)}}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	good := write("job.yaml", hostileJob("a.parquet", "person", hostileName, "k"+hostileName, "csv, parquet, json"))
	mistyped := write("mistyped.yaml", hostileJob("a.parquet", "person", hostileName+"x", "k", "csv"))
	wrongUnit := write("unit.yaml", hostileJob("a.parquet", hostileName+"y", hostileName, "k", "csv"))
	wrongType := write("type.yaml", strings.Replace(hostileJob("a.parquet", "person", hostileName, "k", "csv"), ", b]",
		", 7, 8.5]", 1))
	folder := filepath.Join(dir, "out")
	for _, args := range [][]string{
		{"check", good}, {"check", mistyped}, {"check", mistyped, "--data"}, {"check", wrongUnit}, {"check", wrongType,
			"--data"}, {"check", good, "--data"},
		{"plan", good, "--verbose"}, {"run", good}, {"run", good}, {"run", mistyped}, {"run", good, "--new-release", "--log",
			"json"},
		{"verify", folder}, {"ledger", "show", good}, {"registry", folder}, {"denoise", folder, "--out",
			filepath.Join(dir, "smooth"), "--step", "nonnegative"},
		{"denoise", filepath.Join(dir, "a.parquet"), "--value", hostileName, "--out", filepath.Join(dir, "x.csv"), "--sigma",
			"1", "--step", "nonnegative"},
	} {
		printsHarmlessly(t, args...)
	}
	if out := printsHarmlessly(t, "check", mistyped); !strings.Contains(out, "FORGED") {
		t.Errorf("the column is not named: %s", out)
	}
}

// No command prints escape sequences or line ends that are in the header of a CSV file, or in the name of a file, a
// folder or a job.
func TestHostileNamesOfACSVFile(t *testing.T) {
	dir, write := hostileFolder(t)
	name := strings.ReplaceAll(hostileName, "/", "")
	file := name + ".csv"
	write(file, "person,\""+hostileName+"\"\n1,\"k"+hostileName+"\"\n")
	write("twice.csv", "\""+hostileName+"\",\""+hostileName+"\"\n1,2\n")
	write("broken"+file, "person,\""+hostileName+"\"\n1,\"open\n")
	good := write("job"+name+".yaml", hostileJob(file, "person", hostileName, "k"+hostileName, "csv"))
	mistyped := write("mistyped.yaml", hostileJob(file, "person", hostileName+"x", "k", "csv"))
	absent := write("absent.yaml", hostileJob("absent"+file, "person", hostileName, "k", "csv"))
	twice := write("twice.yaml", hostileJob("twice.csv", hostileName, hostileName, "k", "csv"))
	broken := write("broken.yaml", hostileJob("broken"+file, "person", hostileName, "k", "csv"))
	strange := write("strange.yaml", hostileJob(name, "person", hostileName, "k", "csv"))
	folder := filepath.Join(dir, "out"+name)
	for _, args := range [][]string{
		{"check", good}, {"check", good, "--data"}, {"check", mistyped, "--data"}, {"check", absent, "--data"}, {"check",
			twice, "--data"}, {"check", broken, "--data"},
		{"check", strange}, {"check", write("bad"+name, "version: 1\n\""+`\u001b[2J\nFORGED`+"\": 2\n")},
		{"plan", good}, {"run", good, "--out", folder}, {"run", absent}, {"run", twice}, {"run", broken}, {"verify",
			folder}, {"verify", filepath.Join(dir, "no"+name)},
		{"run", good, "--out", good}, {"run", good, "--sign", name}, {"run", good, "--anchor",
			filepath.Join(dir, name, name)}, {"run", good, "--param", name}, {"status", good, "--from", name},
		{"ledger", "show", "--store", "sqlite:" + filepath.Join(dir, name)}, {"verify", folder, "--key", name}, {"verify",
			folder, "--store", "sqlite:" + filepath.Join(dir, name)},
		{"denoise", filepath.Join(dir, file), "--value", name, "--out", filepath.Join(dir, "x.csv"), "--sigma", "1", "--step",
			"nonnegative"},
		{"calibrate", "sigma", filepath.Join(dir, file)}, {"keygen", filepath.Join(dir, name, "key")}, {name}, {"run",
			"--" + name}, {"schema", name},
	} {
		printsHarmlessly(t, args...)
	}
}
