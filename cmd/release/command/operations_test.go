package command

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// The build command in the Dockerfile makes one static binary, without cgo, that runs.
func TestDockerfile(t *testing.T) {
	if !long() || runtime.GOOS != "linux" {
		t.Skip("builds the whole program anew: with DPRELEASE_LONG, on Linux")
	}
	root := filepath.Join("..", "..", "..")
	text, err := os.ReadFile(filepath.Join(root, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nFROM scratch\n", "\nCOPY --from=build /etc/ssl/certs/ca-certificates.crt ",
		"\nUSER 65534:65534\n", "\nENTRYPOINT [\"/release\"]\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the Dockerfile lacks %q", want)
		}
	}
	build := regexp.MustCompile(`(?m)^RUN (.*go build .*) -o /release (\S+)$`).FindStringSubmatch(string(text))
	if build == nil {
		t.Fatal("the Dockerfile has no build command")
	}
	binary := filepath.Join(t.TempDir(), "release")
	cmd := exec.Command("sh", "-c", build[1]+" -o "+binary+" "+build[2])
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f, err := elf.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("the binary needs a dynamic linker")
		}
	}
	if out, err := exec.Command(binary, "version").CombinedOutput(); err != nil ||
		!strings.HasPrefix(string(out), "dprelease ") {
		t.Errorf("%v\n%s", err, out)
	}
}

// The DAG of the example is Python.
func TestAirflowExample(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	dag := filepath.Join("..", "..", "..", "examples", "airflow", "dag.py")
	if out, err := exec.Command(python, "-c", "import ast, sys; ast.parse(open(sys.argv[1]).read())",
		dag).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
