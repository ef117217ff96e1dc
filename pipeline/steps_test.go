package pipeline

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/configs"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// Errors in denoising steps are reported together with the other errors of a job, each at its path and with a hint.
func TestStepsAreJudged(t *testing.T) {
	var got strings.Builder
	for _, name := range []string{"denoise", "enums", "numbers"} {
		text, err := os.ReadFile("../configs/testdata/" + name + ".bad.yaml")
		if err != nil {
			t.Fatal(err)
		}
		_, diags := configs.Parse(name+".bad.yaml", text, configs.ParseOptions{CheckStep: CheckStep})
		for _, d := range diags {
			if strings.Contains(d.Message, ".denoise[") {
				got.WriteString(d.String() + "\n")
			}
		}
	}
	const golden = "testdata/steps.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || got.String() != string(want) {
		t.Errorf("%v, found:\n%s", err, got.String())
	}
}
