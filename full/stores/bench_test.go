package stores_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dprelease/dprelease/full/stores/storestest"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/table"
)

// BenchmarkInput reads two columns of 4 million rows, in turns from a file and from an S3 server on this machine. It
// reports time and the reader's own CPU time. The server uses the same cores, so compare CPU times, or leave a core to
// the server.
func BenchmarkInput(b *testing.B) {
	s := storestest.Start(b)
	b.Setenv("AWS_ENDPOINT_URL", s.Direct)
	content := storestest.Tables(b, 4_000_000)["t.parquet"]
	path := filepath.Join(b.TempDir(), "t.parquet")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		b.Fatal(err)
	}
	storestest.Put(b, "s3://bucket/t.parquet", content)
	took, used := map[string]time.Duration{}, map[string]time.Duration{}
	for b.Loop() {
		for name, file := range map[string]string{"file": path, "s3": "s3://bucket/t.parquet"} {
			from, cpu := time.Now(), processor()
			readAll(b, options(file))
			took[name] += time.Since(from)
			used[name] += processor() - cpu
		}
	}
	for name := range took {
		b.ReportMetric(float64(took[name].Milliseconds())/float64(b.N), "ms-"+name)
		b.ReportMetric(float64(used[name].Milliseconds())/float64(b.N), "cpu-ms-"+name)
	}
	b.ReportMetric(float64(len(bytes.TrimSpace(content)))/1e6, "MB")
}

// processor returns the CPU time of this process.
func processor() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func readAll(b *testing.B, o source.Options) {
	d, err := source.Open(b.Context(), o)
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	splits := make(chan int, d.Splits())
	for i := range d.Splits() {
		splits <- i
	}
	close(splits)
	var workers sync.WaitGroup
	for range o.Workers {
		workers.Go(func() {
			for i := range splits {
				sums := 0.0
				if _, err := d.Read(context.Background(), i, []string{"cat", "value"}, func(t *table.Batch) error {
					for _, v := range t.Columns[1].Values.Floats {
						sums += v
					}
					return nil
				}); err != nil {
					b.Error(err)
				}
			}
		})
	}
	workers.Wait()
}
