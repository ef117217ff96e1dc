package configs

import (
	"strings"
	"testing"
)

// The query string of a URL on a web server is a signature: it must come from the environment, only its variable's name
// is published, and it is not part of the run fingerprint.
func TestSignedAddresses(t *testing.T) {
	text := strings.Replace(base, "data/trips.parquet", `"https://host/trips.parquet?${env:SIGNATURE}"`, 1)
	if text == base {
		t.Fatal("the job has no such file")
	}
	question := func(signature string) (string, string) {
		job := parsed(t, "job.yaml", []byte(text), ParseOptions{Env: func(string) (string, bool) { return signature, true }})
		if want := "https://host/trips.parquet?" + signature; job.Input.Files[0] != want {
			t.Fatalf("the file is %s, want %s", job.Input.Files[0], want)
		}
		asked, err1 := job.Identity()
		published, err2 := job.Effective()
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		return string(asked), string(published)
	}
	a, published := question("sig=hush")
	b, _ := question("sig=other")
	if a != b {
		t.Error("another signature asks another question")
	}
	if strings.Contains(published, "hush") || !strings.Contains(published, "${env:SIGNATURE}") {
		t.Errorf("the published job has %s", published)
	}
}
