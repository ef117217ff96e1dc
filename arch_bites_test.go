package dprelease_test

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"
)

// sample is a small tree that breaks one rule, and exactly the violations that the rule must report.
type sample struct {
	rule, tree string
	want       []string
}

var samples = []sample{
	{"layers", `
-- calibrate/a.go --
package calibrate
import "m.org/m/ledger"
-- queries/a.go --
package queries
import ("fmt"; "m.org/m/calibrate"; "m.org/m/calibrate/methods"; "m.org/m/mechanism"; "m.org/m/configs")
-- calibrate/methods/a.go --
package methods
import ("m.org/m/calibrate"; "m.org/m/calibrate/internal/numeric"; "m.org/m/ledger")
-- queries/a_test.go --
package queries_test
import "m.org/m/configs"
-- pipeline/local/a_windows.go --
package local
import "m.org/m/ledger"
-- mechanism/a.go --
package mechanism
import ("m.org/m/mechanism/internal/gauss"; "m.org/m/mechanism/mechanismtest")
-- mechanism/internal/gauss/a.go --
package gauss
import "m.org/m/queries"
-- mechanism/internal/gen/main.go --
package main
import "m.org/m/mechanism/internal/gauss"
-- mechanism/selftest/a.go --
package selftest
import ("m.org/m/mechanism/internal/gauss"; "m.org/m/ledger")
-- pipeline/enginetest/a.go --
package enginetest
import ("m.org/m/mechanism/mechanismtest"; "m.org/m/pipeline"; "m.org/m/io/source"; "m.org/m/io/sink")
-- cmd/release/a.go --
package main
import ("m.org/m/io/sink"; "m.org/m/pipeline/pipelinetest")
-- io/source/a.go --
package source
import ("m.org/m/io/source/internal/csv"; "m.org/m/io/table")
-- io/source/internal/csv/a.go --
package csv
import ("m.org/m/io/source/internal/scan"; "m.org/m/io/source/internal/parquet"; "m.org/m/io/table")
-- helpers/a.go --
package helpers
`, []string{
		"calibrate/a.go:2: calibrate may not import ledger",
		"queries/a.go:2: queries may not import calibrate/methods",
		"queries/a.go:2: queries may not import configs",
		"calibrate/methods/a.go:2: calibrate/methods may not import ledger",
		"pipeline/local/a_windows.go:2: pipeline/local may not import ledger",
		"mechanism/a.go:2: mechanism may not import mechanism/mechanismtest",
		"mechanism/internal/gauss/a.go:2: mechanism/internal/gauss may not import queries",
		"mechanism/selftest/a.go:2: mechanism/selftest may not import ledger",
		"pipeline/enginetest/a.go:2: pipeline/enginetest may not import io/sink",
		"cmd/release/a.go:2: cmd/release may not import pipeline/pipelinetest",
		"io/source/internal/csv/a.go:2: io/source/internal/csv may not import io/source/internal/parquet",
		"helpers/a.go:1: package helpers is not in the table of layers",
	}},
	{"pure", `
-- calibrate/a.go --
package calibrate
import ("math"; "log/slog")
-- calibrate/a_test.go --
package calibrate
import "os"
-- mechanism/a.go --
package mechanism
import "m.org/m/ledger"
-- mechanism/internal/gen/main.go --
package main
import "os"
-- ledger/a.go --
package ledger
import "net/http"
-- io/table/a.go --
package table
import "unsafe"
-- io/source/a.go --
package source
import "os"
`, []string{
		"calibrate/a.go:2: calibrate reaches log/slog",
		"ledger/a.go:2: mechanism reaches net/http",
		"io/table/a.go:2: io/table reaches unsafe",
	}},
	{"trusted base", `
-- calibrate/a.go --
package calibrate
import "gonum.org/v1/gonum/mathext"
-- calibrate/a_test.go --
package calibrate
import "gonum.org/v1/gonum/mathext"
-- mechanism/internal/gauss/a.go --
package gauss
import ("crypto/rand"; "m.org/m/calibrate"; "golang.org/x/sync/errgroup")
-- mechanism/mechanismtest/a.go --
package mechanismtest
import "pgregory.net/rapid"
-- ledger/sqlstore/a.go --
package sqlstore
import "modernc.org/sqlite"
`, []string{
		"calibrate/a.go:2: the trusted base imports gonum.org/v1/gonum/mathext",
		"mechanism/internal/gauss/a.go:2: the trusted base imports golang.org/x/sync/errgroup",
	}},
	{"test libraries", `
-- io/source/a.go --
package source
import ("github.com/apache/arrow/go/v17/parquet/pqarrow"; "github.com/apache/arrow/go/v17/arrow/ipc"; "testing")
-- io/source/sourcetest/a.go --
package sourcetest
import ("pgregory.net/rapid"; "testing")
`, []string{
		"io/source/a.go:2: github.com/apache/arrow/go/v17/parquet/pqarrow is for tests",
		"io/source/a.go:2: testing is for tests",
	}},
	{"random", `
-- queries/a.go --
package queries
import "math/rand"
-- pipeline/enginetest/a.go --
package enginetest
import r "math/rand/v2"
-- examples/x/gen/main.go --
package main
import "math/rand/v2"
-- queries/a_test.go --
package queries
import "math/rand/v2"
`, []string{
		"queries/a.go:2: math/rand outside tests and examples",
	}},
	{"then", `
-- pipeline/a.go --
package pipeline
func f(n N) { n.Then("x", nil) }
var g = N.Then
var h = N.ThenEach
-- pipeline/a_test.go --
package pipeline
func h(n N) { n.Then("x", nil) }
-- denoise/a.go --
package denoise
func f(n N) { n.Then("x", nil) }
-- mechanism/a_test.go --
package mechanism
func f(n N) { n.Then("x", nil) }
`, []string{
		"pipeline/a.go:2: only denoise calls Then",
		"pipeline/a.go:3: only denoise calls Then",
		"pipeline/a.go:4: only denoise calls ThenEach",
		"pipeline/a_test.go:2: only denoise calls Then",
	}},
	{"published", `
-- pipeline/protocol/a.go --
package protocol
import "github.com/dprelease/dprelease/mechanism"
var f = mechanism.Published
-- pipeline/protocol/a_test.go --
package protocol
import m "github.com/dprelease/dprelease/mechanism"
var f, g = m.Published, m.ErrPublished
-- denoise/a.go --
package denoise
import "github.com/dprelease/dprelease/mechanism"
func f() { mechanism.PublishedKeys() }
-- mechanism/mechanismtest/a.go --
package mechanismtest
import "github.com/dprelease/dprelease/mechanism"
func f() { mechanism.Published() }
`, []string{
		"denoise/a.go:3: only pipeline/protocol calls mechanism.PublishedKeys",
		"mechanism/mechanismtest/a.go:3: only pipeline/protocol calls mechanism.Published",
		"pipeline/protocol/a_test.go:3: only pipeline/protocol calls mechanism.Published",
	}},
	{"exits", `
-- queries/a.go --
package queries
import (o "os"; "log"; . "fmt")
func f() {
	o.Exit(1)
	log.Fatalf("x")
	panic("x")
}
-- cmd/release/verb.go --
package main
import "os"
func f() { os.Exit(1) }
-- cmd/release/main.go --
package main
import "os"
func main() { os.Exit(1) }
-- configs/gen/main.go --
package main
import "os"
func main() { os.Exit(1); panic("x") }
-- examples/x/main.go --
package main
import "os"
func main() { os.Exit(1) }
-- examples/x/other.go --
package main
import "os"
func f() { os.Exit(1) }
-- queries/a_test.go --
package queries
func f() { panic("x") }
`, []string{
		"queries/a.go:2: a dot import hides where names come from",
		"queries/a.go:4: os.Exit: return an error",
		"queries/a.go:5: log.Fatalf: return an error",
		"queries/a.go:6: panic: return an error",
		"cmd/release/verb.go:3: os.Exit: return an error",
		"configs/gen/main.go:3: panic: return an error",
		"examples/x/other.go:3: os.Exit: return an error",
	}},
	{"within", `
-- pipeline/local/audit.go --
package local
import "m.org/m/mechanism"
func f() { mechanism.Within() }
-- pipeline/local/local.go --
package local
import m "m.org/m/mechanism"
func f() { m.Within() }
-- other/a.go --
package other
func f() { Within() }
`, []string{"pipeline/local/local.go:3: only pipeline/local/audit.go calls mechanism.Within"}},
	{"states", `
-- pipeline/partial/part.go --
package partial
import "m.org/m/queries"
func f() { queries.Save() }
-- pipeline/local/local.go --
package local
import "m.org/m/queries"
func f() { queries.SaveRows(); queries.Load() }
`, []string{"pipeline/local/local.go:3: only pipeline/partial calls queries.SaveRows"}},
	{"prints", `
-- io/sink/a.go --
package sink
import "fmt"
func f() { fmt.Println(); println(); fmt.Sprint() }
-- cmd/release/a.go --
package main
import "fmt"
func f() { fmt.Println() }
`, []string{
		"io/sink/a.go:3: fmt.Println: a library prints nothing",
		"io/sink/a.go:3: println: a library prints nothing",
	}},
	{"documented", `
-- report/a.go --
package report
type T struct{}
func (t *T) M() {}
func (t *G[K]) M() {}
type u struct{}
func (u) M() {}
const (
	A = 1 // a
	B = 2
)
// C and D.
var (
	C int
	D int
)
-- report/gen.go --
// Code generated by gen. DO NOT EDIT.

package report
type Generated struct{}
`, []string{
		"report/a.go:1: package report has no comment",
		"report/a.go:2: T has no comment",
		"report/a.go:3: M has no comment",
		"report/a.go:4: M has no comment",
		"report/a.go:9: B has no comment",
	}},
	{"file size", "-- a/a.go --\npackage a\n" + lines(500) +
		"-- a/a_test.go --\npackage a\n" + lines(500) +
		"-- a/ok.go --\npackage a\n" + lines(499) +
		"-- a/table.go --\npackage a\nvar t = []int{\n" + lines(600) + "}\n" +
		"-- a/generated.go --\n// Code generated by gen. DO NOT EDIT.\n\npackage a\n" + lines(600), []string{
		"a/a.go: 501 lines without tables, at most 500",
		"a/a_test.go: 501 lines without tables, at most 500",
	}},
	{"function size", "-- a/a.go --\npackage a\nfunc f() {\n" + lines(59) + "}\n" +
		"func ok() {\n" + lines(58) + "}\n" +
		"var g = func() {\n" + lines(59) + "}\n" +
		"func table() {\n_ = []int{\n" + lines(60) + "}\n}\n" +
		"func closures() {\n_ = []func(){func() {\n" + lines(60) + "}}\n}\n", []string{
		"a/a.go:2: a function of 61 lines without tables, at most 60",
		"a/a.go:123: a function of 61 lines without tables, at most 60",
		"a/a.go:248: a function of 64 lines without tables, at most 60",
	}},
	{"package size", "-- a/a.go --\npackage a\n" + lines(2000) + "-- a/b.go --\npackage a\n" + lines(999) +
		"-- a/a_test.go --\npackage a\n" + lines(9) + "-- a/atest/a.go --\npackage atest\n" + lines(3001) +
		"-- b/b.go --\npackage b\n" + lines(2999) + "-- b/gen.go --\n// Code generated by x. DO NOT EDIT.\npackage b\n" + lines(2999), []string{
		"a: 3001 lines without tests, at most 3000",
	}},
	{"circles", `
-- pair/a.go --
package pair
type A struct{}
func (A) method() { b() }
-- pair/b.go --
package pair
func b() { _ = A{} }
func local() { method := 1; _ = method }
-- long/a.go --
package long
var a = b
-- long/b.go --
package long
import "m.org/m/other"
const b = c + other.D
-- long/c.go --
package long
type c interface { m(a) }
-- long/d.go --
package long
var d = a
-- explained/a.go --
package explained

// A grammar.
//
// Both ways with b.go: an expression holds a list, and a list holds expressions.

var a = b
-- explained/b.go --
package explained
var b = a
-- explained/c.go --
package explained
var c = b
-- around/a.go --
package around
// Both ways with b.go: a grammar.
var a = b
-- around/b.go --
package around
var b, d = a, c
-- around/c.go --
package around
var c = a
-- reasonless/a.go --
package reasonless
// Both ways with b.go:
var a = b
// Both ways with b.go: too late.
-- reasonless/b.go --
package reasonless
var b = a
-- stale/a.go --
package stale
// Both ways with b.go: a grammar.
// Both ways with gone.go: a grammar.
var a = b
-- stale/b.go --
package stale
var b = 1
-- platform/open.go --
package platform
func open() { lock() }
var opened = open
-- platform/lock_unix.go --
package platform
func lock() { helper() }
func helper() {}
-- platform/lock_windows.go --
package platform
func lock() { helper(); _ = opened }
func helper() {}
-- ways/a.go --
package ways
var a = b
-- ways/a_test.go --
package ways
var test = a
-- ways/b.go --
package ways
var b = func(a int) int { type c int; return a }
-- ways/c.go --
package ways
var c = a + b
-- ways/gen.go --
package main
var b = a
`, []string{
		"pair: a.go names b of b.go, which names A of it",
		"long: a.go names b.go names c.go names a.go",
		"around: b.go names c of c.go, which names a of it",
		"reasonless: a.go names b of b.go, which names a of it",
		"stale/a.go: it and b.go do not name each other: delete the comment",
		"stale/a.go: it and gone.go do not name each other: delete the comment",
		"platform: lock_windows.go names opened of open.go, which names lock of it",
	}},
	{"circles", "-- a/hub.go --\npackage a\n" + grammar(11) + "-- b/b.go --\npackage b\n", []string{
		"11 pairs of files point both ways, at most 10",
	}},
	{"go.mod", `
-- go.mod --
module m.org/m
replace x.org/x => ../x
exclude (
	x.org/y v1.0.0 // replace
)
`, []string{"go.mod: replace is not allowed", "go.mod: exclude is not allowed"}},
}

// files returns a txtar archive as a file system. It adds a go.mod if the archive has none.
func files(archive string) fs.FS {
	root := fstest.MapFS{"go.mod": {Data: []byte("module m.org/m\n")}}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		root[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	return root
}

// grammar returns the declarations of a file and n files that each are explained to be mutual with it.
func grammar(n int) string {
	var hub, others strings.Builder
	for i := range n {
		fmt.Fprintf(&hub, "func f%d() { g%d() }\n", i, i)
		fmt.Fprintf(&others, "-- a/%d.go --\npackage a\n// Both ways with hub.go: a grammar.\nfunc g%d() { f%d() }\n", i, i, i)
	}
	return hub.String() + others.String()
}

func lines(n int) string { return strings.Repeat("\n", n) }

func TestRulesBite(t *testing.T) {
	bitten := map[string]bool{}
	for _, s := range samples {
		t.Run(s.rule, func(t *testing.T) {
			tr, err := load(files(s.tree))
			if err != nil {
				t.Fatal(err)
			}
			r := rules[slices.IndexFunc(rules, func(r rule) bool { return r.name == s.rule })]
			got, want := slices.Sorted(slices.Values(r.find(tr))), slices.Sorted(slices.Values(s.want))
			if !slices.Equal(got, want) {
				t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
			}
		})
		bitten[s.rule] = true
	}
	for _, r := range rules {
		if !bitten[r.name] {
			t.Errorf("no sample shows that %q bites", r.name)
		}
	}
}
