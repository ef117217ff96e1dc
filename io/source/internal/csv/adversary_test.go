//go:build check

package csv_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/source/internal/csv"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/io/table/tabletest"
	"github.com/dprelease/dprelease/pipeline/isolationtest"
	"github.com/dprelease/dprelease/pipeline/stabilitytest"
)

// pieces reads a file in pieces of the given length, in any order, by several workers.
func pieces(t *testing.T, path string, o textfile.CSV, columns []string, length int64, workers int,
	r *rand.Rand) (rows [][]any, blank int64) {
	t.Helper()
	f, err := csv.OpenPieces(t.Context(), path, o, length)
	if err != nil {
		t.Fatal(err)
	}
	found, blanks := make([][][]any, f.Splits()), make([]int64, f.Splits())
	g, ctx := errgroup.WithContext(t.Context())
	g.SetLimit(workers)
	for _, i := range r.Perm(f.Splits()) {
		g.Go(func() error {
			sum, err := f.Read(ctx, i, columns, 0, func(b *table.Batch) error {
				found[i] = append(found[i], tabletest.Rows(b)...)
				return nil
			})
			blanks[i] = sum.Blank
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, b := range blanks {
		blank += b
	}
	return slices.Concat(found...), blank
}

// Adversarial files have the same rows and skipped lines for any length of pieces and any number of workers.
func TestPiecesOfAdversary(t *testing.T) {
	owntest.Slow(t)
	n := stabilitytest.Pairs(t, 600, 100_000)
	dir := stabilitytest.Folder(t)
	for number, tried := uint64(0), 0; tried < n; number++ {
		r := rand.New(rand.NewPCG(stabilitytest.Seed(t), number))
		f, ok := isolationtest.DrawText(r, "csv")
		if !ok {
			continue
		}
		for range 10 {
			c := isolationtest.Draw(f, r, "")
			if err := c.Put(dir); err != nil {
				t.Fatal(err)
			}
			o, columns, _ := f.Options(filepath.Join(dir, "both"), 1)
			path := filepath.Join(o.Dir, o.Files[0])
			if strings.HasPrefix(o.CSV.Encoding, "utf-16") || !slices.Contains([]string{".csv", ".txt", ".data", ".x"},
				strings.ToLower(filepath.Ext(path))) {
				break
			}
			tried++
			want, blank := pieces(t, path, o.CSV, columns, 1<<30, 1, r)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			length := 1 + int64(len("\uFEFF")) + r.Int64N(40)
			if o.CSV.Comment != 0 && o.CSV.Header {
				length += 40 // the header begins in the first piece
			}
			if len(text) > 1000 {
				length = 1 + r.Int64N(int64(len(text)))
			}
			workers := 1 + r.IntN(3)
			rows, skipped := pieces(t, path, o.CSV, columns, length, workers, r)
			if !slices.EqualFunc(rows, want, slices.Equal[[]any]) || skipped != blank {
				t.Fatalf("seed %d, number %d: pieces of %d bytes by %d workers: %d rows and %d skipped lines, want %d and "+
					"%d\n%s\n%q\n%q\nwant %q",
					stabilitytest.Seed(t), number, length, workers, len(rows), skipped, len(want), blank, f, text, rows, want)
			}
		}
	}
}
