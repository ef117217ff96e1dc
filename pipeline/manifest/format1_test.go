package manifest

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// A release of the first format, as it was published.
const oldRelease = "../../cmd/release/command/testdata/legacy/out/2013-01-01/release.json"

func readOld(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile(oldRelease)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// What the first format states passes the checks, and goes on to pass them in today's format.
func TestFirstFormat(t *testing.T) {
	m, err := Parse(readOld(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Meets(); err != nil {
		t.Error(err)
	}
	if m.Format != format1 || !m.Complete() || len(m.Queries) != 5 || len(m.Mechanisms()) != 8 {
		t.Errorf("format %q, %d queries, %d mechanisms", m.Format, len(m.Queries), len(m.Mechanisms()))
	}
	if d := m.Deployment(); d.Contact != "old@example.org" || d.UnitIsPerson != "yes" || d.IntendedUse != "" {
		t.Errorf("the deployment is %+v", d)
	}
	text, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Meets(); err != nil || again.Format != Format || again.Deployment().Contact != "old@example.org" {
		t.Errorf("in today's format: %v, format %q", err, again.Format)
	}
	if bytes.Contains(text, []byte("Not stated.")) || len(text) > len(readOld(t))*3/4 {
		t.Errorf("%d of %d bytes", len(text), len(readOld(t)))
	}
}

// Each place at which the first format repeats a fact is compared with the others.
func TestFirstFormatIsCompared(t *testing.T) {
	good := string(readOld(t))
	for name, change := range map[string][3]string{
		"sigma of a part":       {`"parts": [`, `"sigma": 20.69`, `"sigma": 30.69`},
		"sigma of a query":      {`"queries": [`, `"sigma": 20.69`, `"sigma": 30.69`},
		"sigma of the block":    {`"mechanisms": [`, `"sigma": 20.69`, `"sigma": 30.69`},
		"sensitivity":           {`"mechanisms": [`, `"l2": 2`, `"l2": 1`},
		"mu of the release":     {`"privacy": {`, `"mu": 0.23`, `"mu": 0.13`},
		"mu of the guarantee":   {`"guarantee": {`, `"mu": 0.23`, `"mu": 0.13`},
		"mu of a query":         {`"grid": 1,`, `"mu": 0.09`, `"mu": 0.08`},
		"statement":             {`"statement": `, `(1, 1e-6)`, `(0.5, 1e-6)`},
		"second statement":      {`"unit_sentence": `, `(1, 1e-6)`, `(0.5, 1e-6)`},
		"epsilon":               {`"privacy": {`, `"epsilon": 1`, `"epsilon": 0.5`},
		"delta_failure":         {`"guarantee": {`, `"delta_failure": "0"`, `"delta_failure": "1e-7"`},
		"first delta_failure":   {`"privacy": {`, `"delta_failure": 0`, `"delta_failure": 1e-7`},
		"rho":                   {`"guarantee": {`, `"rho": 0.028`, `"rho": 0.018`},
		"accuracy":              {`"accuracy": [`, `"standard_deviation": 20.69`, `"standard_deviation": 10.69`},
		"half-width":            {`"accuracy": [`, `"ci95_half_width": 40`, `"ci95_half_width": 30`},
		"accuracy of no query":  {`"accuracy": [`, `"query": "colours"`, `"query": "hues"`},
		"name of a mechanism":   {`"mechanisms": [`, `"query": "ages/sum"`, `"query": "ages/total"`},
		"deviation of a part":   {`"parts": [`, `"standard_deviation": 20.69`, `"standard_deviation": 10.69`},
		"no mechanism left":     {`"mechanisms": [`, `"query": "all",`, `"query": "none",`},
		"the job asked another": {`"job": {`, `"epsilon": 1`, `"epsilon": 3`},
	} {
		at := strings.Index(good, change[0])
		if at < 0 || !strings.Contains(good[at:], change[1]) {
			t.Fatalf("%s: the file has no such text", name)
		}
		bad := good[:at] + strings.Replace(good[at:], change[1], change[2], 1)
		m, err := Parse([]byte(bad))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if m.Meets() == nil {
			t.Errorf("%s: nothing was found", name)
		}
	}
}

// What is no manifest is refused in our own words.
func TestParse(t *testing.T) {
	good := string(readOld(t))
	for text, want := range map[string]string{
		"":                                       "is damaged, or of another version",
		"{":                                      "is damaged, or of another version",
		good[:len(good)/2]:                       "is damaged, or of another version",
		good + "{}":                              "has something after its end",
		`{"format": "dprelease/3"}`:              "has another format",
		`{"format": "dprelease/2", "secret": 7}`: "is damaged, or of another version",
		strings.Replace(good, "dprelease/1", Format, 1): "is damaged, or of another version",
	} {
		if _, err := Parse([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}
