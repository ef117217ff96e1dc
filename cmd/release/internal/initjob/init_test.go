package initjob

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/cmd/release/internal/columns"
	"github.com/dprelease/dprelease/cmd/release/internal/console"
)

// On a terminal, init asks for everything that the flags do not give. It asks again after an empty or wrong answer, and
// keeps the earlier answers.
func TestInterview(t *testing.T) {
	dir := t.TempDir()
	table := filepath.Join(dir, "t.csv")
	if err := os.WriteFile(table, []byte("id,town\n1,York\n2,Bath\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, asked bytes.Buffer
	f := &flags{Job: Job{Dir: "out", Store: "sqlite:ledger.db"},
		in:       strings.NewReader("\nidd\nid\n\n1\none\n1e-6\n\n0\n3\n\nhistogramm town\n\nhistogram town=York|Bath\ncount\n\n"),
		terminal: true, out: filepath.Join(dir, "job.yaml")}
	if err := f.run(t.Context(), console.New(&out, &asked), []string{table}); err != nil {
		t.Fatal(err, asked.String())
	}
	job, err := os.ReadFile(f.out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"unit: [id]", "max_rows: 3", "epsilon: 1\n", "values: [York, Bath]", "count: {}",
		"budget: {epsilon: 1, delta: 1e-6}"} {
		if !strings.Contains(string(job), want) {
			t.Errorf("the job lacks %s:\n%s", want, job)
		}
	}
	if !strings.Contains(asked.String(), `"histogramm" is not a kind of query`) {
		t.Errorf("the misspelt query was not noticed: %s", asked.String())
	}
}

// A wrong value, or a query that the table cannot answer, is asked for again. If the answers end, they are printed as
// flags. A place that cannot be written is refused before the first question.
func TestNoAnswerIsLost(t *testing.T) {
	dir := t.TempDir()
	table := filepath.Join(dir, "t.csv")
	if err := os.WriteFile(table, []byte("id,town\n1,York\n2,Bath\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, asked bytes.Buffer
	f := &flags{Job: Job{Dir: "out", Store: "sqlite:ledger.db"},
		in: strings.NewReader("id\n0\n1\n1\n1e-6\n3\nmean fee=0..5\nhistogram town=York|Bath\n"), terminal: true,
		out: filepath.Join(dir, "job.yaml")}
	if err := f.run(t.Context(), console.New(&out, &asked), []string{table}); err == nil {
		t.Error("the answers ended, and there is no error")
	}
	for _, want := range []string{`"0" is not an epsilon`, `"1" is not a delta`, "the table has no column fee",
		"answers so far: --unit id --max-rows 3 --epsilon 1 --delta 1e-6 --ask 'histogram town=York|Bath'"} {
		if !strings.Contains(asked.String(), want) {
			t.Errorf("no %s in:\n%s", want, asked.String())
		}
	}
	asked.Reset()
	f.out = filepath.Join(dir, "none", "job.yaml")
	if err := f.run(t.Context(), console.New(&out, &asked), []string{table}); err == nil || asked.Len() > 0 {
		t.Errorf("%v after asking %s", err, asked.String())
	}
}

// After a stop by a signal, after the end of the answers and beside a job that went to stdout, all answers are printed
// as flags. A stop does not wait for the terminal.
func TestAnswersArePrintedAsFlags(t *testing.T) {
	table := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(table, []byte("id,town\n1,York\n2,Bath\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		answers, want string
		stop, done    bool
	}{
		"the answers end": {answers: "id\n", want: "answers so far: --unit id\n"},
		"a signal":        {answers: "id,town\n2\n", stop: true, want: "answers so far: --unit id,town --epsilon 2\n"},
		"stdout": {answers: "id\n1\n1e-6\n3\ncount\n\n", done: true,
			want: "--job FILE and these flags, your answers, write it to a file: --unit id --max-rows 3 --epsilon 1 --delta 1e-6 --ask count\n"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			in, terminal := io.Pipe()
			defer terminal.Close()
			var out bytes.Buffer
			asked := listener{hear: func(question string) {
				if c.stop && strings.HasPrefix(question, "Delta?") {
					stop() // and the terminal stays open
				}
			}}
			f := &flags{Job: Job{Dir: "out", Store: "sqlite:ledger.db"}, in: in, terminal: true}
			go func() {
				_, _ = io.WriteString(terminal, c.answers)
				if !c.stop {
					_ = terminal.Close()
				}
			}()
			err := f.run(ctx, console.New(&out, &asked), []string{table})
			if (err == nil) != c.done || c.stop != errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			if !strings.Contains(asked.text.String(), c.want) {
				t.Errorf("no %q in:\n%s", c.want, asked.text.String())
			}
		})
	}
}

// listener keeps what is written, and hears each piece.
type listener struct {
	text strings.Builder
	hear func(piece string)
}

func (l *listener) Write(p []byte) (int, error) {
	l.hear(string(p))
	return l.text.Write(p)
}

// hastyNeighbour writes a file before it gives the answers.
type hastyNeighbour struct {
	file    string
	answers *strings.Reader
}

func (h hastyNeighbour) Read(p []byte) (int, error) {
	if h.answers.Len() == int(h.answers.Size()) {
		if err := os.WriteFile(h.file, []byte("another's job"), 0o600); err != nil {
			return 0, err
		}
	}
	return h.answers.Read(p)
}

// Without --force, init does not replace a file that somebody else wrote while it asked.
func TestNoFileIsReplaced(t *testing.T) {
	dir := t.TempDir()
	table, job := filepath.Join(dir, "t.csv"), filepath.Join(dir, "job.yaml")
	if err := os.WriteFile(table, []byte("id,town\n1,York\n2,Bath\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, asked bytes.Buffer
	f := &flags{Job: Job{Dir: "out", Store: "sqlite:ledger.db"},
		in: hastyNeighbour{job, strings.NewReader("id\n1\n1e-6\n3\ncount\n\n")}, terminal: true, out: job}
	if err := f.run(t.Context(), console.New(&out, &asked), []string{table}); err == nil ||
		!strings.Contains(err.Error(), "there already") {
		t.Errorf("error %v after %s", err, asked.String())
	}
	if text, err := os.ReadFile(job); err != nil || string(text) != "another's job" {
		t.Errorf("the file is now %q, %v", text, err)
	}
}

// With --force, init keeps the mode of the file that it replaces. It says what a job cannot state about the table.
func TestForceKeepsTheMode(t *testing.T) {
	dir := t.TempDir()
	table, job := filepath.Join(dir, "t.csv"), filepath.Join(dir, "job.yaml")
	if err := errors.Join(os.WriteFile(table, []byte("town\tage\n1\tYork\t4\n2\tBath\t5\n"), 0o600),
		os.WriteFile(job, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(job)
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	f := &flags{Job: Job{Epsilon: "1", Delta: "1e-6", Dir: "out", Store: "sqlite:ledger.db"},
		unit: []string{"row"}, asks: []string{"count"}, out: job, force: true}
	if err := f.run(t.Context(), console.New(&bytes.Buffer{}, &said), []string{table}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(job); err != nil || info.Mode() != before.Mode() || info.Size() == 0 {
		t.Errorf("%v, %v", info, err)
	}
	if !strings.Contains(said.String(), "one field less") {
		t.Errorf("init said %s", said.String())
	}
}

// Names and texts of any kind are in the job unchanged.
func TestNamesAreQuoted(t *testing.T) {
	for text, want := range map[string]string{
		"Branch": "Branch", "yes": `"yes"`, "a: b": `"a: b"`, "${x}": `"$${x}"`, "1": `"1"`, " a": `" a"`, `a"b`: `"a\"b"`, "Café Süd": "Café Süd", "<i>": `"<i>"`, "a\nb": `"a\nb"`, "#x": `"#x"`,
		"a\x7fb\u00a0\ufeff": `"a\x7fb\u00a0\ufeff"`,
	} {
		if got := quote(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// Only the column's name is the name of a query for quantiles.
func TestQueryNamedAsNothing(t *testing.T) {
	dir := t.TempDir()
	table, job := filepath.Join(dir, "t.csv"), filepath.Join(dir, "job.yaml")
	if err := os.WriteFile(table, []byte("null\n1\n2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := &flags{Job: Job{Epsilon: "1", Delta: "1e-6", Dir: "out", Store: "sqlite:ledger.db"},
		unit: []string{"row"}, asks: []string{"quantiles null=0..10/5"}, out: job}
	if err := f.run(t.Context(), console.New(&bytes.Buffer{}, &bytes.Buffer{}), []string{table}); err != nil {
		t.Fatal(err)
	}
}

// A query in words of other tools, or without a range, is answered with the right form.
func TestWordsOfOtherTools(t *testing.T) {
	for asked, want := range map[string]string{"median age=0..100/5": "did you mean quantiles?", "avg fee=0..5": "did you mean mean?",
		"mean fee": "mean fee=MIN..MAX", "sum fee=": "sum fee=MIN..MAX", "mean ": "COLUMN=CELLS"} {
		if _, err := Parse(asked); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", asked, err)
		}
	}
}

// Columns of the unit that look like floats stay texts, so that no two identifiers become one. Numbers of JSON lines are
// no texts: there the unit is at fault.
func TestUnitsAreNotRounded(t *testing.T) {
	for file, text := range map[string]string{
		"t.csv":   "id,fee\n1.0,2.5\n2.0,3.5\n",
		"t.jsonl": "{\"id\": 1.5, \"fee\": 2.5}\n{\"id\": 2.5, \"fee\": 3.5}\n",
	} {
		dir := t.TempDir()
		table := filepath.Join(dir, file)
		if err := os.WriteFile(table, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f := &flags{Job: Job{Epsilon: "1", Delta: "1e-6", Dir: "out", Store: "sqlite:ledger.db", MaxRows: 1},
			unit: []string{"id"}, asks: []string{"mean fee=0..5"}, out: filepath.Join(dir, "job.yaml")}
		err := f.run(t.Context(), console.New(&bytes.Buffer{}, &bytes.Buffer{}), []string{table})
		if want := file == "t.jsonl"; (err != nil) != want || want && !strings.Contains(err.Error(), "answers: --unit: ") {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// The job states options that the format does not imply: that fields between tabs are quoted, and that a file without a
// header begins with a mark.
func TestHowTextsAreWritten(t *testing.T) {
	for text, want := range map[string][]string{
		"id\ttown\n1\t\"York\tNorth\"\n2\tBath\n": {"format: tsv",
			`quote: "\""   # some fields are quoted; files of format tsv are read without quotes unless this is said`},
		"id\ttown\n1\tYork 5\"\n2\tBath\n":     {"format: tsv\n", "!quote"},
		"id,town\n1,\"York, North\"\n2,Bath\n": {"!quote", "!format"},
		"id,town\n1,\"York\n2,Bath\n":          {"quote: none", "!format"},
		"\ufeff1,York\n2,Bath\n":               {"header: false", "mark: true"},
		"\ufeffid,town\n1,York\n2,Bath\n":      {"!header", "!mark"},
	} {
		dir := t.TempDir()
		table := filepath.Join(dir, "t.csv")
		if err := os.WriteFile(table, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f := &flags{Job: Job{Epsilon: "1", Delta: "1e-6", Dir: "out", Store: "sqlite:ledger.db"},
			unit: []string{"row"}, asks: []string{"count"}, out: filepath.Join(dir, "job.yaml")}
		if err := f.run(t.Context(), console.New(&bytes.Buffer{}, &bytes.Buffer{}), []string{table}); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		job, err := os.ReadFile(f.out)
		if err != nil {
			t.Fatal(err)
		}
		input := string(job)[strings.Index(string(job), "\ninput:"):strings.Index(string(job), "# The table's columns")]
		for _, w := range want {
			if word, not := strings.CutPrefix(w, "!"); strings.Contains(input, word) == not {
				t.Errorf("%q: want %s in\n%s", text, w, input)
			}
		}
	}
}

// A profile describes a column by the name of its type, whole: an unreadable type that begins like one is left out.
func TestProfileLeavesOut(t *testing.T) {
	names := []string{"i", "u", "f", "b", "s", "d", "t", "interval", "time", "list of numbers"}
	types := []string{"int", "uint", "float", "bool", "text", "date 2006-01-02", "timestamp[ms, UTC]"}
	j := &Job{Table: &columns.Table{Names: names, Types: slices.Concat(types, names[len(types):])}}
	queries, left := j.describe()
	if want := 1 + 2*3 + 4; len(queries) != want {
		t.Errorf("%d queries, want %d: %v", len(queries), want, queries)
	}
	if want := []string{"interval (interval)", "time (time)", "list of numbers (list of numbers)"}; !slices.Equal(left, want) {
		t.Errorf("left out: %q, want %q", left, want)
	}
}
