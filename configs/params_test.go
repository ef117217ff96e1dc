package configs

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReferencesAreReplaced(t *testing.T) {
	src := []byte(strings.NewReplacer(
		"name: trips\n", "name: \"$${literal} $5 $$ $$$${x} ${hour}\"\nparams: {hour: 00, max: 5, fmt: csv, sparse: true}\n",
		"{max_rows: 5}", "{max_rows: \"${max}\"}", "{dir: out}", "{dir: \"out/${hour}\", formats: [\"${fmt}\"]}",
		"    histogram", "    sparse: \"${sparse}\"\n    weight: ${max}\n    histogram", "[card, cash]",
		"{\"h${hour}\": [\"${hour}\"]}",
	).Replace(base))
	job := parsed(t, "job.yaml", src, ParseOptions{Params: map[string]string{"hour": "12"}})
	q := job.Queries[0]
	got := []any{job.Name, job.Output.Dir, job.Output.Formats, job.Privacy.PerUnit.MaxRows, q.Sparse, q.Weight,
		q.Histogram.By[0].Values, job.ParamValues()}
	want := []any{
		"${literal} $5 $$ $$${x} 12", "out/12", []string{"csv"}, MaxRows(5), true, Decimal("5"), Values{{"h12",
			[]Scalar{"12"}}},
		map[string]string{"hour": "12", "max": "5", "fmt": "csv", "sparse": "true"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A value is inserted unchanged: text in it that looks like a reference is not replaced.
func TestValuesAreNotExpandedAgain(t *testing.T) {
	src := with(t, "name: trips\n", "name: \"${a}\"\nparams: {a: 1}\n")
	job := parsed(t, "job.yaml", src, ParseOptions{Params: map[string]string{"a": "${a}$${b}"}})
	if job.Name != "${a}$${b}" {
		t.Errorf("%q", job.Name)
	}
}

func TestDates(t *testing.T) {
	for _, c := range []struct {
		text, every string
		ok          bool
	}{
		{"2013-01-31", "", true}, {"2013-01-31", "day", true}, {"2012-02-29", "day", true}, {"2013-02-29", "day", false},
		{"2013-1-31", "day", false}, {"2013-01", "day", false}, {"2013-01-31T00", "day", false}, {"", "day", false},
		{"2013-02", "month", true}, {"2013-02-01", "month", true}, {"2013-02-02", "month", false}, {"2013", "month", false},
		{"2013", "year", true}, {"2013-01", "year", true}, {"2013-01-01", "year", true}, {"2013-02", "year", false}, {"13",
			"year", false},
	} {
		if _, _, got := readDate(c.text, c.every); got != c.ok {
			t.Errorf("%q every %q: %v", c.text, c.every, got)
		}
	}
}

func TestParamsWithoutAValueSayItOnce(t *testing.T) {
	src := []byte(strings.NewReplacer("name: trips\n", "name: \"${day}\"\nparams: {day: {type: date}}\n", "{dir: out}",
		"{dir: \"${day}\"}",
		"[card, cash]", "[\"${day}\", \"x${day}\"]", "{max_rows: 5}", "{max_rows: \"${day}\"}").Replace(base))
	_, diags := Parse("job.yaml", src, ParseOptions{})
	if len(diags) != 1 || diags[0].Code != CodeMissingParam {
		t.Error(diags)
	}
}

func TestGivenValuesAreChecked(t *testing.T) {
	src := with(t, "name: trips\n", "name: \"${a}\"\nparams: {a: 1}\n")
	for _, bad := range []string{"a\nb", "\xff", "a\x00"} {
		if _, diags := Parse("job.yaml", src, ParseOptions{Params: map[string]string{"a": bad}}); len(diags) != 1 ||
			diags[0].Code != CodeBadValue {
			t.Errorf("%q: %v", bad, diags)
		}
	}
}

// If the environment is used, its values go into the job and nowhere else.
func TestEnvironmentStaysPrivate(t *testing.T) {
	src := []byte(strings.NewReplacer("[data/trips.parquet]",
		"[\"${env:DATA}/x.csv\", \"${env:DATA}.csv\"]\n  csv: {null_values: [\"${env:DATA}\"]}",
		"sqlite:ledger.db", "${env:STORE}", "dataset: trips", "dataset: \"${env:DATA}\"", "{epsilon: 10,",
		"{epsilon: \"${env:EPSILON}\",").Replace(base))
	job := parsed(t, "job.yaml", src, ParseOptions{Env: environment})
	if job.Input.Files[0] != "/canary/in/x.csv" || job.Ledger.Store != "sqlite:/canary/ledger.db" {
		t.Errorf("%v, %s", job.Input.Files, job.Ledger.Store)
	}
	public, err := job.Effective()
	if err != nil || strings.Contains(string(public), canary) || strings.Contains(string(public), "987") {
		t.Errorf("%v: %s", err, public)
	}
	if want := `"ledger":{"dataset":"${env:DATA}","budget":{"epsilon":"${env:EPSILON}",`; !strings.Contains(string(public),
		want) {
		t.Errorf("no %s in %s", want, public)
	}
	private, err := job.Identity()
	if err != nil || !strings.Contains(string(private), `"null_values":["/canary/in"]`) ||
		strings.Contains(string(private), "ledger.db") {
		t.Errorf("%v: %s", err, private)
	}
	d := job.Diagnose("input.files[0]", "code", "message", "")
	if strings.Contains(d.String(), canary) {
		t.Error(d)
	}
}

func TestNoEnvironment(t *testing.T) {
	_, diags := Parse("job.yaml", with(t, "sqlite:ledger.db", "${env:STORE}"), ParseOptions{})
	if len(diags) != 1 || diags[0].Code != CodeMissingEnv {
		t.Error(diags)
	}
	secret := func(string) (string, bool) { return "canary\n", true }
	_, diags = Parse("job.yaml", with(t, "sqlite:ledger.db", "${env:STORE}"), ParseOptions{Env: secret})
	if len(diags) != 1 || diags[0].Code != CodeBadValue || strings.Contains(diags.Error(), canary) {
		t.Error(diags)
	}
}
