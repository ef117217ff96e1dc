package pipeline

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/configs"
)

// A public file that cannot be read is reported once, however many of its columns an edge list names. A fault of one
// column is reported for that column.
func TestPublicFileIsReportedOnce(t *testing.T) {
	text := strings.Replace(fmt.Sprintf(discoveringJob, "1e-6", ""), "[p, q]}]}",
		"[p, q]}]}, denoise: [{method: trend-filter, graph: {edges: roads.csv, from: a, to: b}, k: 0, lambda: 1}]", 1)
	job, diags := configs.Parse("job.yaml", []byte(text), configs.ParseOptions{})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	for n, fault := range map[int]func(column string) error{
		1: func(string) error { return errors.New("there is no such file") },
		2: func(column string) error { return errors.New("there is no column " + column) },
	} {
		if _, diags := New(job, func(_, column string, _ bool) ([]string, error) { return nil, fault(column) }); len(diags) != n {
			t.Errorf("%d problems, want %d: %v", len(diags), n, diags)
		}
	}
}
