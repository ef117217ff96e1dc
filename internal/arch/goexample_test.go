package arch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The code on the page for Go programs equals the example that tests run.
func TestGoPageIsTheExample(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs/howto/go.md"))
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile(filepath.Join(root, "example_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, code, found := strings.Cut(string(page), "```go\n")
	code, _, _ = strings.Cut(code, "```")
	flat := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	if !found || len(code) < 200 || !strings.Contains(flat(string(example)), flat(code)) {
		t.Error("the code of docs/howto/go.md is not in example_test.go")
	}
}
