package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// An independent tester checks releases of our program. Its false-alarm rate is one run in 160,000.
func TestGooglesTester(t *testing.T) {
	checkout := os.Getenv("DPRELEASE_GOOGLE_DP")
	if os.Getenv("DPRELEASE_LONG") != "1" || checkout == "" {
		t.Skip("needs DPRELEASE_LONG=1, and DPRELEASE_GOOGLE_DP with a checkout of github.com/google/differential-privacy")
	}
	c := &config{dir: t.TempDir()}
	args, err := ours(t.Context(), c, &tool{short: "testers"})
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(filepath.Dir(args[1]), "testers.py")
	out, err := exec.CommandContext(t.Context(), args[0], script, checkout,
		filepath.Join(c.dir, "release")).CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}
