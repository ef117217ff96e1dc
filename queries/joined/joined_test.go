package joined

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/io/table"
)

func sideOf(units int, limit int64, key table.Kind) *Side {
	fields := []table.Field{{Name: "key", Type: table.Type{Kind: key}}, {Name: "a", Type: table.Type{Kind: table.String}},
		{Name: "b", Type: table.Type{Kind: table.String}}}
	return NewSide(Form{Keys: []string{"key"}, Add: []string{"a", "b"}, Units: units, Columns: []string{"key", "a", "b"},
		Schema: table.Schema{Fields: fields}}, 0, limit)
}

// texts returns a column of texts.
func texts(values ...string) table.Column {
	c := table.Column{Type: table.Type{Kind: table.String}}
	c.Values.Offsets = []uint32{0}
	for _, v := range values {
		c.Values.Data = append(c.Values.Data, v...)
		c.Values.Offsets = append(c.Values.Offsets, uint32(len(c.Values.Data)))
	}
	return c
}

// Rows in descending order replace their partners again and again. The side keeps all keys, and the memory of replaced
// values is used again, whether later values are shorter or longer.
func TestReplacedPartnersTakeNoMemory(t *testing.T) {
	const keys, limit = 100, 100 * (recordBytes + 8 + 400)
	for name, length := range map[string]func(round int) int{
		"alike":  func(int) int { return 100 },
		"longer": func(round int) int { return round },
	} {
		s := sideOf(0, limit, table.String)
		l := s.Loader()
		for round := range 200 {
			var key, a, b []string
			for k := range keys {
				key = append(key, fmt.Sprintf("key %04d", k))
				a = append(a, string(rune(255+200-round)))
				b = append(b, strings.Repeat("x", length(round)))
			}
			batch := &table.Batch{Rows: keys, Columns: []table.Column{texts(key...), texts(a...), texts(b...)}}
			if err := l.Add(batch); err != nil {
				t.Fatal(err)
			}
			if s.records.bytes > limit {
				t.Fatalf("%s: %d bytes in round %d, more than %d", name, s.records.bytes, round, limit)
			}
		}
		if !s.Whole() || len(s.records.values) != keys {
			t.Errorf("%s: the range ends at %x, %d records", name, s.to, len(s.records.values))
		}
		s.Complete()
		for _, code := range s.columns[0].codes {
			if text := s.columns[0].values.Bytes(int(code)); string(text) != string(rune(256)) {
				t.Errorf("%s: a partner is not the smallest row", name)
			}
		}
	}
}

// A single key cannot be divided. Its records are compacted nevertheless.
func TestOneKeyIsCompacted(t *testing.T) {
	r := newRecords()
	s := &Side{Form: Form{Add: []string{"a"}}, to: math.MaxUint64, limit: 1, records: r}
	for i := range uint64(1000) {
		value := make([]byte, 8+i) // longer each time
		binary.BigEndian.PutUint64(value, math.MaxUint64-i)
		s.records.add(0, 7, value, 0)
		s.shrink()
		if live := recordBytes + int64(len(value)); s.records.bytes > 2*live {
			t.Fatalf("%d bytes for a value of %d", s.records.bytes, len(value))
		}
	}
}

// All keys that are texts are counted, also after one that several units have.
func TestTextKeysAreCounted(t *testing.T) {
	s := sideOf(1, math.MaxInt64, table.String)
	long := strings.Repeat("k", 1000)
	rows := [][3]string{{"k", "u", ""}, {"k", "v", ""}, {long + "1", "u", ""}, {long + "2", "v", ""},
		{long + "2", "u", ""}}
	var key, a, b []string
	for _, r := range rows {
		key, a, b = append(key, r[0]), append(a, r[1]), append(b, r[2])
	}
	batch := &table.Batch{Rows: len(rows), Columns: []table.Column{texts(key...), texts(a...), texts(b...)}}
	if err := s.Loader().Add(batch); err != nil {
		t.Fatal(err)
	}
	values := int64(0)
	for _, v := range s.records.values {
		values += int64(len(v)) + int64(s.unitBytes(v)) + recordBytes
	}
	if got := s.records.bytes - values; got < 1+2*1001 || got > 3*1100 {
		t.Errorf("keys of %d bytes were counted as %d", 1+2*1001, got)
	}
}

// Empty texts are no keys: a row with one has no partner, even if rows of the other side have empty texts too.
func TestEmptyTextsAreNoKeys(t *testing.T) {
	for _, units := range []int{0, 1} {
		s := sideOf(units, math.MaxInt64, table.String)
		batch := &table.Batch{Rows: 2, Columns: []table.Column{texts("", "k"), texts("u", "v"), texts("1", "2")}}
		if err := s.Loader().Add(batch); err != nil {
			t.Fatal(err)
		}
		s.Complete()
		if len(s.columns[0].valid) != 1 {
			t.Errorf("%d units: %d partners, want 1", units, len(s.columns[0].valid))
		}
		rows := s.Rows(s.Keys, []string{"key"}, s.Schema)
		var got []string
		err := rows.Join(&table.Batch{Rows: 2, Columns: []table.Column{texts("", "k")}}, func(b *table.Batch) error {
			for i := range b.Rows {
				partner := "none"
				if c := &b.Columns[1]; !c.IsNull(i) {
					partner = string(c.Values.Bytes(c.Index(i)))
				}
				got = append(got, partner)
			}
			return nil
		})
		want := []string{"none", "v"}
		if units > 0 {
			want = want[1:]
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%d units: partners %q, want %q (%v)", units, got, want, err)
		}
	}
}

// One key may have any number of units, with names of any length: a side holds some of them, at least one, and each
// unit's row comes from one side.
func TestUnitsOfOneKeyTakeSeveralSides(t *testing.T) {
	const n = 300
	var key, unit, of, want []string
	for i := range n {
		name := fmt.Sprintf("%0*d", 1+i%40, i)
		key, unit, of = append(key, "k", "k", "j"), append(unit, name, name, name), append(of, "2", "1", "0")
		want = append(want, name+"/1")
	}
	slices.Sort(want)
	rows := &table.Batch{Rows: len(key), Columns: []table.Column{texts(key...), texts(unit...), texts(of...)}}
	for _, limit := range []int64{1, 5000, math.MaxInt64} {
		var got []string
		sides := 0
		for from, more := uint64(0), true; more; sides++ {
			s := sideOf(1, limit, table.String)
			s.from = from
			if err := s.Loader().Add(rows); err != nil {
				t.Fatal(err)
			}
			if s.records.bytes > max(limit, recordBytes+200) {
				t.Errorf("%d bytes, more than %d", s.records.bytes, limit)
			}
			s.Complete()
			err := s.Rows(s.Keys, []string{"key"}, s.Schema).Join(&table.Batch{Rows: 1, Columns: []table.Column{texts("k")}},
				func(b *table.Batch) error {
					for i := range b.Rows {
						unit, of := &b.Columns[1], &b.Columns[2]
						got = append(got, string(unit.Values.Bytes(unit.Index(i)))+"/"+string(of.Values.Bytes(of.Index(i))))
					}
					return nil
				})
			if err != nil {
				t.Fatal(err)
			}
			from, more = s.Next()
		}
		if slices.Sort(got); !slices.Equal(got, want) || limit < 1e6 && sides < 10 {
			t.Errorf("limit %d: %d sides give %d rows, want %d", limit, sides, len(got), len(want))
		}
	}
}
