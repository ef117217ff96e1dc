package command

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/internal/runjob"
	"github.com/rogpeppe/go-internal/testscript"
)

// main is the program. It does not read its own file for its digest: the tests' program is large, and they start it
// hundreds of times.
func main() {
	runjob.ExecutableDigest = func() string { return strings.Repeat("0", 64) }
	os.Exit(Main())
}

func TestMain(m *testing.M) {
	if os.Getenv(asRelease) != "" {
		main()
	}
	testscript.Main(m, map[string]func(){"release": main})
}

// concurrent are the scripts that the short tests run, for the race detector: workers that spill rows of units, checks
// that run in parallel to the queries, and a stream that is copied. The others run the same goroutines.
var concurrent = []string{"datachecks", "spilled", "stdin"}

// Each script runs the program as a user would. `code N release …` expects exit code N.
func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if testing.Short() {
		scripts = scripts[:0]
		for _, name := range concurrent {
			scripts = append(scripts, filepath.Join("testdata", name+".txtar"))
		}
	}
	testscript.Run(t, testscript.Params{
		Files: scripts,
		Setup: func(env *testscript.Env) error {
			return copyQuickstart(filepath.Join(env.WorkDir, "quickstart"))
		},
		// [!check] skip leaves a script to make check, and [!long] stop the rest of one to the long tests.
		Condition: func(name string) (bool, error) {
			switch name {
			case "check":
				return owntest.Checking(), nil
			case "long":
				return long(), nil
			}
			return false, fmt.Errorf("there is no condition %s", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": code, "truncate": truncate, "rows": rows, "flip": flip, "cutledger": cutLedger, "replace": replace,
			"glob": glob, "messy": messy, "mended": mended,
		},
	})
}

func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N command args…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// glob checks that each pattern has a match: glob PATTERN…; ! glob checks that none has one. (exists takes names, not
// patterns.)
func glob(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 {
		ts.Fatalf("usage: [!] glob PATTERN…")
	}
	for _, pattern := range args {
		found, err := filepath.Glob(ts.MkAbs(pattern))
		ts.Check(err)
		if neg != (len(found) == 0) {
			ts.Fatalf("%s matches %q", pattern, found)
		}
	}
}

// rows writes a CSV table of N rows of different units.
func rows(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: rows FILE N")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	text := []byte("u,x\n")
	for i := range n {
		text = append(strconv.AppendInt(text, int64(i), 10), ',', "abc"[i%3], '\n')
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), text, 0o600))
}

// truncate keeps the first N bytes of a file.
func truncate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: truncate FILE N")
	}
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), n))
}

func copyQuickstart(dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	for _, name := range []string{"job.yaml", "trips.parquet"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "quickstart", name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// notShort skips a test of many processes, or of many small changes, in short mode, as with the race detector: the
// scripts run the same code there.
func notShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs without -short")
	}
}
