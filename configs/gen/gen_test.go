package gen

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/configs"
)

var update = flag.Bool("update", false, "write the generated files")

// generated makes the files from the sources of package configs.
func generated(t *testing.T) map[string][]byte {
	t.Helper()
	t.Chdir("..")
	files, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestGeneratedFilesAreCurrent(t *testing.T) {
	for name, want := range generated(t) {
		if *update {
			if err := os.WriteFile(name, want, 0o644); err != nil { //nolint:gosec // public documentation
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(name)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not current (%v): run go generate ./configs", filepath.Join("configs", name), err)
		}
	}
}

func TestSchemaIsEmbedded(t *testing.T) {
	if !*update && !bytes.Equal(generated(t)["job.schema.json"], configs.Schema()) {
		t.Error("configs.Schema is not the generated schema: run go generate ./configs")
	}
}

// Every key has a description and, if its type does not say all, an example or a default.
func TestEveryKeyIsDocumented(t *testing.T) {
	t.Chdir("..")
	d, err := readDocs()
	if err != nil {
		t.Fatal(err)
	}
	types, _ := structs()
	if len(types) < 15 {
		t.Errorf("only %d structs were found", len(types))
	}
	for _, typ := range types {
		if d.commentOf(typ, "") == "" {
			t.Errorf("%s has no comment", typ.Name())
		}
		for _, f := range fieldsOf(typ, d) {
			if !strings.HasSuffix(f.text, ".") || f.tag.Get("example") == "" && f.tag.Get("default") == "" {
				t.Errorf("%s.%s: a sentence and an example or default: %q", typ.Name(), f.key, f.text)
			}
			if known := words(f.tag.Get("enum")); known != nil && f.typ.Kind() != reflect.String &&
				f.typ.Kind() != reflect.Slice {
				t.Errorf("%s.%s: an enum of no texts", typ.Name(), f.key)
			}
		}
	}
}

func TestCommentsLoseTheirGoName(t *testing.T) {
	for _, c := range []struct{ comment, name, want string }{
		{"Epsilon bounds the loss.", "Epsilon", "Bounds the loss."}, {"Name of the release.", "Name", "Name of the release."},
		{"Edges are ascending.", "Edges", "Ascending."}, {"Other text.", "Name", "Other text."}, {"", "Name", ""},
	} {
		if got := sentence(c.comment, c.name); got != c.want {
			t.Errorf("%q became %q", c.comment, got)
		}
	}
}
