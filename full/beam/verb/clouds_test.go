//go:build linux

package verb_test

import (
	"bytes"
	"encoding/csv"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	dpbeam "github.com/dprelease/dprelease/full/beam"
	"github.com/dprelease/dprelease/full/beam/verb/wiretest"
	"github.com/dprelease/dprelease/full/stores/storestest"
)

// Jobs read from Google's host: fake-gcs-server behind a proxy that asks for credentials.
func TestGoogle(t *testing.T) {
	g := storestest.StartGoogle(t)
	testCloud(t, newStandOf(t, g.Server, 20_000, "access_id=canary", storestest.GoogleToken, "token-of-a-stranger",
		"Invalid JWT"), []lack{
		{"no credentials", []string{"GOOGLE_APPLICATION_CREDENTIALS"},
			[]string{dpbeam.Unread.Says, "set GOOGLE_APPLICATION_CREDENTIALS"}},
		{"a stranger's", []string{"GOOGLE_APPLICATION_CREDENTIALS=" + g.Stranger},
			[]string{dpbeam.Unread.Says, "the store refuses access"}},
		{"a revoked key", []string{"GOOGLE_APPLICATION_CREDENTIALS=" + g.Revoked},
			[]string{dpbeam.Unread.Says, "Google refuses the credentials"}},
		{"no options", []string{"TEST_OPTIONS"}, []string{dpbeam.NoVariable.Says, "TEST_OPTIONS"}},
	})
}

// Jobs read from azurite.
func TestAzure(t *testing.T) {
	server := storestest.StartAzure(t)
	testCloud(t, newStandOf(t, server, 20_000, server.AzureOptions(), storestest.AzureKey,
		"SharedKey "+storestest.AzureAccount), []lack{
		{"no credentials", []string{"AZURE_STORAGE_KEY"}, []string{dpbeam.Unread.Says, "set AZURE_STORAGE_ACCOUNT"}},
		{"another key", []string{"AZURE_STORAGE_KEY=aHVzaA=="}, []string{dpbeam.Unread.Says, "the store refuses access"}},
		{"no options", []string{"TEST_OPTIONS"}, []string{dpbeam.NoVariable.Says, "TEST_OPTIONS"}},
	})
}

// testCloud runs the job of the stand. Attempts charge nothing if a worker lacks a variable or if the input is
// replaced. At the end two workers make the release, for which the budget is just enough, while every third request
// fails. Repeated runs, by a worker and by the local engine, return this release.
func testCloud(t *testing.T, s *stand, lacks []lack) {
	t.Helper()
	s.testLacks(lacks)
	s.tap = &tap{}
	s.testReplaced()
	for _, private := range append(s.secrets, "day=monday", s.Scheme+"://bucket", "t*.parquet", "TEST_OPTIONS",
		"max_rows") {
		if wiretest.Find(s.tap.said(), []byte(private)) {
			t.Errorf("the pipeline has %s", private)
		}
	}
	before := s.manifest()
	again := func(name string, run func() (int, string)) {
		t.Helper()
		if code, out := run(); code != 0 || !bytes.Equal(s.manifest(), before) {
			t.Fatalf("%s: exit code %d, the same release: %t\n%s", name, code, bytes.Equal(s.manifest(), before), out)
		}
	}
	again("a busy store", func() (int, string) {
		s.Fails(third(func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) }))
		defer s.Fails(nil)
		return s.run(1)
	})
	again("parts in the store", func() (int, string) {
		defer func(folder string) { s.parts = folder }(s.parts)
		s.parts = s.Scheme + "://bucket/parts/of runs"
		return s.run(1)
	})
	again("the local engine", s.runLocally)
	s.testAnswers()
}

// manifest returns the manifest of the release.
func (s *stand) manifest() []byte {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, "out", "release.json"))
	if err != nil {
		s.t.Fatal(err)
	}
	return text
}

// runLocally runs the job without Beam, in a process of its own.
func (s *stand) runLocally() (int, string) {
	var out bytes.Buffer
	c := start(s.t, "release-full", &out, "run", s.job, "--param", "day=monday")
	_ = c.Wait() // its exit code is checked
	return c.ProcessState.ExitCode(), out.String()
}

// testAnswers compares the noisy counts with the true ones; the input holds the table three times. The probability of
// noise beyond eight standard deviations is below 1e-14.
func (s *stand) testAnswers() {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, "out", "cats.csv"))
	if err != nil {
		s.t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(rows) != 4 || len(rows[0]) < 4 || rows[0][1] != "noisy" || rows[0][3] != "standard_deviation" {
		s.t.Fatalf("%v: %s", err, text)
	}
	for _, row := range rows[1:] {
		exact := 3 * float64(strings.Count(string(s.content["t.csv"]), ","+row[0]+","))
		noisy, err1 := strconv.ParseFloat(row[1], 64)
		sigma, err2 := strconv.ParseFloat(row[3], 64)
		if err1 != nil || err2 != nil || exact < 1000 || math.Abs(noisy-exact) > 8*sigma {
			s.t.Errorf("%s has %v, the table %v", row[0], noisy, exact)
		}
	}
}
