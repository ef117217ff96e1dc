package owntest

import "testing"

// lenient is a testing.TB that continues after a fatal failure.
type lenient struct {
	testing.TB
	failures int
}

func (l *lenient) Fatalf(string, ...any) { l.failures++ }

func TestGuard(t *testing.T) {
	l := &lenient{TB: t}
	if !Guard(l) || l.failures != 0 {
		t.Error("refused in a test")
	}
	if guard(l, false) || l.failures != 1 {
		t.Error("not refused outside a test")
	}
}

func TestOurs(t *testing.T) {
	for path, want := range map[string]bool{
		module + ".test":              true,
		module + "/pipeline.test":     true,
		module + "/full/duckdb.test":  true,
		module + "/examples/adult":    true,
		module + "-fork/x.test":       false,
		"example.org/x.test":          false,
		"command-line-arguments.test": false,
		"":                            false,
	} {
		if ours(path) != want {
			t.Errorf("%q: %v", path, !want)
		}
	}
}
