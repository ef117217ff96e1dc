package stores_test

import (
	"cmp"
	"fmt"
	"io"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/dprelease/dprelease/full/stores/storestest"
)

// tableVariable names a Parquet file that BenchmarkJob reads instead of its own. It has the columns unit (integers),
// category (strings) and value.
const tableVariable = "DPRELEASE_STORES_TABLE"

// benchJobs are the jobs of BenchmarkJob, without the lines that all have: one that computes little for each byte, one
// that sums numbers, and one that bounds the rows of units.
var benchJobs = []struct{ name, text string }{
	{"histogram", `privacy: {epsilon: 1, delta: 1e-6, unit: row}
queries:
  - {name: counts, histogram: {by: [{column: value, edges: [0, 5, 10, 15, 20, 30, 50, 100]}]}}
`},
	{"mean", `privacy: {epsilon: 1, delta: 1e-6, unit: row}
queries:
  - {name: means, mean: {column: value, clamp: [0, 100], by: [{column: category, values: ["category 0000", "category 0001", "category 0002"]}]}}
`},
	{"bounded", `privacy: {epsilon: 1, delta: 1e-6, unit: [unit], per_unit: {max_rows: 4}}
queries:
  - {name: counts, histogram: {by: [{column: value, edges: [0, 5, 10, 15, 20, 30, 50, 100]}]}}
`},
}

// BenchmarkJob runs whole jobs (release run, a process each) over 10 million rows, in turns with the file on this
// machine and in an S3 server on this machine. It reports the medians of the elapsed time, of the CPU time of our
// process and of the CPU time of the server (which shares the cores) in ms, and the ratio of file to S3.
func BenchmarkJob(b *testing.B) {
	s := storestest.Start(b)
	b.Setenv("AWS_ENDPOINT_URL", s.Direct)
	dir := b.TempDir()
	path := filepath.Join(dir, "t.parquet")
	if from := os.Getenv(tableVariable); from != "" {
		if err := os.Symlink(from, path); err != nil {
			b.Fatal(err)
		}
	} else {
		writeRows(b, path, 10_000_000, 10)
	}
	upload(b, path)
	for _, j := range benchJobs {
		b.Run(j.name, func(b *testing.B) {
			compare(b, s, fmt.Sprintf("{files: [%q]}", path), `{files: ["s3://bucket/t.parquet"]}`, j.text)
		})
	}
}

// compare runs a job in turns over a file and over an object.
func compare(b *testing.B, s *storestest.Server, local, remote, text string) {
	b.Helper()
	var file, object []spent
	for n := 0; b.Loop(); n++ {
		a := func() { file = append(file, runJob(b, s, local, text)) }
		c := func() { object = append(object, runJob(b, s, remote, text)) }
		if n%2 == 0 {
			a()
			c()
		} else {
			c()
			a()
		}
	}
	f, r := medians(file), medians(object)
	for name, d := range map[string]time.Duration{
		"ms-file": f.wall, "ms-s3": r.wall, "cpu-ms-file": f.own, "cpu-ms-s3": r.own, "cpu-ms-server": r.server,
	} {
		b.ReportMetric(float64(d.Milliseconds()), name)
	}
	b.ReportMetric(float64(f.own)/float64(r.own), "cpu-file/s3")
	b.ReportMetric(float64(f.wall)/float64(r.wall), "file/s3")
}

// writeRows writes a table of n rows in the given number of row groups. One unit in two hundred has a tenth of the
// rows.
func writeRows(b *testing.B, path string, n, groups int) {
	b.Helper()
	type row struct {
		Unit     int64   `parquet:"unit"`
		Category string  `parquet:"category,dict,optional"`
		Value    float64 `parquet:"value"`
	}
	rng := rand.New(rand.NewSource(1))
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := parquet.NewGenericWriter[row](f, parquet.MaxRowsPerRowGroup(int64(n/groups)),
		parquet.Compression(&parquet.Snappy))
	rows := make([]row, 10_000)
	for range n / len(rows) {
		for i := range rows {
			rows[i].Unit, rows[i].Category, rows[i].Value = drawRow(rng, n)
		}
		if _, err := w.Write(rows); err != nil {
			b.Fatal(err)
		}
	}
	if err := cmp.Or(w.Close(), f.Close()); err != nil {
		b.Fatal(err)
	}
}

// upload uploads a file to the top of the bucket.
func upload(b *testing.B, path string) {
	b.Helper()
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	w, a := storestest.Writer(b, "s3://bucket/"+filepath.Base(path))
	if err := cmp.Or(err, w.Put(b.Context(), a.Key, "application/octet-stream", f, size, nil)); err != nil {
		b.Fatal(err)
	}
}

// spent is what a run took: elapsed time, and CPU time of our process and of the server.
type spent struct{ wall, own, server time.Duration }

func medians(runs []spent) spent {
	median := func(of func(spent) time.Duration) time.Duration {
		var all []time.Duration
		for _, r := range runs {
			all = append(all, of(r))
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	return spent{
		median(func(s spent) time.Duration { return s.wall }), median(func(s spent) time.Duration { return s.own }),
		median(func(s spent) time.Duration { return s.server }),
	}
}

// runJob runs a job over an input, with a ledger of its own.
func runJob(b *testing.B, s *storestest.Server, input, text string) spent {
	b.Helper()
	dir := b.TempDir()
	job := filepath.Join(dir, "job.yaml")
	text = fmt.Sprintf("version: 1\nname: bench\ninput: %s\noutput: {dir: out}\n"+
		"ledger: {store: \"sqlite:ledger.db\", dataset: bench, budget: {epsilon: 1, delta: 1e-6}}\n", input) + text
	if err := os.WriteFile(job, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "run", job)
	cmd.Env = append(os.Environ(), asRelease+"=1")
	before, from := processorOf(s), time.Now()
	out, err := cmd.CombinedOutput()
	took := time.Since(from)
	if err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return spent{took, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), processorOf(s) - before}
}

// processorOf returns the CPU time of the server, which Linux reports in steps of 10 ms; 0 elsewhere.
func processorOf(s *storestest.Server) time.Duration {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.PID))
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}
