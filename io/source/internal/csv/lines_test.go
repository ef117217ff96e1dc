package csv

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The three ways to split a record agree: searching for one byte, eight bytes at once, and the whole grammar. Fields
// are long and short, so that both fast ways run, and few have quotes.
func TestLinesAgree(t *testing.T) {
	piece := rapid.SampledFrom([]string{"", "a", "12", "2024-01-31 12:00:00", "\r", `"`, `"x"`, `"a,b"`, "\"line\nbreak\"",
		`"do""ubled"`, strings.Repeat("long ", 20)})
	plain := rapid.SampledFrom([]string{"", "7", "name", "2024-01-31 12:00:00", strings.Repeat("long ", 9), "\r"})
	ends := rapid.SampledFrom([]string{"\n", "\n", "\r\n"})
	taken := 0
	rapid.Check(t, func(t *rapid.T) {
		d := &Dialect{comma: ',', quote: '"'}
		var text strings.Builder
		for range rapid.IntRange(1, 30).Draw(t, "records") {
			fields := rapid.SliceOfN(plain, 1, 6)
			if rapid.IntRange(0, 5).Draw(t, "quoted") == 0 {
				fields = rapid.SliceOfN(piece, 1, 6)
			}
			text.WriteString("x" + strings.Join(fields.Draw(t, "fields"), ",") + ends.Draw(t, "end"))
		}
		b := []byte(text.String())
		needed := slices.Compact(slices.Sorted(slices.Values(rapid.SliceOfN(rapid.IntRange(0, 5), 0, 3).Draw(t, "needed"))))
		plain, words := &lines{dialect: d, needed: needed}, &lines{dialect: d, needed: needed, backoff: 1 << 30}
		general := splitter{d: d, eof: true, ordinary: -1}
		for at := 0; at < len(b); {
			n, _ := general.split(b[at:])
			want := make([]field, len(needed))
			for i, k := range needed {
				want[i] = missing
				if k < len(general.fields) {
					want[i] = general.fields[k]
					want[i].from += int32(at)
					want[i].to += int32(at)
				}
			}
			for name, l := range map[string]*lines{"plain": plain, "words": words} {
				got := make([]field, len(needed))
				next := l.split(b, at, got, 1)
				if next == at {
					continue // it needs a second look
				}
				if next != at+n || !slices.Equal(got, want) {
					t.Fatalf("%s: %q: record at %d ends at %d, fields %v; want %d, %v", name, b, at, next, got, at+n, want)
				}
				if name == "plain" && l.backoff == 0 {
					taken++
				}
			}
			at += n
		}
	})
	if taken == 0 {
		t.Error("no record was split by searches")
	}
}
