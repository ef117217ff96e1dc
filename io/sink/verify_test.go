package sink

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/ipc"

	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/query"

	goparquet "github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"
)

// A file is refused if it differs from its answer in one bit of one cell, in one label, or by one row.
func TestVerifyFindsDifferences(t *testing.T) {
	keys := []domain.KeyColumn{stringKey("k", numbered(100)...), intKey("i", 1, 2), floatKey("f", 0.5, 1.5)}
	for _, good := range []pipeline.Result{result("required", slices.Clone(keys)...),
		mean("nullable", slices.Clone(keys)...)} {
		for name, f := range builtin() {
			data := written(t, f, good)
			for what, bad := range changed(good) {
				err := verified(t, f, data, bad)
				var differs mismatch
				if !errors.As(err, &differs) {
					t.Errorf("%s as %s, %s: %v", good.Name, name, what, err)
				}
			}
		}
	}
}

// changed returns results that differ slightly from r. r has a string, an int and a float key.
func changed(r pipeline.Result) map[string]pipeline.Result {
	out := map[string]pipeline.Result{}
	last := func(s query.Series, to func(float64) float64) query.Series {
		return func(start int, dst []float64) {
			s(start, dst)
			if last := r.Answer.Cells - 1 - start; last < len(dst) {
				dst[last] = to(dst[last])
			}
		}
	}
	up := func(v float64) float64 { return math.Nextafter(v, math.Inf(1)) }
	bit, gone, extra := r, r, r
	bit.Answer.Low = last(r.Answer.Low, up)
	out["one bit of the last cell"] = bit
	gone.Answer.Low = last(r.Answer.Low, func(float64) float64 { return math.NaN() })
	out["the last value is missing"] = gone
	extra.Answer.Extra = append(slices.Clone(r.Answer.Extra), query.Extra{Name: "more", Values: series(1)})
	out["a column more"] = extra
	if len(r.Answer.Extra) > 0 {
		there, fewer, bit, renamed := r, r, r, r
		there.Answer.High = last(r.Answer.High, func(float64) float64 { return 1 })
		out["the last value is there"] = there
		fewer.Answer.Extra = r.Answer.Extra[:1]
		out["a column less"] = fewer
		bit.Answer.Extra = slices.Clone(r.Answer.Extra)
		bit.Answer.Extra[1].Values = last(r.Answer.Extra[1].Values, up)
		out["one bit of an extra"] = bit
		renamed.Answer.Extra = slices.Clone(r.Answer.Extra)
		renamed.Answer.Extra[1].Name = "other"
		out["the name of an extra"] = renamed
	}
	relabel := func(k int) pipeline.Result {
		c := r
		c.Answer.Keys = append(c.Answer.Keys[:0:0], r.Answer.Keys...)
		l := &c.Answer.Keys[k].Labels
		l.Strings, l.Ints, l.Floats = append(l.Strings[:0:0], l.Strings...), append(l.Ints[:0:0],
			l.Ints...), append(l.Floats[:0:0], l.Floats...)
		switch k {
		case 0:
			l.Strings[99] += "x"
		case 1:
			l.Ints[1]++
		default:
			l.Floats[1] = math.Nextafter(l.Floats[1], 2)
		}
		return c
	}
	out["a string label"], out["an int label"], out["a float label"] = relabel(0), relabel(1), relabel(2)
	fewer, more, renamed := r, r, relabel(0)
	fewer.Answer.Cells--
	more.Answer.Cells++
	renamed.Answer.Keys[0].Name, renamed.Answer.Keys[0].Labels = "other", r.Answer.Keys[0].Labels
	out["a row less"], out["a row more"], out["a column's name"] = fewer, more, renamed
	return out
}

// damageable are the formats with a reader, with the number of bytes that are damaged and numbers that they cannot
// represent.
var damageable = map[string]struct {
	format format
	read   func(t *testing.T, data []byte, want grid) grid
	end    func(t *testing.T, data []byte) int
	gone   func(float64) bool
}{
	"parquet": {parquetFormat{}, rowsGrid, endOfPages, math.IsNaN},
	"arrow": {arrowFormat{}, func(t *testing.T, data []byte, _ grid) grid { return ipcGrid(t, data) }, startOfFooter,
		math.IsNaN},
	"csv":  {CSVFormat{}, csvGrid, wholeFile, math.IsNaN},
	"json": {jsonFormat{}, jsonGrid, wholeFile, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }},
}

// Damage causes an error or leaves the cells unchanged: some bytes of a page's header do not matter.
func TestVerifyFindsDamage(t *testing.T) {
	keys := []domain.KeyColumn{stringKey("k", numbered(300)...), intKey("i", 1, 2)}
	for _, r := range []pipeline.Result{result("required", slices.Clone(keys)...),
		mean("nullable", slices.Clone(keys)...)} {
		for name, c := range damageable {
			t.Run(name+"/"+r.Name, func(t *testing.T) {
				data, want := written(t, c.format, r), expected(r).without(c.gone)
				rapid.Check(t, func(rt *rapid.T) {
					bad := bytes.Clone(data)
					bad[rapid.IntRange(0, c.end(t, data)-1).Draw(rt, "at")] ^= byte(rapid.IntRange(1, 255).Draw(rt, "flip"))
					err := func() (err error) {
						defer recoverError(&err)
						return verified(t, c.format, bad, r)
					}()
					if err == nil {
						want.same(t, c.read(t, bad, want))
					}
				})
			})
		}
	}
}

// A file that is truncated, or has bytes after its end, is refused.
func TestVerifyFindsTheEnd(t *testing.T) {
	r := result("q", stringKey("k", numbered(300)...))
	for name, f := range builtin() {
		data := written(t, f, r)
		for what, bad := range map[string][]byte{
			"nothing": {}, "half": data[:len(data)/2], "a byte less": data[:len(data)-1],
			"a byte more": append(bytes.Clone(data), 'x'),
		} {
			if name == "csv" && what == "a byte less" {
				continue // the last line needs no end in CSV
			}
			err := func() (err error) {
				defer recoverError(&err)
				return verified(t, f, bad, r)
			}()
			if err == nil {
				t.Errorf("%s, %s: no error", name, what)
			}
		}
	}
}

func wholeFile(_ *testing.T, data []byte) int { return len(data) }

// startOfFooter returns the start of an Arrow file's footer. Its length is stored before the magic at the end.
func startOfFooter(_ *testing.T, data []byte) int {
	end := len(data) - len(ipc.Magic) - 4
	return end - int(binary.LittleEndian.Uint32(data[end:]))
}

func endOfPages(t *testing.T, data []byte) int {
	t.Helper()
	f, err := goparquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return int(f.Metadata().RowGroups[0].Columns[0].ColumnIndexOffset)
}
