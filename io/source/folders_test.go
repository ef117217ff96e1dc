package source_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/table"
)

// partitioned writes files into folders and returns the folder above them.
func partitioned(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func byFolders(dir string, types map[string]string) source.Options {
	return source.Options{Dir: dir, Files: []string{"day=*/*/*.csv"}, CSV: textfile.CSV{Header: true}, Folders: types}
}

func TestColumnsFromFolders(t *testing.T) {
	dir := partitioned(t, map[string]string{
		"day=2024-01-01/town=S%C3%BCd%2FOst/a.csv": "x,y\n1,a\n2,b\n", "day=2024-01-02/town=York/a.csv": "x,y\n3,c\n",
		"day=__HIVE_DEFAULT_PARTITION__/town=York/a.csv": "x,y\n4,d\n",
	})
	d := openWith(t, byFolders(dir, map[string]string{"day": "date", "town": "text"}))
	want := [][]any{{int64(19723), "1", "Süd/Ost"}, {int64(19723), "2", "Süd/Ost"}, {int64(19724), "3", "York"},
		{nil, "4", "York"}}
	if diff := cmp.Diff(want, read(t, d, "day", "x", "town")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([][]any{{"Süd/Ost"}, {"Süd/Ost"}, {"York"}, {"York"}}, read(t, d, "town")); diff != "" {
		t.Error("without columns of the files: ", diff)
	}
}

// A filter on a folder's column skips whole files. They are not even opened, unless their rows have to be counted.
func TestFoldersPrune(t *testing.T) {
	dir := partitioned(t, map[string]string{"day=2024-01-01/a/a.csv": "x\n1\n2\n", "day=2024-01-02/a/a.csv": "x\n3\n"})
	d := openWith(t, byFolders(dir, map[string]string{"day": "date"}))
	filter := d.NewSplitReader([]string{"day"}, func(_ int, b table.Bounds) bool { return b.Max < 19724 })
	rows := 0
	for split := range d.Splits() {
		if _, err := filter.Read(context.Background(), split, []string{"x"},
			func(b *table.Batch) error { rows += b.Rows; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if rows != 1 || !filter.Skips(0) || filter.Skips(1) {
		t.Errorf("%d rows were read, want 1", rows)
	}
	if filter.Counted = true; filter.Skips(0) {
		t.Error("a file is left out whose rows have to be counted")
	}
}

// The digest depends on the folder of a file.
func TestDigestsDependOnFolders(t *testing.T) {
	digest := func(folder string) string {
		d := openWith(t, byFolders(partitioned(t, map[string]string{folder + "/a/a.csv": "x\n1\n"}),
			map[string]string{"day": "date"}))
		read, err := d.Read(context.Background(), 0, []string{"x", "day"}, func(*table.Batch) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		again, err := d.Digest(context.Background(), 0, []string{"x", "day"})
		if err != nil || string(again) != string(read) {
			t.Errorf("digest %x, read %x, %v", again, read, err)
		}
		return string(read)
	}
	if digest("day=2024-01-01") == digest("day=2024-01-02") {
		t.Error("the digests are equal")
	}
}

// An input of which the filters keep no folder is refused, as one without files, unless nothing is asked about folders.
func TestNoFolderIsKept(t *testing.T) {
	dir := partitioned(t, map[string]string{
		"day=2024-01-01/town=S%C3%BCd/a.csv": "x\n1\n", "day=__HIVE_DEFAULT_PARTITION__/town=York/a.csv": "x\n1\n",
	})
	keeps := func(day int64, town string) func(table.Schema, *table.Batch) bool {
		return func(s table.Schema, b *table.Batch) bool {
			days, towns := b.Columns[s.Index("day")], b.Columns[s.Index("town")]
			return b.Rows == 1 && !days.IsNull(0) && days.Values.Ints[days.Index(0)] == day &&
				string(towns.Values.Bytes(towns.Index(0))) == town
		}
	}
	for name, c := range map[string]struct {
		keeps func(table.Schema, *table.Batch) bool
		found bool
	}{
		"no filter": {nil, true}, "kept": {keeps(19723, "Süd"), true},
		"another day": {keeps(19724, "Süd"), false}, "no folder has both": {keeps(19723, "York"), false},
	} {
		o := byFolders(dir, map[string]string{"day": "date", "town": "text"})
		o.Keeps = c.keeps
		d, err := source.Open(t.Context(), o)
		if err == nil {
			_ = d.Close() // nothing was read
		}
		for what, err := range map[string]error{"Open": err, "Exists": source.Exists(t.Context(), o)} {
			var e *fault.Error
			if found := err == nil; found != c.found || !found && (!errors.As(err, &e) || e.Code != fault.CodeNotFound) {
				t.Errorf("%s: %s: %v", name, what, err)
			}
		}
	}
}

func TestFoldersThatDoNotFit(t *testing.T) {
	dir := partitioned(t, map[string]string{"day=2024-01-01/a/a.csv": "x\n1\n", "day=soon/a/b.csv": "x\n1\n"})
	for name, c := range map[string]struct {
		types map[string]string
		want  string
	}{
		"no such folder": {map[string]string{"town": "text"}, "no folder of the file's path is called town=VALUE"},
		"no such value":  {map[string]string{"day": "date"}, `"day=soon" is not a value of the column's type`},
		"in the file":    {map[string]string{"x": "text"}, "no folder"},
		"no such type":   {map[string]string{"day": "dated"}, "is not a type"},
	} {
		_, err := source.Open(context.Background(), byFolders(dir, c.types))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}
