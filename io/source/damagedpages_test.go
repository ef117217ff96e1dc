package source_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source"
)

// pagesEnd is where a file's pages end, behind which its page index may be and then the footer.
func pagesEnd(t testing.TB, content []byte) int {
	end := int64(0)
	refooted(t, content, func(m *format.FileMetaData) {
		for _, g := range m.RowGroups {
			for _, c := range g.Columns {
				start := c.MetaData.DataPageOffset
				if c.MetaData.DictionaryPageOffset > 0 {
					start = c.MetaData.DictionaryPageOffset
				}
				end = max(end, start+c.MetaData.TotalCompressedSize)
			}
		}
	})
	return int(end)
}

// checksummedPages writes rows in pages whose headers have checksums and no statistics: those are in the page index.
func checksummedPages(t testing.TB, rows []paged, version int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[paged](&b, parquet.DataPageVersion(version), parquet.PageBufferSize(300), parquet.DataPageStatistics(false),
		parquet.MaxRowsPerRowGroup(200), parquet.Compression(&parquet.Snappy))
	for part := range slices.Chunk(rows, 8) {
		if _, err := w.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Damage to a file of which pages are passed over is an error, or changes no row that is wanted if it is in the pages. In the
// index, which has no checksum, it is an error or believed.
func TestDamageUnderConditions(t *testing.T) {
	rng := rand.New(rand.NewSource(5))
	rows := pagedRows(rng, 300)
	conditions := []condition{drawCondition(rng, len(rows)), {fromTo("id", 40, 140), func(r *paged) bool { return r.ID >= 40 && r.ID <= 140 }}}
	for name, content := range map[string][]byte{
		"one": checksummedPages(t, rows, 1), "two": checksummedPages(t, rows, 2), "arrow": pagedArrow(t, rng, rows),
	} {
		path := filepath.Join(t.TempDir(), name+".parquet")
		end, seen := pagesEnd(t, content), map[string]int{}
		want := wantedRows(t, content, rows, conditions)
		for i := range damages() {
			b, at := damaged(content, i), rng.Intn(end)
			if i%4 == 3 {
				at = end + rng.Intn(len(content)-end) // in the index, or the footer
			}
			if i%2 == 1 {
				b = bytes.Clone(content)
				b[at] ^= 1 << rng.Intn(8)
			}
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			before := allocated()
			got, err := wantedIn(path, conditions)
			if used := allocated() - before; used > 100<<20 {
				t.Errorf("%s, damage %d: %d MiB were allocated", name, i, used>>20)
			}
			seen[verdict(t, fmt.Sprintf("%s, damage %d", name, i), err)]++
			inPages := len(b) == len(content) && bytes.Equal(b[end:], content[end:])
			if err == nil && inPages && name != "arrow" && !equal(fulfilling(got, rows, conditions), want) {
				t.Errorf("%s, damage %d: wrong rows without an error", name, i)
			}
		}
		t.Logf("%s: %v", name, seen)
	}
}

// wantedIn reads the rows of a file that may fulfil conditions.
func wantedIn(path string, conditions []condition) ([][]any, error) {
	d, err := openIn("", source.CSV{}, path)
	if err != nil {
		return nil, err
	}
	var all []wanted
	for _, c := range conditions {
		all = append(all, c.wanted)
	}
	rows, _, err := selected(d, pagedColumns, all...)
	return rows, err
}

// fulfilling returns those of some rows, with their ids first, that fulfil conditions.
func fulfilling(got [][]any, rows []paged, conditions []condition) [][]any {
	return slices.DeleteFunc(got, func(row []any) bool {
		id := row[0].(int64)
		return id >= 0 && id < int64(len(rows)) && slices.ContainsFunc(conditions, func(c condition) bool { return !c.holds(&rows[id]) })
	})
}

// wantedRows are the rows of a sound file that fulfil conditions.
func wantedRows(t *testing.T, content []byte, rows []paged, conditions []condition) [][]any {
	t.Helper()
	d := open(t, source.CSV{}, write(t, "sound.parquet", content))
	_, out, err := selected(d, pagedColumns, conditions[1].wanted)
	if err != nil || out.pages == 0 {
		t.Fatalf("%+v left out, %v", out, err)
	}
	return fulfilling(read(t, d, pagedColumns...), rows, conditions)
}
