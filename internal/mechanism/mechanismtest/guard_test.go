package mechanismtest

import "testing"

// lenient is a testing.TB that continues after a fatal failure.
type lenient struct {
	testing.TB
	failures int
}

func (l *lenient) Fatalf(string, ...any) { l.failures++ }

func TestGuard(t *testing.T) {
	l := &lenient{TB: t}
	if !guard(l, true) || l.failures != 0 {
		t.Error("refused in a test")
	}
	if guard(l, false) || l.failures != 1 {
		t.Error("not refused outside a test")
	}
}
