package domain

import (
	"runtime"
	"strconv"
	"testing"

	"github.com/dprelease/dprelease/queries/problem"
)

// A domain of edges holds their texts alone: a job may have millions of edges, and a number of math/big takes 100
// bytes.
func TestEdgesHoldTextsAlone(t *testing.T) {
	texts := make([]string, 100_000)
	for i := range texts {
		texts[i] = strconv.Itoa(i)
	}
	held := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := held()
	var p problem.Problems
	d := newEdges(texts, nil, false, "edges", &p)
	if more := held() - before; more > 8*int64(len(texts)) {
		t.Errorf("%d edges take %d bytes beside their texts", len(texts), more)
	}
	if ints, ok := d.integers(); !d.Numeric || !ok || ints[99_999] != 99_999 || len(p.List) > 0 {
		t.Errorf("edges %v %v, problems %v", d.Numeric, ok, p.List)
	}
}
