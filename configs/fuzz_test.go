package configs

import (
	"encoding/json"
	"strings"
	"testing"
)

// For any bytes, Parse returns a job, or diagnostics with a place. Neither shows the environment, and
// the effective job is JSON.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/*.good.yaml", "testdata/*.bad.yaml", "*.yaml"} {
		for name, src := range samples(f, pattern) {
			if name != "alias-bomb.bad.yaml" {
				f.Add(src)
			}
		}
	}
	f.Add([]byte("params: {\"$${x}\": 1, <<: 2}\nname: ${$${x}}\n"))
	f.Add([]byte("params: &p {a: *p}\nqueries: &q [*q, *p, *q]\n"))
	f.Add([]byte("params: [a]\nprivacy: !!map {}\n? {a: b}\n: c\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		o := options(src)
		job, diags := Parse("job.yaml", src, o)
		if (job == nil) != (len(diags) > 0) {
			t.Fatalf("%v, %v", job, diags)
		}
		checkDiagnostics(t, "job.yaml", diags)
		if !strings.Contains(string(src), canary) && strings.Contains(diags.Error(), canary) {
			t.Fatalf("a value of the environment is in %s", diags)
		}
		if job == nil {
			return
		}
		public, err := job.Effective()
		if err != nil || !json.Valid(public) {
			t.Fatalf("%v: %s", err, public)
		}
		if !strings.Contains(string(src), canary) && strings.Contains(string(public), canary) {
			t.Fatalf("a value of the environment is in %s", public)
		}
		var floats any
		if err := json.Unmarshal(public, &floats); err != nil {
			t.Fatalf("a reader of the manifest fails: %v", err)
		}
	})
}
