package source_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/textfile"
)

var lines = textfile.CSV{Header: true}

// folder writes files into a new folder whose own name has wildcards.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a[b]*?")
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func openIn(dir string, csv textfile.CSV, files ...string) (*source.Dataset, error) {
	return source.Open(context.Background(), source.Options{Dir: dir, Files: files, CSV: csv, Workers: 2})
}

func TestFilesAreInOrder(t *testing.T) {
	dir := folder(t, map[string]string{
		"b-2.csv": "x\n4\n", "b-1.csv": "x\n3\n", "a.csv": "x\n2\n", "[c]*.csv": "x\n1\n", "deep/b-1.CSV": "x\n5\n",
	})
	d, err := openIn(dir, lines, "[c]*.csv", "a.csv", "b-*.csv", filepath.Join(dir, "deep", "b-1.CSV"))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"[c]*.csv", "a.csv", "b-1.csv", "b-2.csv", "b-1.CSV"}; !slices.Equal(d.Files(), want) {
		t.Errorf("files %v, want %v", d.Files(), want)
	}
	same(t, [][]any{{"1"}, {"2"}, {"3"}, {"4"}, {"5"}}, read(t, d, "x"))
}

func TestOpenRefuses(t *testing.T) {
	dir := folder(t, map[string]string{
		"a.csv": "x,y\n1,2\n", "b.csv": "y,z\n1,2\n", "c.xlsx": "", "d.arrow": "", "f/x.csv": "x\n", "empty.csv": "",
		"twice.csv": "x,y,x\n", "wide.csv": "\xff\xfex\x00", "no.parquet": "this is not a Parquet file",
		"e.csv.gz": "", "h.csv": "\n\n",
	})
	if err := os.Symlink("a.csv", filepath.Join(dir, "link.csv")); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(dir, "a.csv"), filepath.Join(dir, "hard.csv")); err != nil {
		t.Fatal(err)
	}
	named := textfile.CSV{Columns: []string{"x", "y"}}
	for _, c := range []struct {
		code  string
		csv   textfile.CSV
		files []string
	}{
		{fault.CodeOption, lines, nil},
		{fault.CodeNotFound, lines, []string{"missing.csv"}},
		{fault.CodeNotFound, lines, []string{"missing-*.csv"}},
		{fault.CodeOption, lines, []string{"a[.csv"}},
		{fault.CodeDuplicate, lines, []string{"a.csv", "./a.csv"}},
		{fault.CodeDuplicate, lines, []string{"a.csv", "link.csv"}},
		{fault.CodeDuplicate, lines, []string{"a*.csv", "*.csv"}},
		{fault.CodeDuplicate, lines, []string{"a.csv", "hard.csv"}},
		{fault.CodeDuplicate, lines, []string{"har*.csv", "link.csv"}},
		{fault.CodeFormat, lines, []string{"c.xlsx"}},
		{fault.CodeTruncated, lines, []string{"d.arrow"}},
		{fault.CodeNotFile, lines, []string{"f"}},
		{fault.CodeSchema, lines, []string{"a.csv", "b.csv"}},
		{fault.CodeHeader, lines, []string{"empty.csv"}},
		{fault.CodeHeader, lines, []string{"h.csv"}},
		{fault.CodeHeader, lines, []string{"twice.csv"}},
		{fault.CodeHeader, lines, []string{"wide.csv"}},
		{fault.CodeHeader, textfile.CSV{Header: true, Columns: []string{"x"}}, []string{"a.csv"}},
		{fault.CodeOption, textfile.CSV{}, []string{"a.csv"}},
		{fault.CodeOption, textfile.CSV{Header: true, Delimiter: '"'}, []string{"a.csv"}},
		{fault.CodeOption, textfile.CSV{Header: true, Delimiter: 'é'}, []string{"a.csv"}},
		{fault.CodeOption, textfile.CSV{Header: true, Delimiter: '|', Comment: '|'}, []string{"a.csv"}},
		{fault.CodeOption, textfile.CSV{Header: true, Types: map[string]string{"x": "decimal"}}, []string{"a.csv"}},
		{fault.CodeOption, textfile.CSV{Header: true, Types: map[string]string{"x": "timestamp 15:04"}}, []string{"a.csv"}},
		{fault.CodeOption, textfile.CSV{Header: true, Types: map[string]string{"x": "timestamp"}}, []string{"a.csv"}},
		{fault.CodeOption, textfile.CSV{Header: true, Types: map[string]string{"x": "timestamp 2006-01-02 MST"}},
			[]string{"a.csv"}},
		{fault.CodeColumn, textfile.CSV{Header: true, Types: map[string]string{"q": "int"}}, []string{"a.csv"}},
		{fault.CodeHeader, textfile.CSV{Columns: []string{"x", "x"}}, []string{"a.csv"}},
		{fault.CodeDamaged, named, []string{"no.parquet"}},
		{fault.CodeTruncated, lines, []string{"e.csv.gz"}},
	} {
		_, err := openIn(dir, c.csv, c.files...)
		var e *fault.Error
		if !errors.As(err, &e) || e.Code != c.code {
			t.Errorf("%v: got %v, want %s", c.files, err, c.code)
		}
	}
}

// One call reports all problems of an input.
func TestAllDisagreementsAreNamed(t *testing.T) {
	dir := folder(t, map[string]string{"a.csv": "x,y,z\n", "b.csv": "y,x,w\n", "c.csv": "x\n"})
	types := textfile.CSV{Header: true, Types: map[string]string{"x": "int"}}
	_, err := openIn(dir, types, "a.csv", "b.csv", "c.csv")
	var all fault.Errors
	if !errors.As(err, &all) || len(all) != 4 {
		t.Fatalf("got %v, want four errors", err)
	}
	want := strings.Join([]string{
		"b.csv: schema-mismatch: column 3 of a.csv is missing",
		"b.csv: schema-mismatch: 1 of its columns are not in a.csv",
		"c.csv: schema-mismatch: column 2 of a.csv is missing",
		"c.csv: schema-mismatch: column 3 of a.csv is missing",
	}, "\n")
	if err.Error() != want {
		t.Errorf("got %s, want %s", err, want)
	}
	_, err = openIn(dir, lines, "gone.csv", "a.csv", "gone-*.csv")
	if !errors.As(err, &all) || len(all) != 2 {
		t.Errorf("got %v, want two errors", err)
	}
}

// The hint about a missing file names one with almost the same name.
func TestMissingFileIsGuessed(t *testing.T) {
	dir := folder(t, map[string]string{"visits.csv": "x\n"})
	for name, want := range map[string]string{"Visit.csv": "is it visits.csv? ", "none.csv": "check the path; ",
		"none/visits.csv": "the folder of the file is not there"} {
		var e *fault.Error
		if _, err := openIn(dir, lines, name); !errors.As(err, &e) || !strings.HasPrefix(e.Hint, want) ||
			!strings.HasSuffix(e.Hint, "a relative path starts from the job file's folder") {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

// Messages name a file by its base name, and by as many of its folders as tell it from the other files of the input.
func TestNamesTellFilesApart(t *testing.T) {
	dir := folder(t, map[string]string{"1/a/x.csv": "x,y\n", "2/a/x.csv": "x\n", "x.csv": "x,y\n", "y.csv": "x,z\n"})
	for _, c := range []struct {
		files, want []string
	}{
		{[]string{"1/a/x.csv", "2/a/x.csv", "x.csv", "y.csv"}, []string{"2/a/x.csv: schema-mismatch: column 2 of 1/a/x.csv is",
			"y.csv: schema-mismatch: column 2 of 1/a/x.csv is", "y.csv: schema-mismatch: 1 of its columns are not in 1/a/x.csv"}},
		{[]string{"3/x.csv", "4/x.csv", "5/*.csv", "6/*.csv", "gone.csv"}, []string{"3/x.csv: not-found", "4/x.csv: not-found",
			`not-found: no file matches the pattern "5/*.csv"`, `not-found: no file matches the pattern "6/*.csv"`, "gone.csv: not-found"}},
		{[]string{"1/a/x.csv", "1/a/x.csv", "1/a/../a/x.csv"}, []string{"x.csv: duplicate-file", "x.csv: duplicate-file"}},
	} {
		_, err := openIn(dir, lines, c.files...)
		if err == nil {
			t.Errorf("%v: no error", c.files)
			continue
		}
		got := strings.Split(err.Error(), "\n")
		if !slices.EqualFunc(got, c.want, strings.HasPrefix) {
			t.Errorf("%v: got %q, want %q", c.files, got, c.want)
		}
	}
}

func TestTypesDisagree(t *testing.T) {
	records := sample(3)
	dir := folder(t, map[string]string{"a.parquet": string(parquetGo(t, records, nil)), "b.csv": string(text(t, records))})
	csv := sampleCSV
	csv.Types = map[string]string{"unit": "int", "value": "float", "flag": "bool", "day": "date"}
	_, err := openIn(dir, csv, "a.parquet", "b.csv")
	var e *fault.Error
	if !errors.As(err, &e) || e.File != "b.csv" || e.Column != "at" ||
		!strings.Contains(e.Message, "timestamp[us, UTC] there and text here") {
		t.Errorf("got %v", err)
	}
}

// If the job promises a header and the first line is a row, an error does not quote its values.
func TestValuesInPlaceOfHeadersAreNotNamed(t *testing.T) {
	dir := folder(t, map[string]string{"a.csv": "canary1,canary2\n", "b.csv": "canary3,canary4,canary4\n",
		"c.csv": "canary3,canary4\n"})
	for _, files := range [][]string{{"a.csv", "c.csv"}, {"b.csv"}} {
		if _, err := openIn(dir, lines, files...); err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%v: %v", files, err)
		}
	}
}

func TestReadRefusesColumns(t *testing.T) {
	d := open(t, lines, write(t, "a.csv", []byte("x,y\n1,2\n")))
	var all fault.Errors
	if _, err := readAll(d, "x", "q", "r"); !errors.As(err, &all) || len(all) != 2 || all[0].Code != fault.CodeColumn {
		t.Errorf("got %v", err)
	}
	if _, err := d.Read(context.Background(), 1, nil, nil); err == nil {
		t.Error("a split that is not there was read")
	}
}
