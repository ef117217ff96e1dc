package configs

import (
	"strings"
	"testing"
)

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "1GiB": 1 << 30, "1.5 GiB": 3 << 29, "500MB": 500e6, "2gb": 2e9, "64 kib": 64 << 10, "1e9": 1e9,
		"3T": 0, "0.1B": 0,
		"": 0, "GiB": 0, "-1GiB": 0, "0": 0, "1GiBs": 0, "1 G iB": 0, "9e18": 0, "1e300": 0, "nan": 0, "5000000TiB": 0,
		"4000000TiB": 4_000_000 << 40,
	} {
		got, err := ParseSize(text)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %d, %v, want %d", text, got, err, want)
		}
	}
}

// The memory limit is part neither of the run fingerprint nor of the release's manifest.
func TestMemoryLimitIsNoPartOfTheQuestion(t *testing.T) {
	plain := parsed(t, "job.yaml", []byte(base), ParseOptions{})
	limited := parsed(t, "job.yaml", []byte(base+"memory_limit: 1GiB\n"), ParseOptions{})
	if plain.Memory() != 0 || limited.Memory() != 1<<30 {
		t.Errorf("%d and %d bytes", plain.Memory(), limited.Memory())
	}
	a, err1 := plain.Identity()
	b, err2 := limited.Identity()
	if err1 != nil || err2 != nil || string(a) != string(b) {
		t.Errorf("%v %v: two questions", err1, err2)
	}
	_, diags := Parse("job.yaml", []byte(base+"memory_limit: plenty\n"), ParseOptions{})
	if len(diags) != 1 || diags[0].Code != CodeBadValue || !strings.Contains(diags[0].Message, "memory_limit") ||
		diags[0].Line != 17 {
		t.Errorf("%v", diags)
	}
}
