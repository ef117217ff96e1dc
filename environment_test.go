package dprelease_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dprelease/dprelease"
)

// No text of an error, or of an error that it wraps, holds a value that the job took from the environment.
func TestErrorsHoldNoValueOfTheEnvironment(t *testing.T) {
	const secret = "p4ssw0rd-of-the-ledger"
	t.Setenv("LEDGER_TEST", "postgres://somebody:"+secret+"@127.0.0.1:9/ledger?connect_timeout=1")
	t.Setenv("KIND_TEST", secret)
	dir := t.TempDir()
	for _, text := range []string{
		strings.Replace(job, `"sqlite:ledger.db"`, `"${env:LEDGER_TEST}"`, 1),
		strings.Replace(job, "column: branch", `column: "${env:KIND_TEST}"`, 1),
		strings.Replace(job, "[loans.csv]", `["${env:KIND_TEST}.csv"]`, 1),
		strings.Replace(job, "epsilon: 1,", `epsilon: "${env:KIND_TEST}",`, 1),
	} {
		path := filepath.Join(dir, "job.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := dprelease.Load(t.Context(), path, nil)
		if err == nil {
			_, err = j.Run(t.Context(), dprelease.Options{Dir: filepath.Join(dir, "out")})
		}
		if err == nil {
			t.Errorf("no error for\n%s", text)
		}
		for e := err; e != nil; e = errors.Unwrap(e) {
			if said := fmt.Sprintf("%v %+v", e, e); strings.Contains(said, secret) {
				t.Errorf("%T says %s", e, said)
			}
		}
		var failed *dprelease.Error
		if !errors.As(err, &failed) || strings.Contains(failed.Hint, secret) || strings.Contains(fmt.Sprint(failed.Problems), secret) {
			t.Errorf("%+v", failed)
		}
	}
}
