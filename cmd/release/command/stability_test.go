package command

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/internal/runjob"
	"github.com/dprelease/dprelease/pipeline/showntest"
	"github.com/dprelease/dprelease/pipeline/stabilitytest"
)

// For neighbouring tables, the command has the same output if it draws the same noise: exit code, stderr, log, ledger,
// file names, and the manifest except for noisy values. It runs twice on each table, in a folder of the same name.
func TestStabilityOfCommand(t *testing.T) {
	owntest.Slow(t)
	jobs := uint64(4)
	if testing.Short() {
		jobs = 2
	}
	if long() {
		jobs = 1000
	}
	dir := filepath.Join(t.TempDir(), "job") // the same for all runs: messages and ledgers name it
	s := stabilitytest.Search{Seed: stabilitytest.Seed(t) + 1<<20, Writers: stabilitytest.Writers()}
	for n := range jobs {
		job, _ := stabilitytest.Draw(rand.New(rand.NewPCG(s.Seed, n)))
		c := s.Case(job, n, 0)
		for _, log := range [][]string{{"--quiet"}, {"--log", "json"}} {
			var shown [2]showntest.Lines
			fits := true
			for i := range 2 {
				fits = fits && command(t, dir, c, i, &shown[i], log...)
			}
			if what := shown[0].Difference(&shown[1]); fits && what != "" {
				t.Fatal(&stabilitytest.Finding{What: "the commands differ: " + what, Case: c})
			}
		}
	}
}

// command runs the job of a case on one of its tables, in a folder that it makes and removes. false: the writer does not
// have the types that the job needs.
func command(t *testing.T, dir string, c *stabilitytest.Case, i int, shown *showntest.Lines, args ...string) bool {
	t.Helper()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for name, text := range stabilitytest.Public {
		put(t, filepath.Join(dir, name), text)
	}
	job := filepath.Join(dir, "job.yaml")
	put(t, job, c.Job.YAML(stabilitytest.Files(c.Writer, c.Pair.Files)...))
	if err := c.Put(dir, i); err != nil {
		return false
	}
	for seed := range uint64(2) {
		// the number of random bits that the run before drew may depend on the rows; nobody sees that
		mechanismtest.FixRandom(t, seed)
		var stdout, stderr bytes.Buffer
		code := execute(t.Context(), append([]string{"run", job, "--workers", "2", "--memory-limit", "1GiB"}, args...),
			&stdout, &stderr)
		if code == exitUsage && strings.Contains(stderr.String(), "does not fit the input") {
			return false
		}
		if code != exitDone {
			t.Errorf("exit code %d: %s", code, &stderr)
		}
		shown.Addf("exit code %d", code)
		showLog(t, shown, stderr.Bytes())
		if args[0] == "--quiet" && stdout.Len() > 0 {
			t.Errorf("stdout: %s", &stdout)
		}
	}
	book, err := runjob.OpenStore(t.Context(), "sqlite:"+filepath.Join(dir, "ledger.db"), false)
	if err == nil {
		err = shown.Ledger(t.Context(), book)
		_ = book.Close()
	}
	if err == nil { // the ledger's newest entry depends on the time
		err = shown.Folder(dir, "ledger")
	}
	if err != nil {
		t.Fatal(err)
	}
	return true
}

// showLog shows the lines of stderr, without times and without warnings that follow from the noisy answers alone.
func showLog(t *testing.T, shown *showntest.Lines, stderr []byte) {
	t.Helper()
	for line := range bytes.Lines(stderr) {
		if bytes.Contains(line, []byte("noisy answer cannot be told from the answer of an empty table")) {
			continue
		}
		if line[0] == '{' {
			var err error
			if line, err = showntest.Masked(line, "time", "manifest_sha256"); err != nil {
				t.Fatal(err)
			}
		}
		shown.Addf("stderr %s", line)
	}
}
