package initjob

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/io/store"
	"github.com/dprelease/dprelease/io/store/storetest"
)

// A job is made of a table in a store. Its address stays as it was written; the query of a web address, which is a
// credential, must be a reference.
func TestJobsOfAddresses(t *testing.T) {
	m := storetest.New()
	m.Set("dir/t1.csv", []byte("id;town\n1;York\n2;Bath\n"))
	m.Set("dir/t2.csv", []byte("id;town\n3;York\n"))
	store.Register("memory", m.Opener)
	store.Register("https", m.Opener)
	t.Setenv("SIGNATURE", "sig=hush")
	run := func(file string) (string, error) {
		var out, asked bytes.Buffer
		f := &flags{Job: Job{Epsilon: "1", Delta: "1e-6", Dir: "out", Store: "sqlite:ledger.db"},
			unit: []string{"row"}, asks: []string{"histogram town=York|Bath"}, in: strings.NewReader(""),
		}
		err := f.run(t.Context(), console.New(&out, &asked), []string{file})
		if text := out.String() + asked.String(); strings.Contains(text, "hush") || err != nil &&
			strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: the signature is shown: %s %v", file, text, err)
		}
		return out.String(), err
	}
	for file, want := range map[string]string{
		"memory://bucket/dir/t*.csv":               "memory://bucket/dir/t*.csv",
		"https://host/dir/t1.csv":                  "https://host/dir/t1.csv",
		"https://host/dir/t1.csv?${env:SIGNATURE}": `"https://host/dir/t1.csv?${env:SIGNATURE}"`,
	} {
		job, err := run(file)
		if err != nil || !strings.Contains(job, want) || !strings.Contains(job, `delimiter: ";"`) {
			t.Errorf("%s: %v\n%s", file, err, job)
		}
	}
	for _, file := range []string{
		"https://host/dir/t1.csv?sig=hush", "https://host/dir/t1.csv?${env:NOT_SET}", "memory://bucket/none.csv?token=hush", "memory://me:hush@bucket/dir/t1.csv",
	} {
		if job, err := run(file); err == nil {
			t.Errorf("%s: a job is made:\n%s", file, job)
		}
	}
}
