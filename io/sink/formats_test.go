package sink

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/query"
)

func written(t testing.TB, f format, r pipeline.Result) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := f.Write(t.Context(), &b, tableOf(t, r)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func verified(t testing.TB, f format, data []byte, r pipeline.Result) error {
	t.Helper()
	return verify(t.Context(), f, bytes.NewReader(data), int64(len(data)), tableOf(t, r))
}

// numbered returns n distinct labels.
func numbered(n int) []string {
	labels := make([]string, n)
	for i := range labels {
		labels[i] = fmt.Sprintf("n%d", i)
	}
	return labels
}

// extremes returns doubles that encodings often get wrong.
func extremes(name string) pipeline.Result {
	r := result(name, stringKey("k", "a", "b", "c"), intKey("i", math.MinInt64, -1, 0, math.MaxInt64))
	r.Answer.Noisy = series(math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0)
	r.Answer.Estimate = series(math.SmallestNonzeroFloat64, -math.MaxFloat64, 0.1, 1e21, 1e-7)
	r.Answer.Sigma = series(math.NaN())
	r.Answer.Low = series(math.Nextafter(1, 2), 1.0/3, 123456789012345680, -0.5)
	return r
}

func sparse(r pipeline.Result, estimate ...float64) pipeline.Result {
	r.Sparse = true
	r.Answer.Estimate = series(estimate...)
	return r
}

// samples returns tables of every shape: all kinds of keys, no key, no row, many row groups, plain strings.
func samples(short bool) []pipeline.Result {
	all := []pipeline.Result{
		result("scalar"),
		result("mixed", stringKey("sex", "Male", "Female"), intKey("age_from", 0, 18, 65),
			floatKey("fare_from", -0.5, 2.25, math.Inf(1))),
		extremes("extremes"),
		result("hostile", stringKey("a,b\n\"c\"", "", ",", "\"", "a\nb", "é世", "=1+1", "-2", "@x", "+3", "'quoted", "'", "+x",
			"-", "\tt", "-5e3", " lead", "trail ", `\.`, "\r"), stringKey("plain key", "x")),
		sparse(result("sparse", stringKey("k", numbered(997)...), intKey("i", 1, 2, 3)), 0, 0, 1.5, 0, -2),
		sparse(result("none", stringKey("k", numbered(9)...)), 0),
		sparse(result("zeros", stringKey("k", numbered(9)...)), 0, math.Copysign(0, -1), math.NaN()),
		mean("means", stringKey("k", numbered(997)...), intKey("i", 1, 2, 3), floatKey("f", -0.5, math.Inf(1))),
		sparse(mean("thin means", stringKey("k", numbered(997)...)), 0, 1, math.NaN(), 2),
		sparse(mean("no means", stringKey("k", numbered(9)...)), 0),
		mean("one mean"),
	}
	if !short {
		all = append(all,
			result("groups", stringKey("day", numbered(7)...), stringKey("place", numbered(20_001)...)),
			result("distinct", stringKey("place", numbered(maxDictionary+1)...)),
			mean("many means", stringKey("day", numbered(7)...), stringKey("place", numbered(20_001)...)),
			sparse(result("thin", intKey("i", 1, 2, 3), stringKey("place", numbered(80_001)...)), 1, 0, 0, 2, 0, 3, 4),
		)
	}
	return all
}

// Other programs read the same cells, bit by bit.
func TestParquetIsReadAlike(t *testing.T) {
	owntest.Slow(t)
	for _, r := range samples(testing.Short()) {
		t.Run(r.Name, func(t *testing.T) {
			data, want := written(t, parquetFormat{}, r), expected(r)
			want.same(t, arrowGrid(t, data))
			want.same(t, xitongsysGrid(t, data, want))
			if err := verified(t, parquetFormat{}, data, r); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestArrowIsReadAlike(t *testing.T) {
	for _, r := range samples(testing.Short() || !owntest.Checking()) {
		t.Run(r.Name, func(t *testing.T) {
			data, want := written(t, arrowFormat{}, r), expected(r)
			want.same(t, ipcGrid(t, data))
			want.same(t, streamGrid(t, data))
			if err := verified(t, arrowFormat{}, data, r); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestTextIsReadAlike(t *testing.T) {
	owntest.Slow(t)
	for _, r := range samples(testing.Short()) {
		for name, f := range textFormats {
			t.Run(name+"/"+r.Name, func(t *testing.T) {
				data, want := written(t, f.format, r), expected(r).without(f.gone)
				if name == "json" && len(data) > 1<<21 { // reading token by token is slow
					if !json.Valid(data) {
						t.Error("not JSON")
					}
				} else {
					want.same(t, f.read(t, data, want))
				}
				if err := verified(t, f.format, data, r); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// textFormats have one reader each, and numbers that they cannot represent.
var textFormats = map[string]struct {
	format format
	read   func(t *testing.T, data []byte, want grid) grid
	gone   func(float64) bool
}{
	"csv":  {CSVFormat{}, csvGrid, math.IsNaN},
	"json": {jsonFormat{}, jsonGrid, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }},
}

// The bits of a NaN depend on the machine. So no file contains the NaN of a missing value.
func TestMissingValuesHaveOneForm(t *testing.T) {
	one := mean("q", stringKey("k", numbered(100)...))
	other := mean("q", stringKey("k", numbered(100)...))
	other.Answer.High = series(math.Float64frombits(0xfff8_0000_0000_0007))
	for name, f := range builtin() {
		if !bytes.Equal(written(t, f, one), written(t, f, other)) {
			t.Errorf("%s: the bytes depend on the bits of a NaN", name)
		}
	}
}

func TestRowsAreCounted(t *testing.T) {
	for _, r := range samples(testing.Short() || !owntest.Checking()) {
		want := len(expected(r).columns[len(r.Answer.Keys)].([]float64))
		for name, f := range builtin() {
			if got, err := f.Write(t.Context(), io.Discard, tableOf(t, r)); got != want || err != nil {
				t.Errorf("%s as %s: %d rows, %v; want %d", r.Name, name, got, err, want)
			}
		}
	}
}

func TestFloatTexts(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", math.Copysign(0, -1): "-0", 1: "1", -12.25: "-12.25", 0.1: "0.1", 1e20: "100000000000000000000",
		1e21: "1e+21",
		1e-6: "0.000001", 1e-7: "1e-07", math.Inf(1): "+Inf", math.Inf(-1): "-Inf", 2.5e-300: "2.5e-300",
	} {
		if got := string(appendFloat(nil, v)); got != want {
			t.Errorf("%g is written as %s, want %s", v, got, want)
		}
	}
	if got := string(appendFloat(nil, math.NaN())); got != "NaN" {
		t.Error(got)
	}
}

// The text of a double reads back as the same double and needs no quotes.
func TestFloatTextsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
		text := string(appendFloat(nil, v))
		got, err := strconv.ParseFloat(text, 64)
		if err != nil || !sameBits(got, v) && !(math.IsNaN(got) && math.IsNaN(v)) || strings.ContainsAny(text, ",\"\n\r ") {
			t.Fatalf("%x is written as %s", math.Float64bits(v), text)
		}
	})
}

func TestTexts(t *testing.T) {
	r := result("q", stringKey("k", `say "hi"`, "a,b", "=SUM(<A1>)"), intKey("n", 7))
	r.Answer.Noisy, r.Answer.Estimate, r.Answer.Sigma = series(1, -2.5, 1e6), series(1, 0, 1e6), series(4)
	r.Answer.Low, r.Answer.High = series(-7), series(math.NaN(), 9, 1e-7)
	r.Answer.Extra = []query.Extra{{Name: "more", Values: series(0.5)}}
	none := sparse(result("none"), 0)
	for _, c := range []struct {
		format format
		result pipeline.Result
		want   string
	}{
		{CSVFormat{}, r, `k,n,noisy,estimate,standard_deviation,ci95_low,ci95_high,more
"say ""hi""",7,1,1,4,-7,,0.5
"a,b",7,-2.5,0,4,-7,9,0.5
'=SUM(<A1>),7,1000000,1000000,4,-7,1e-07,0.5
`},
		{jsonFormat{}, r, `[
{"k":"say \"hi\"","n":7,"noisy":1,"estimate":1,"standard_deviation":4,"ci95_low":-7,"ci95_high":null,"more":0.5},
{"k":"a,b","n":7,"noisy":-2.5,"estimate":0,"standard_deviation":4,"ci95_low":-7,"ci95_high":9,"more":0.5},
{"k":"=SUM(<A1>)","n":7,"noisy":1000000,"estimate":1000000,"standard_deviation":4,"ci95_low":-7,"ci95_high":1e-07,"more":0.5}
]
`},
		{CSVFormat{}, none, "noisy,estimate,standard_deviation,ci95_low,ci95_high\n"},
		{jsonFormat{}, none, "[\n]\n"},
	} {
		if got := string(written(t, c.format, c.result)); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}

// A label that a format cannot represent is refused, not changed.
func TestRefusedLabels(t *testing.T) {
	mebibyte := strings.Repeat("x", 1<<20)
	for what, c := range map[string]struct {
		format format
		key    domain.KeyColumn
		want   error
	}{
		"arrow label": {arrowFormat{}, stringKey("k", "a", "b\xff"), errNotText},
		"json label":  {jsonFormat{}, stringKey("k", "a", "b\xff"), errNotText},
		"json name":   {jsonFormat{}, stringKey("k\xff", "a"), errNotText},
		"too long":    {arrowFormat{}, stringKey("k", slices.Repeat([]string{mebibyte}, 2048)...), errLabelsTooLong},
	} {
		if _, err := c.format.Write(t.Context(), io.Discard, tableOf(t, result("q", c.key))); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", what, err, c.want)
		}
	}
}

func TestCancellationStopsWriting(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := result("q", stringKey("k", numbered(40_000)...))
	r.Answer.Noisy = func(start int, _ []float64) {
		if start > 0 {
			t.Error("read on after the cancellation")
		}
		cancel()
	}
	for name, f := range builtin() {
		if _, err := f.Write(ctx, io.Discard, tableOf(t, r)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A file whose reading is stopped does not differ from its answer, wherever that happens.
func TestCancellationIsNoMismatch(t *testing.T) {
	r := result("q", stringKey("k", numbered(40_000)...))
	for name, f := range builtin() {
		data := written(t, f, r)
		for reads := range 3 {
			ctx, cancel := context.WithCancel(t.Context())
			at := cancelling{bytes.NewReader(data), &reads, cancel}
			err := failure("verify", name, verify(ctx, f, at, int64(len(data)), tableOf(t, r)))
			var stopped *Error
			if err != nil && (!errors.As(err, &stopped) || stopped.Code != CodeCancelled || !errors.Is(err, context.Canceled)) {
				t.Errorf("%s: %v", name, err)
			}
			cancel()
		}
	}
}

// cancelling cancels a context once some reads are done.
type cancelling struct {
	io.ReaderAt
	reads  *int
	cancel func()
}

func (c cancelling) ReadAt(p []byte, off int64) (int, error) {
	if *c.reads == 0 {
		c.cancel()
	}
	*c.reads--
	return c.ReaderAt.ReadAt(p, off)
}
