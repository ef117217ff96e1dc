package partial

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/query"
)

// key is one key for all runs of the fuzzers.
var key = func() Key {
	k, err := NewKey(bytes.Repeat([]byte{7}, inputBytes))
	if err != nil {
		panic(err)
	}
	return k
}()

var fields = []table.Field{{Name: "u", Type: table.Type{Kind: table.String}},
	{Name: "v", Type: table.Type{Kind: table.Int}}, {Name: "x", Type: table.Type{Kind: table.String}}}

// accumulators returns accumulators of three queries that share the rows of units, one of them with discovered keys,
// and of one query whose unit is the row.
func accumulators(tb testing.TB) []*queries.Accumulator {
	tb.Helper()
	bounds := query.Bounds{MaxRows: 2, MaxGroups: 2}
	labels := domain.Dimension{Column: "x", Labels: []domain.Label{{Name: "a", Members: []string{"a"}},
		{Name: "b", Members: []string{"b"}}}}
	var of []*aggregation.Aggregation
	for _, s := range []query.Spec{
		{Name: "a", Kind: query.Histogram, Unit: []string{"u", "v"}, Bounds: bounds, By: []domain.Dimension{labels}},
		{Name: "b", Kind: query.Histogram, Unit: []string{"u", "v"}, Bounds: bounds,
			By: []domain.Dimension{{Column: "x", Discover: true}}},
		{Name: "c", Kind: query.Count, Unit: []string{"u", "v"}, Bounds: bounds},
		{Name: "d", Kind: query.Histogram, By: []domain.Dimension{labels}},
	} {
		q, err := queries.New(s)
		if err != nil {
			tb.Fatal(err)
		}
		a, err := q.Aggregation(table.Schema{Fields: fields})
		if err != nil {
			tb.Fatal(err)
		}
		of = append(of, a)
	}
	all, err := queries.NewAccumulators(of, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return all
}

// saved returns the state of accumulators with a few rows.
func saved(tb testing.TB) []byte {
	tb.Helper()
	texts := func(s ...string) table.Column {
		c := table.Column{Type: fields[0].Type, Values: table.Values{Offsets: []uint32{0}}}
		for _, t := range s {
			c.Values.Data = append(c.Values.Data, t...)
			c.Values.Offsets = append(c.Values.Offsets, uint32(len(c.Values.Data)))
		}
		return c
	}
	u, x := texts("p", "q", "p", "p", ""), texts("a", "b", "b", "c", "a")
	v := table.Column{Type: fields[1].Type, Values: table.Values{Ints: []int64{1, 2, 1, 1, -1}}}
	all := accumulators(tb)
	for i, a := range all {
		columns := [][]table.Column{{x, u, v}, {x, u, v}, {u, v}, {x}}[i]
		if err := a.Add(&table.Batch{Rows: 5, Columns: columns}); err != nil {
			tb.Fatal(err)
		}
	}
	var b bytes.Buffer
	if err := queries.Save(all, &b); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// Reading a state from arbitrary bytes does not panic. It succeeds, and then gives totals, or its error is ErrState.
func FuzzState(f *testing.F) {
	whole := saved(f)
	f.Add(whole)
	for i := range whole {
		changed := bytes.Clone(whole)
		changed[i] ^= 0x81
		f.Add(changed)
		f.Add(whole[:i])
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		all := accumulators(t)
		err := queries.Load(all, bytes.NewReader(text))
		if err != nil {
			if !errors.Is(err, queries.ErrState) {
				t.Fatal(err)
			}
			return
		}
		if len(text) > 1<<12 {
			return
		}
		var b bytes.Buffer
		if err := queries.Save(all, &b); err != nil {
			t.Fatal(err)
		}
		if err := queries.Load(accumulators(t), &b); err != nil {
			t.Fatalf("what was read and saved cannot be read: %v", err)
		}
	})
}

// Reading a stream from arbitrary bytes does not panic, and accepts no stream that was changed.
func FuzzStream(f *testing.F) {
	sealed, err := key.Encrypt(bytes.Repeat([]byte("private"), 20000))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sealed)
	for _, n := range []int{0, 7, headBytes - 1, headBytes, headBytes + 15, headBytes + chunkBytes + 16, len(sealed) - 1} {
		f.Add(sealed[:n])
		changed := bytes.Clone(sealed)
		changed[min(n, len(sealed)-1)] ^= 1
		f.Add(changed)
	}
	// The first chunk twice, and the second one alone.
	f.Add(append(bytes.Clone(sealed[:headBytes+chunkBytes+16]), sealed[headBytes:]...))
	f.Add(append(bytes.Clone(sealed[:headBytes]), sealed[headBytes+chunkBytes+16:]...))
	f.Fuzz(func(t *testing.T, text []byte) {
		plain, err := key.Decrypt(text)
		if err == nil && !bytes.Equal(text, sealed) {
			t.Fatalf("%d bytes that nobody sealed are taken for sound", len(plain))
		}
		if r, err := NewReader(bytes.NewReader(text), key); err == nil {
			_ = r.Load(accumulators(t))
		}
		_, _ = NewOpener(key).Message(text)
	})
}

// A part contains no readable value of a row, and two parts of the same rows differ.
func TestNothingIsPlain(t *testing.T) {
	const secret = "a text that stands in every row"
	one, err := key.Encrypt([]byte(secret))
	if err != nil {
		t.Fatal(err)
	}
	other, err := key.Encrypt([]byte(secret))
	if err != nil || bytes.Contains(one, []byte(secret[:8])) ||
		bytes.Equal(one[headBytes:][:len(secret)], other[headBytes:][:len(secret)]) {
		t.Errorf("%v: the text, or its encryption, can be seen", err)
	}
	for range 2 {
		d, err := newDecrypted(bytes.NewReader(one), key)
		if err != nil {
			t.Fatal(err)
		}
		if plain, err := io.ReadAll(d); err != nil || string(plain) != secret {
			t.Errorf("%q, %v", plain, err)
		}
	}
	again, err := ParseKey(key.Reveal())
	if err != nil || again != key {
		t.Errorf("the key's text gives another key: %v", err)
	}
	for _, text := range []string{"", "x", keyMark, key.Reveal()[1:], key.Reveal()[:40], keyMark + "AAAA"} {
		if _, err := ParseKey(text); !errors.Is(err, ErrKey) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// packed packs accumulators with a few rows into messages for n buckets. buckets holds the bucket of each message, and
// last is the packed message.
func packed(t *testing.T, k Key, n int) (buckets []int, last []byte) {
	t.Helper()
	all := accumulators(t)
	if err := queries.Load(all, bytes.NewReader(saved(t))); err != nil {
		t.Fatal(err)
	}
	err := k.Pack(PartHeader{}, all, n, func(bucket int, message []byte) {
		buckets, last = append(buckets, bucket),
			message
	})
	if err != nil || len(buckets) < 2 || buckets[len(buckets)-1] != n {
		t.Fatalf("%v: %v", buckets, err)
	}
	return buckets, last
}

// The bucket of a unit depends on the key of the run and on nothing else. The probability that two units fall into the
// same two of 1,024 buckets under all eight keys is below 2^-100.
func TestBucketsAreOfTheRun(t *testing.T) {
	seen := map[string]bool{}
	for range 8 {
		k, err := NewKey(make([]byte, inputBytes))
		if err != nil {
			t.Fatal(err)
		}
		buckets, _ := packed(t, k, 1024)
		again, _ := packed(t, k, 1024)
		slices.Sort(buckets)
		slices.Sort(again)
		if !slices.Equal(buckets, again) {
			t.Errorf("%v and %v are of one run", buckets, again)
		}
		seen[fmt.Sprint(buckets)] = true
	}
	if len(seen) == 1 {
		t.Error("the buckets of all runs are the same")
	}
}

// A message with bytes after its answers is refused.
func TestMessagesEnd(t *testing.T) {
	_, message := packed(t, key, 3)
	plain, err := key.Decrypt(message)
	if err != nil {
		t.Fatal(err)
	}
	for more, want := range map[string]error{"": nil, "\x00": ErrDamaged} {
		sealed, err := key.Encrypt(append(append(bytes.Clone(plain[:len(plain)-1]), more...), packedKind))
		if err != nil {
			t.Fatal(err)
		}
		m, err := NewOpener(key).Message(sealed)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.LoadTotals(accumulators(t)); !errors.Is(err, want) {
			t.Errorf("%q behind the answers: %v", more, err)
		}
	}
}

// A part with bytes after its state is refused, even if they are authentic.
func TestPartsEnd(t *testing.T) {
	text, err := json.Marshal(PartHeader{Shard: 1, Of: 1})
	if err != nil {
		t.Fatal(err)
	}
	for more, want := range map[string]error{"": nil, "\x00": ErrDamaged} {
		plain := append(binary.BigEndian.AppendUint64(nil, uint64(len(text))), text...)
		sealed, err := key.Encrypt(append(append(plain, saved(t)...), more...))
		if err != nil {
			t.Fatal(err)
		}
		r, err := NewReader(bytes.NewReader(sealed), key)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Load(accumulators(t)); !errors.Is(err, want) {
			t.Errorf("%q behind the state: %v", more, err)
		}
	}
}

// A part with an impossible header is refused, even if it is authentic.
func TestImpossibleHeaders(t *testing.T) {
	for name, change := range map[string]func(*PartHeader){
		"":                     func(*PartHeader) {},
		"no shard":             func(s *PartHeader) { s.Shard = 0 },
		"a shard too many":     func(s *PartHeader) { s.Shard = 3 },
		"no shards":            func(s *PartHeader) { s.Of = 0 },
		"of another shard":     func(s *PartHeader) { s.Shard = 2 },
		"more splits":          func(s *PartHeader) { s.To = 3 },
		"fewer splits":         func(s *PartHeader) { s.From = 1 },
		"a digest is missing":  func(s *PartHeader) { s.Digests = s.Digests[1:] },
		"one digest more":      func(s *PartHeader) { s.Digests = append(s.Digests, []byte{3}) },
		"another file":         func(s *PartHeader) { s.Files = s.Files[1:] },
		"negative splits":      func(s *PartHeader) { s.Files = []File{{Splits: 5}, {Splits: -1}} },
		"splits that overflow": func(s *PartHeader) { s.Files = []File{{Splits: 1 << 62}, {Splits: 1 << 62}} },
		"negative rows":        func(s *PartHeader) { s.Rows = -1 },
		"negative blanks":      func(s *PartHeader) { s.Blanks = -1 },
	} {
		s := PartHeader{Shard: 1, Of: 2, To: 2, Files: []File{{Splits: 3}, {Splits: 1}}, Digests: [][]byte{{1}, {2}}}
		change(&s)
		var b bytes.Buffer
		if err := Write(&b, key, &s, accumulators(t)); err != nil {
			t.Fatal(err)
		}
		if _, err := NewReader(&b, key); (name == "") != (err == nil) || err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
