package stabilitytest

import (
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/owntest"
)

func cells(quantum float64, xs ...int64) Answer {
	a := Answer{Quantum: quantum}
	for _, x := range xs {
		a.Cells = append(a.Cells, big.NewInt(x))
	}
	return a
}

// The comparison is exact: the last digit of a sensitivity matters.
func TestWithin(t *testing.T) {
	for name, c := range map[string]struct {
		a, b Answer
		l2   float64
		want bool
	}{
		"at the sensitivity":       {cells(1, 3, 0, 7), cells(1, 0, 4, 7), 5, true},
		"just above it":            {cells(1, 3, 0, 7), cells(1, 0, 4, 7), math.Nextafter(5, 0), false},
		"a root rounded up":        {cells(1, 1, 0), cells(1, 0, 1), math.Sqrt2, true},
		"a root rounded down":      {cells(1, 1, 0), cells(1, 0, 1), math.Nextafter(math.Sqrt2, 0), false},
		"in quanta":                {cells(0x1p-40, 1<<40), cells(0x1p-40, 0), 1, true},
		"one quantum above":        {cells(0x1p-40, 1<<40+1), cells(0x1p-40, 0), 1, false},
		"the ends of integers":     {cells(1, math.MaxInt64), cells(1, math.MinInt64), 0x1p64, true},
		"beyond floats' precision": {cells(1, 1<<53+1), cells(1, 0), 1 << 53, false},
		"other lengths":            {cells(1, 1), cells(1, 1, 0), 9, false},
		"other quanta":             {cells(1, 1), cells(2, 1), 9, false},
		"keys": {Answer{Keys: map[string]int64{"a": 2}}, Answer{Keys: map[string]int64{"a": 1, "b": 1}},
			math.Sqrt2, true},
		"a key of the fewest units": {Answer{Keys: map[string]int64{"a": 5, "b": 7}, MinUnits: 5},
			Answer{Keys: map[string]int64{"b": 7}, MinUnits: 5}, 1, true},
		"a key of one unit more": {Answer{Keys: map[string]int64{"a": 6, "b": 7}, MinUnits: 5},
			Answer{Keys: map[string]int64{"b": 7}, MinUnits: 5}, 1.9, false},
		"another minimum": {Answer{Keys: map[string]int64{"a": 6}, MinUnits: 5},
			Answer{Keys: map[string]int64{"a": 6}, MinUnits: 4}, 9, false},
		"one key too many": {Answer{Keys: map[string]int64{"a": 2}},
			Answer{Keys: map[string]int64{"a": 1, "b": 1, "c": 1}}, math.Sqrt2, false},
	} {
		for _, back := range []bool{false, true} {
			if back {
				c.a, c.b = c.b, c.a
			}
			if got := within(c.a, c.b, calibrate.Mechanism{Sens: calibrate.Sensitivity{L2: c.l2}}); got != c.want {
				t.Errorf("%s: %v", name, got)
			}
		}
	}
}

// TestWithinWeights has weights of 4, 2 and 1: for each key of units with one, two and three keys.
func TestWithinWeights(t *testing.T) {
	weights := []int64{4, 2, 1}
	b := Answer{Keys: map[string]int64{"a": 9}}
	for _, c := range []struct {
		a    map[string]int64
		want bool
	}{
		{map[string]int64{"a": 13}, true},
		{map[string]int64{"a": 9, "b": 4}, true},
		{map[string]int64{"b": 5}, false},
		{map[string]int64{"b": 2, "c": 2}, true},
		{map[string]int64{"b": 2, "c": 3}, false},
		{map[string]int64{"b": 1, "c": 1, "d": 1}, true},
		{map[string]int64{"b": 1, "c": 1, "d": 1, "e": 1}, false},
	} {
		if got := withinWeights(Answer{Keys: c.a}, b, weights); got != c.want {
			t.Errorf("%v: %v", c.a, got)
		}
	}
}

func TestWithinKeys(t *testing.T) {
	of := func(text string) Answer {
		a := Answer{Keys: map[string]int64{}}
		for k := range strings.SplitSeq(text, "") {
			a.Keys[k]++
		}
		return a
	}
	for _, c := range []struct {
		a, b      string
		most      int64
		adjacency string
		want      bool
	}{
		{"abc", "aabbc", 2, "add-remove", true},
		{"abc", "aabbcc", 2, "add-remove", false},
		{"abc", "aaabc", 2, "add-remove", false},
		{"abc", "abd", 2, "add-remove", false}, // a unit that comes takes nothing away
		{"abc", "abd", 1, replaceOne, true},
		{"abc", "ade", 1, replaceOne, false},
	} {
		if got := withinKeys(of(c.a), of(c.b), c.most, c.adjacency); got != c.want {
			t.Errorf("%s and %s, %d keys, %s: %v", c.a, c.b, c.most, c.adjacency, got)
		}
	}
}

// The two tables of a pair differ in the rows of one unit: by its presence, by its rows, or by which unit it is.
func TestPairsAreNeighbours(t *testing.T) {
	differing := 0
	for n := range uint64(3000) {
		r := rand.New(rand.NewPCG(5, n))
		job := &Job{Columns: []Column{{"u", Int64, true}, {"w", Text, false}, {"f", Float64, true}},
			Adjacency: pick(r, []string{"add-remove", replaceOne})}
		job.Unit = pick(r, [][]string{nil, {"u"}, {"w"}, {"u", "w"}, {"f"}})
		if job.Unit == nil && job.Adjacency == replaceOne {
			job.Rows = r.IntN(3) * 4
		}
		p := job.DrawPair(r)
		rows := [2]map[string][]string{}
		for i := range rows {
			rows[i] = map[string][]string{}
			for _, file := range p.Table(i) {
				for _, row := range file {
					k := unitOf(job, row)
					rows[i][k] = append(rows[i][k], row.String())
				}
			}
		}
		var changed []string
		for _, k := range keysOf(rows[0], rows[1]) {
			slices.Sort(rows[0][k])
			slices.Sort(rows[1][k])
			if k != none && !slices.Equal(rows[0][k], rows[1][k]) {
				changed = append(changed, k)
			}
		}
		differing += min(len(changed), 1)
		if what := wrong(job, p, rows, changed); what != "" {
			t.Fatalf("pair %d, unit %v, %s: %s\n%s\n%s", n, job.Unit, job.Adjacency, what, p.Table(0), p.Table(1))
		}
	}
	if differing < 1500 {
		t.Errorf("only %d pairs differ", differing)
	}
}

const none = "no unit"

func unitOf(j *Job, row Row) string {
	if len(j.Unit) == 0 {
		return row.String()
	}
	var id unit
	for _, name := range j.Unit {
		c := row[index(j.Columns, name)]
		if f, ok := c.(float64); c == nil || ok && math.IsNaN(f) {
			return none
		}
		id = append(id, c)
	}
	return id.key()
}

func keysOf(a, b map[string][]string) []string {
	var keys []string
	for k := range a {
		keys = append(keys, k)
	}
	for k := range b {
		if _, ok := a[k]; !ok {
			keys = append(keys, k)
		}
	}
	return keys
}

// wrong describes why two tables are not neighbours.
func wrong(j *Job, p *Pair, rows [2]map[string][]string, changed []string) string {
	n := [2]int{p.Table(0).Rows(), p.Table(1).Rows()}
	if !p.neighbouring(j) {
		return "not neighbouring"
	}
	if j.Rows > 0 && (n[0] != j.Rows || n[1] != j.Rows) {
		return "another number of rows"
	}
	switch most := map[string]int{"add-remove": 1, replaceOne: 2}[j.Adjacency]; {
	case len(changed) > most:
		return "more units differ"
	case len(j.Unit) == 0 && j.Adjacency == replaceOne && n[0] != n[1]:
		return "a row was added"
	case len(j.Unit) == 0 && j.Adjacency != replaceOne && max(n[0]-n[1], n[1]-n[0]) != 1:
		return "not one row more"
	case len(j.Unit) == 0:
	case j.Adjacency != replaceOne && len(changed) == 1 && len(rows[0][changed[0]]) > 0 && len(rows[1][changed[0]]) > 0:
		return "a unit that is there in both differs"
	case len(changed) == 2 && slices.ContainsFunc(changed,
		func(k string) bool { return len(rows[0][k]) > 0 && len(rows[1][k]) > 0 }):
		return "a unit that is there in both differs beside another one"
	}
	return ""
}

// notDrawn are keys that random jobs do not have, and why no stability depends on them.
var notDrawn = map[string]string{
	"privacy.delta_failure": "a share of the budget", "input.files": "the case has its own", "input.statistics": "a case compares both values", "input.sql": "package sqlpushtest runs random jobs on tables of databases",
	"csv.header": "the form of a file", "csv.columns": "the form of a file", "csv.delimiter": "the form of a file", "csv.line_end": "the form of files without a header, which pipeline/isolationtest draws", "csv.mark": "the form of a file",
	"input.format": "the form of a file", "input.folders": "public names of folders", "input.missing": "public names of folders", "input.jsonl": "the form of a file, which its writer adds",
	"query.weight": "a share of the budget", "query.max_error": "the plan alone",
	"privacy.weights": "a share of the budget", "query.accuracy": "the plan alone", "query.margins": "works on noisy values", "query.rates": "works on noisy values", "query.publish": "works on noisy values",
	"query.title": "words for readers", "query.description": "words for readers", "query.unit": "words for readers",
	"crosstabs.nonnegative": "works on noisy values", "crosstabs.integers": "works on noisy values", "crosstabs.round_to": "works on noisy values",
}

// Random jobs contain every key that says what is read, filtered, derived, bounded or counted, with each of its listed
// values.
func TestEveryKeyIsDrawn(t *testing.T) {
	owntest.Slow(t)
	var jobs strings.Builder
	for n := range uint64(1600) {
		j, _ := Draw(rand.New(rand.NewPCG(8, n)))
		jobs.WriteString(j.YAML("t.csv"))
	}
	text := jobs.String()
	for name, of := range map[string]reflect.Type{
		"privacy": reflect.TypeFor[configs.Privacy](), "per_unit": reflect.TypeFor[configs.PerUnit](), "input": reflect.TypeFor[configs.Input](),
		"csv": reflect.TypeFor[configs.CSV](), "where": reflect.TypeFor[configs.Filter](), "query": reflect.TypeFor[configs.Query](),
		"histogram": reflect.TypeFor[configs.Histogram](), "crosstabs": reflect.TypeFor[configs.Crosstabs](), "sum": reflect.TypeFor[configs.Aggregate](), "by": reflect.TypeFor[configs.Dimension](),
		"values_from": reflect.TypeFor[configs.ValuesFrom](), "nearest": reflect.TypeFor[configs.Nearest](), "kernel": reflect.TypeFor[configs.Kernel](),
		"grid": reflect.TypeFor[configs.Grid](),
	} {
		for i := range of.NumField() {
			key, _, _ := strings.Cut(of.Field(i).Tag.Get("yaml"), ",")
			if notDrawn[name+"."+key] != "" {
				continue
			}
			if !strings.Contains(text, key+": ") {
				t.Errorf("no job has %s in %s: let drawing draw it, or say in notDrawn why not", key, name)
			}
			for _, value := range strings.FieldsFunc(of.Field(i).Tag.Get("enum"), func(r rune) bool { return r == '|' }) {
				// drop is the default
				if !strings.Contains(text, key+": "+value) && !strings.Contains(text, key+": ["+value) && value != "drop" {
					t.Errorf("no job has %s: %s in %s", key, value, name)
				}
			}
		}
	}
	for _, unit := range []string{"unit: row", "unit: [u]", "unit: [w]", "unit: [u, w]"} {
		if !strings.Contains(text, unit) {
			t.Errorf("no job has %s", unit)
		}
	}
}
