package queries

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/io/table"
)

// refTexts returns the texts of a row's values with a byte 0 between them. Null and NaN are the byte 255.
func refTexts(names []string, t *testTable, row []value) []byte {
	texts := make([][]byte, len(names))
	for i, name := range names {
		at := t.schema().Index(name)
		v := row[at]
		text := v.s
		switch t.fields[at].Type.Kind {
		case table.Int:
			text = fmt.Sprint(v.n)
		case table.Bool:
			text = strconv.FormatBool(v.n != 0)
		case table.Float:
			text = strings.TrimPrefix(strconv.FormatFloat(v.x, 'f', -1, 64), "-") // the test's floats are not negative
		}
		if v.null || t.fields[at].Type.Kind == table.Float && math.IsNaN(v.x) {
			text = "\xff"
		}
		texts[i] = []byte(text)
	}
	return bytes.Join(texts, []byte{0})
}

// refSampleDigest returns the digest by which rows of a unit are ordered.
func refSampleDigest(names []string, t *testTable, row []value) string {
	prime, sum := big.NewInt(2147483579), new(big.Int)
	for _, name := range names {
		at := t.schema().Index(name)
		n := big.NewInt(row[at].n)
		switch t.fields[at].Type.Kind {
		case table.Int, table.Bool:
		default:
			d := sha256.Sum256(refTexts(names, t, row))
			return string(d[:8])
		}
		if row[at].null {
			n.SetInt64(1 << 30)
		}
		sum.Add(sum, n).Mul(sum, big.NewInt(1001234567))
	}
	return fmt.Sprintf("%010d", sum.Exp(sum.Mod(sum, prime), big.NewInt(3), prime))
}

// refSampled computes the exact answers of queries with the same sample of rows. A row is kept if its unit has at most
// MaxRows rows with the same or a smaller digest.
func refSampled(specs []Spec, t *testTable) [][]int64 {
	s := specs[0]
	digests, byUnit := make([]string, len(t.rows)), map[string][]string{}
	for i, row := range t.rows {
		digests[i] = refSampleDigest(slices.Concat(s.Unit, s.SampleBy), t, row)
		unit := refUnit(s, t, row)
		byUnit[unit] = append(byUnit[unit], digests[i])
	}
	out := make([][]int64, len(specs))
	for i, q := range specs {
		size := 1
		for _, d := range q.By {
			size *= refSize(d)
		}
		out[i] = make([]int64, size)
		for k, row := range t.rows {
			unit, cell := refUnit(s, t, row), 0
			for _, d := range q.By {
				c := refAxis(q, d, t, row)
				if cell = cell*refSize(d) + c; c < 0 {
					cell = math.MinInt32
				}
			}
			below := int64(0)
			for _, d := range byUnit[unit] {
				if d <= digests[k] {
					below++
				}
			}
			if unit != "" && cell >= 0 && below <= s.Bounds.MaxRows {
				out[i][cell]++
			}
		}
	}
	return out
}

// sampledSpecs draws specs with the same sample_by.
func sampledSpecs(t *rapid.T) []Spec {
	specs := severalSpecs(t)
	by := rapid.SampledFrom([][]string{{"u"}, {"v"}, {"int"}, {"flag", "int"}, {"int", "text"}, {"text", "flag"}}).Draw(t, "sample by")
	rows := rapid.Int64Range(1, 40).Draw(t, "max rows")
	specs = specs[:rapid.IntRange(1, len(specs)).Draw(t, "some queries")]
	for i := range specs {
		specs[i].Bounds, specs[i].SampleBy = Bounds{MaxRows: rows}, by
		if len(specs[i].Unit) == 0 {
			specs[i].Unit = []string{"v"}
		}
	}
	return specs
}

// The answers of queries with the same sample equal the reference's: for every order of the rows, batches, encoding and
// number of workers, in memory and spilled.
func TestSampledRowsEqualTheReference(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		specs, tab := sampledSpecs(rt), randomTable(rt)
		want, qs := refSampled(specs, tab), queriesOf(t, specs)
		shuffled := &testTable{fields: tab.fields, rows: rapid.Permutation(tab.rows).Draw(rt, "order")}
		cuts := rapid.SliceOfN(rapid.IntRange(0, len(tab.rows)), 0, 5).Draw(rt, "cuts")
		how := encoding(rapid.IntRange(0, int(encodings)-1).Draw(rt, "encoding"))
		workers := rapid.IntRange(1, 4).Draw(rt, "workers")
		for _, spill := range spills() {
			for i, a := range togetherOf(t, qs, tab.schema(), spill, layouts(qs, shuffled, cuts, how), workers) {
				if got := counted(t, a); !slices.Equal(got, want[i]) {
					rt.Fatalf("query %d of %+v: %v, want %v", i, specs, got, want[i])
				}
			}
		}
	})
}

// The same rows of a unit are kept if the unit is oversized, and the tally counts the rows that the bound drops.
func TestSampledRowsOfOversizedUnits(t *testing.T) {
	asGathered = true
	defer func() { asGathered = false }()
	tab := busy(150)
	for _, by := range [][]string{{"x"}, {"u", "x"}} {
		specs := []Spec{spec(5, Bounds{MaxRows: 20}), spec(2, Bounds{MaxRows: 20}), spec(1, Bounds{MaxRows: 20})}
		for i := range specs {
			specs[i].Unit, specs[i].Name, specs[i].SampleBy = []string{"v"}, fmt.Sprint("q", i), by
		}
		qs, want := queriesOf(t, specs), refSampled(specs, tab)
		for _, x := range []*tightSpill{{share: 1 << 40, room: 1 << 40}, {share: 1 << 13, room: 1 << 12}, {room: 200}} {
			for i, a := range togetherOf(t, qs, tab.schema(), x, layouts(qs, tab, []int{100, 200, 900}, dictionaryKept), 2) {
				got := counted(t, a)
				if !slices.Equal(got, want[i]) || sum(got) == 0 {
					t.Errorf("by %v, query %d, room %d: %v, want %v", by, i, x.room, got, want[i])
				}
				if b := a.Bounded(); b.Rows-b.Cut != sum(got) || b.Cut == 0 {
					t.Errorf("by %v, query %d, room %d: tally %+v, %d rows", by, i, x.room, b, sum(got))
				}
			}
		}
	}
}

// If queries have sample_by, the answers of neighbouring tables differ by at most the sensitivity of max_rows.
func TestSampledNeighboursDifferByAtMostTheSensitivity(t *testing.T) {
	neighboursTogether(t, sampledSpecs)
}

// sample_by is refused with other bounds than max_rows, because it could keep more rows than these allow.
func TestSamplesWithOtherBounds(t *testing.T) {
	for _, b := range []Bounds{{}, {MaxRows: 5, MaxGroups: 1}, {MaxRows: 5, MaxRowsPerGroup: 1}, {MaxGroups: 1,
		MaxRowsPerGroup: 1}} {
		s := spec(3, b)
		s.Unit, s.SampleBy = []string{"v"}, []string{"x"}
		if _, err := New(s); err == nil || !strings.Contains(err.Error(), "sample_by") {
			t.Errorf("%+v: %v", b, err)
		}
	}
}

// sample_by refuses floats, which have several texts, and lists, which have none.
func TestColumnsOfSamples(t *testing.T) {
	s := spec(3, Bounds{MaxRows: 5})
	s.Unit = []string{"u"}
	for name, kind := range map[string]table.Kind{"f": table.Float, "l": table.List, "none": table.Invalid} {
		s.SampleBy = []string{name}
		fields := []table.Field{{Name: "x", Type: table.Type{Kind: table.Int}}, {Name: "u", Type: table.Type{Kind: table.Int}}}
		if kind != table.Invalid {
			fields = append(fields, table.Field{Name: name, Type: table.Type{Kind: kind}})
		}
		_, err := must(t, s).Aggregation(table.Schema{Fields: fields})
		if err == nil || !strings.Contains(err.Error(), "sample_by") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
