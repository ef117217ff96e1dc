package command

import (
	"bytes"
	"context"
	le "encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A preview opens no text file, and uses only the schema in the footer of a Parquet file: inputs with garbage
// elsewhere, the canary, are previewed, and the canary appears nowhere.
func TestPreviewReadsNoRow(t *testing.T) {
	quickstart, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "quickstart", "trips.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	job, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "quickstart", "job.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ file, content, job string }{
		"text":    {"in.csv", strings.Repeat(canary+"\n", 100), strings.Replace(canaryJob, "FILE", "in.csv", 1)},
		"packed":  {"in.csv.gz", strings.Repeat(canary, 100), strings.Replace(canaryJob, "FILE", "in.csv.gz", 1)},
		"Parquet": {"trips.parquet", onlyFooter(quickstart), string(job)},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("TMPDIR", dir)
			put(t, filepath.Join(dir, c.file), c.content)
			put(t, filepath.Join(dir, "job.yaml"), c.job)
			var stdout, stderr bytes.Buffer
			args := []string{"preview", filepath.Join(dir, "job.yaml"), "--rows", "500", "--out", filepath.Join(dir, "look")}
			if code := execute(context.Background(), args, &stdout, &stderr); code != 0 {
				t.Fatalf("exit %d\n%s%s", code, &stdout, &stderr)
			}
			if strings.Contains(stdout.String()+stderr.String(), canary) {
				t.Error("the canary is in the output")
			}
			search(t, dir, c.file)
			if _, err := os.Stat(filepath.Join(dir, "ledger.db")); err == nil {
				t.Error("the job's ledger was made")
			}
		})
	}
}

// onlyFooter overwrites all of a Parquet file but its magic and its footer with the canary.
func onlyFooter(file []byte) string {
	out := bytes.Clone(file)
	footer := int(le.LittleEndian.Uint32(out[len(out)-8:]))
	for i := 4; i < len(out)-8-footer; i++ {
		out[i] = canary[i%len(canary)]
	}
	return string(out)
}
