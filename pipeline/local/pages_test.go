package local_test

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	arrowparquet "github.com/apache/arrow/go/v17/parquet"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

// inPages writes a table in one row group of small pages, with a page index or with statistics in the pages' headers.
func inPages(t *testing.T, rows []person) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for name, version := range map[string]int{"one.parquet": 1, "two.parquet": 2} {
		var b bytes.Buffer
		w := parquet.NewGenericWriter[person](&b, parquet.DataPageVersion(version), parquet.PageBufferSize(500*version), parquet.DataPageStatistics(version == 1))
		for part := range slices.Chunk(rows, 7) {
			if _, err := w.Write(part); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		out[name] = b.Bytes()
	}
	out["arrow.parquet"] = pqarrowOf(t, recordOf(rows), arrowparquet.WithDataPageSize(400), arrowparquet.WithBatchSize(50))
	return out
}

// Answers are those of all rows, units over their bounds included, where filters rule out pages.
func TestSkippedPagesChangeNothing(t *testing.T) {
	rows := people(4000)
	slices.SortFunc(rows, func(a, b person) int { return cmp.Compare(a.At, b.At) })
	all := inPages(t, rows)
	all["text.csv"] = csvOf(t, rows)
	dir := t.TempDir()
	for name, content := range all {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const window = `{column: at, from: "2013-01-02T00:00:00", for: 6d}`
	counted := strings.Replace(formatsJob, "queries:", "queries:\n  - {name: all, count: {}}\n", 1)
	for _, filters := range []string{
		window, `{column: at, from: "2013-01-04T06:00:00", for: 3h}`, window + `, {column: colour, in: [red]}`,
		window + `, {column: at, before: "2013-01-03T00:00:00"}, {column: income, min: 20.5, max: 70}, {column: day, from: "2013-01-04"}`,
		`{column: at, from: "2013-01-02T00:00:00", for: 1h}, {column: at, from: "2013-01-08T00:00:00"}`,
	} {
		job := strings.Replace(counted, window, filters, 1)
		want, _ := exactlyOf(t, filepath.Join(dir, "text.csv"), job, 1)
		for name := range all {
			got, scan := exactlyOf(t, filepath.Join(dir, name), job, 2)
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %s: %s", filters, name, diff)
			}
			if indexed := name == "one.parquet" || name == "two.parquet"; indexed != (scan.Pages.Skipped > 0) {
				t.Errorf("%s, %s: %+v", filters, name, scan.Pages)
			}
		}
	}
}
