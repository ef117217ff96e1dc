package verify

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/domain"
)

// release verify names each fact that differs between a manifest and the ledger, even if the manifest's digest differs
// from the one in the ledger.
func TestLedgerHasTheFacts(t *testing.T) {
	v := &verifying{digest: "d"}
	if err := json.Unmarshal(sound(t, forgedJobs["gaussian"]), &v.manifest); err != nil {
		t.Fatal(err)
	}
	charge := func() ledger.Charge {
		return ledger.Charge{
			Job: "kinds", Mechanisms: v.manifest.Charged(), DeltaShare: v.manifest.Privacy.DeltaFailure,
			Account: ledger.Account{Dataset: "people", Unit: "person", Adjacency: "add-remove"},
			Units:   map[string]string{"": `"person"`},
		}
	}
	for name, c := range map[string]struct {
		change func(*ledger.Charge)
		want   string
	}{
		"nothing":       {func(*ledger.Charge) {}, ""},
		"more noise":    {func(c *ledger.Charge) { c.Mechanisms[0].Sigma *= 2 }, "other mechanisms"},
		"less noise":    {func(c *ledger.Charge) { c.Mechanisms[0].Sigma /= 2 }, "other mechanisms"},
		"sensitivity":   {func(c *ledger.Charge) { c.Mechanisms[1].Sens.L2 *= 2 }, "other mechanisms"},
		"one less":      {func(c *ledger.Charge) { c.Mechanisms = c.Mechanisms[1:] }, "other mechanisms"},
		"another order": {func(c *ledger.Charge) { slices.Reverse(c.Mechanisms) }, "other mechanisms"},
		"after a search": {func(c *ledger.Charge) {
			i := slices.IndexFunc(c.Mechanisms, func(m calibrate.Mechanism) bool { return m.ChosenBy != "" })
			c.Mechanisms[i].Sens.L2 *= 2
			c.Mechanisms[i].Sigma *= 2
		}, "what was found in the run"},
		"another sensitivity after a search": {func(c *ledger.Charge) {
			i := slices.IndexFunc(c.Mechanisms, func(m calibrate.Mechanism) bool { return m.ChosenBy != "" })
			c.Mechanisms[i].Sens.L2 *= 2
		}, "what was found in the run"},
		"share of delta":    {func(c *ledger.Charge) { c.DeltaShare = "2e-7" }, "share of delta"},
		"no share of delta": {func(c *ledger.Charge) { c.DeltaShare = "" }, "share of delta"},
		"unit":              {func(c *ledger.Charge) { c.Account.Unit = "household" }, "another unit"},
		"rows":              {func(c *ledger.Charge) { c.Account.Unit = "" }, "another unit"},
		"no table's unit":   {func(c *ledger.Charge) { c.Units = nil }, "other units of tables"},
		"a table's unit": {func(c *ledger.Charge) { c.Units = map[string]string{"visits": `"doctor"`} },
			"other units of tables"},
		"adjacency": {func(c *ledger.Charge) { c.Account.Adjacency = "replace-one" }, "other neighbours"},
	} {
		for _, digest := range []string{"d", "another"} {
			run := ledger.Run{Charge: charge(), Digests: ledger.Digests{Release: digest}}
			c.change(&run.Charge)
			// a newer run of the job with other parameters made another release
			newer := ledger.Run{Charge: charge()}
			newer.Charge.Params, newer.Charge.DeltaShare = map[string]string{"day": "2024-01-02"}, "9e-7"
			found := strings.Join(v.compare([]ledger.Run{{Charge: ledger.Charge{Job: "other"}}, run, newer}), "; ")
			if c.want == "" && strings.TrimPrefix(found, "the ledger has no release with this manifest") != "" || !strings.Contains(found, c.want) ||
				strings.Contains(found, "no release with this manifest") != (digest != "d") {
				t.Errorf("%s, digest %s: %q", name, digest, found)
			}
		}
	}
	withdrawn := ledger.Run{Charge: charge(), Digests: ledger.Digests{Release: "d"},
		Withdrawn: &ledger.Withdrawal{Reason: "late rows"}}
	if found := v.compare([]ledger.Run{withdrawn}); len(found) != 1 || !strings.Contains(found[0], "late rows") {
		t.Errorf("withdrawn: %q", found)
	}
}

// A table with another key, with one less, or in another order has not the keys that were selected.
func TestSelectedKeys(t *testing.T) {
	table := func(columns ...[]string) *sink.ReadBack {
		r := &sink.ReadBack{Rows: len(columns[0])}
		for _, texts := range columns {
			r.Keys = append(r.Keys, domain.KeyColumn{Stride: 1, Labels: domain.Labels{Strings: texts}})
		}
		return r
	}
	leader := table([]string{"a", "a", "b"}, []string{"x", "y", "x"})
	for name, c := range map[string]struct {
		other *sink.ReadBack
		same  bool
	}{
		"the same":       {table([]string{"a", "a", "b"}, []string{"x", "y", "x"}), true},
		"the second key": {table([]string{"a", "a", "b"}, []string{"x", "x", "x"}), false},
		"the first key":  {table([]string{"a", "b", "b"}, []string{"x", "y", "x"}), false},
		"one less":       {table([]string{"a", "a"}, []string{"x", "y"}), false},
		"one column":     {table([]string{"a", "a", "b"}), false},
		"none":           {table([]string{}, []string{}), false},
		"twice each": {table([]string{"a", "a", "a", "a", "b", "b"}, []string{"x", "x", "y", "y", "x", "x"},
			[]string{"1", "2", "1", "2", "1", "2"}), true},
		"not in groups": {table([]string{"a", "a", "b", "a", "a", "b"}, []string{"x", "y", "x", "x", "y", "x"},
			[]string{"1", "1", "1", "2", "2", "2"}), false},
	} {
		if sameKeys(leader, c.other) != c.same {
			t.Errorf("%s: not told apart", name)
		}
	}
	// A query whose tables have another dimension beside the keys is compared all the same.
	m := &manifest.Manifest{Queries: []manifest.Query{{Name: "words", Cells: 3, Selection: &manifest.Selection{}},
		{Name: "sums", Cells: 6, KeysOf: "words"}}}
	for second, want := range map[string]int{"x": 0, "z": 1} {
		s := &selected{manifest: m, tables: map[string]*sink.ReadBack{"words": leader, "sums": table(
			[]string{"a", "a", "a", "a", "b", "b"}, []string{"x", "x", "y", "y", second, second},
			[]string{"1", "2", "1", "2", "1", "2"})}}
		if err := s.check(&m.Queries[1]); err != nil || len(s.findings) != want {
			t.Errorf("sums by %s: %q, %v", second, s.findings, err)
		}
	}
	q := &manifest.Query{Name: "words", Cells: 3, Selection: &manifest.Selection{Threshold: 54}}
	for name, c := range map[string]struct {
		rows   int
		counts []float64
		want   string
	}{
		"as stated":       {3, []float64{54, 60, 54}, ""},
		"below":           {3, []float64{54, 53.5, 60}, "below the threshold"},
		"fewer rows":      {2, []float64{54, 60}, "a row for each key"},
		"more rows":       {4, []float64{54, 60, 54, 54}, "a row for each key"},
		"the last, below": {3, []float64{54, 60, 12}, "below the threshold"},
	} {
		s := &selected{}
		s.checkSelection(q, &sink.ReadBack{Rows: c.rows, Values: [][]float64{c.counts}})
		if found := strings.Join(s.findings, "; "); (c.want == "") != (found == "") || !strings.Contains(found, c.want) {
			t.Errorf("%s: %q", name, found)
		}
	}
}

// The recorded units of tables equal the units of the job in the manifest.
func TestLedgerHasTheUnitsOfTables(t *testing.T) {
	job, diags := configs.Parse("job.yaml", []byte(`version: 1
name: visits
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 1}}
input:
  tables:
    persons: {files: [persons.csv], unit: [id]}
    visits: {files: [visits.csv], unit: [patient], join: [{table: persons, add: [age]}]}
    drugs: {files: [drugs.csv], join: [{table: visits, on: {visit: number}}]}
queries: [{name: visits, from: visits, count: {}}]
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: clinic, budget: {epsilon: 1, delta: 1e-6}}
`), configs.ParseOptions{})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	for _, c := range []struct {
		recorded map[string]string
		want     bool
	}{
		{map[string]string{"visits": `"patient"`}, true},
		{map[string]string{"visits": `"patient"`, "persons": `"id"`}, true},
		{map[string]string{"visits": `"patient"`, "drugs": `of table visits on "visit" = "number"`}, true},
		{nil, false},
		{map[string]string{"persons": `"id"`}, false},
		{map[string]string{"visits": `"doctor"`}, false},
		{map[string]string{"visits": `"patient"`, "drugs": `of table visits on "visit" = "doctor"`}, false},
		{map[string]string{"visits": `"patient"`, "others": `"id"`}, false},
	} {
		if got := sameTables(job, c.recorded); got != c.want {
			t.Errorf("%v: %v", c.recorded, got)
		}
	}
}

// If the folder does not exist, its ledger tells why, and which command ends that: a run that was cut short is not
// taken for a publication.
func TestLedgerTellsWhyThereIsNoFolder(t *testing.T) {
	const dir = "/releases/out"
	at := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	charge := ledger.Charge{Job: "trips", Dir: dir, Params: map[string]string{"date": "2024-05-05"}}
	digests := ledger.Digests{Release: "d"}
	for _, c := range []struct {
		run  ledger.Run
		want string
	}{
		{ledger.Run{Charge: charge, State: ledger.Reserved, Updated: at}, "job trips --param date=2024-05-05 is charged and not " +
			"published since 2024-05-06T07:08:09Z: its run is at work, or was cut short; the same run again takes it up at no cost"},
		{ledger.Run{Charge: charge, State: ledger.Sealed, Digests: digests, Updated: at}, "is charged and not published since"},
		{ledger.Run{Charge: charge, State: ledger.Published, Digests: digests}, "was published in " + dir + ", by l.db, and the " +
			"folder is gone\nhint: restore the folder from a copy"},
		{ledger.Run{Charge: charge, State: ledger.Published, Digests: digests, Pruned: map[string]time.Time{"d": at}},
			"release prune deleted " + dir + " on 2024-05-06"},
		{ledger.Run{Charge: ledger.Charge{Job: "trips", Dir: "/elsewhere"}, State: ledger.Reserved}, ""},
		{ledger.Run{Charge: charge, State: ledger.Cancelled}, ""},
		{ledger.Run{Charge: ledger.Charge{Dir: "/elsewhere"}, State: ledger.Published,
			Rerenderings: []ledger.Rerendering{{Dir: dir}}}, "was published in"},
	} {
		v := &verifying{dir: dir}
		err := v.absentBy(&c.run, "l.db")
		said := ""
		var failed *pipeline.Error
		if errors.As(err, &failed) {
			said = failed.Message + "\nhint: " + failed.Hint
		}
		if !strings.Contains(said, c.want) || c.want == "" && err != nil {
			t.Errorf("%s: %q, want %q", c.run.State, said, c.want)
		}
		if words := unpublishedWords(&c.run); (words == "") != (c.run.State == ledger.Published ||
			c.run.State == ledger.Cancelled) {
			t.Errorf("%s: %q", c.run.State, words)
		}
	}
}
