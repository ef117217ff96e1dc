package stabilitytest

import (
	"math"
	"math/rand/v2"
	"strings"
)

// Values that libraries get wrong, and small values that often equal each other and the edges and labels of jobs.
var (
	smallInts = []int64{0, 1, 2, 3, 5, 10, 30, 40, 50, 99, 100, -1, -5}
	hugeInts  = []int64{
		math.MaxInt64, math.MinInt64, math.MaxInt64 - 1, math.MinInt64 + 1, math.MaxInt32, math.MinInt32, math.MaxInt32 +
			1, math.MinInt32 - 1,
		math.MaxUint32, math.MaxUint32 + 1, 1 << 53, 1<<53 + 1, -1<<53 - 1, 127, 128, -128, -129, 255, 256, 65535, 65536,
	}
	smallFloats = []float64{0, 1, 5, 10, 30, 39.5, 40, 40.5, 50, 99, 100, -1, -5, 0.1, 0.5}
	oddFloats   = []float64{
		math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.Inf(1),
		math.Inf(-1), math.Copysign(0, -1), math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64,
		math.MaxFloat64, -math.MaxFloat64, 0x1p-1022, math.Nextafter(40, 41), math.Nextafter(40, 39), 1 << 53, 1<<53 +
			2, 1e308, -1e308, 1e-300,
		math.Float64frombits(0xfff8000000000001), math.Float64frombits(0x7ff0000000000001),
		math.Float64frombits(0xffffffffffffffff),
	}
	smallTexts = []string{"a", "b", "c", "red", "blue", "green"}
	oddTexts   = []string{
		"", " ", "null", "other", "NULL", "NaN", "nan", "-0", "0", "1", "01", "1.0", "40", "40.5", "1e400", "-1e-400", "+5",
		".5e2", "50.", "0x10", "1_0", "9223372036854775808", "40.00000000000000000000000000001", "inf", "-Infinity",
		"a\x00", "a\x00b", "\x00",
		"\xff", "\xff\xfe", "a\xff", "é", "e\u0301", "\u00e9", "\U0001F600", "\uFEFFa", "#a", "# ", "a,b", "a\"b", "\"",
		"\"\"", "a\nb", "a\r\nb", "\r", "\n", "\\N", "-",
		"2013-01-01", "true", "aaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaab", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab",
		strings.Repeat("\xff", 17), strings.Repeat("\xff", 40),
		strings.Repeat("\u00ff", 20), strings.Repeat("k", 1024), strings.Repeat("k",
			1025), "A", "~", "\x7f", "\u0080", "row", "\t", "a ", " a",
	}
)

// Days and instants around the edges of jobs, at changes of clocks and leap days, and at the limits of integers.
var (
	days = []int64{0, 15706, 15707, 15708, 15736, 15737, 16071, 19782, -1, -719162, 2932896}
	ends = []int64{math.MaxInt32, math.MinInt32, math.MaxInt32 - 1}
	// In microseconds: 2013-01-01 and the hours around it, 2013-03-10 and 2013-11-03 in New York, the year 1, the year
	// 9999.
	instants = []int64{
		0, -1, 1356998400e6, 1356998400e6 - 1, 1357002000e6, 1357041600e6, 1357084800e6, 1362897000e6, 1362898800e6,
		1362900600e6, 1383456600e6,
		1383460200e6, 1383463800e6, 1709164800e6, -62135596800e6, 253402300799e6, 1357603199999999, 1357603200e6,
	}
	farInstants = []int64{math.MaxInt64, math.MinInt64, math.MaxInt64 - 1, math.MinInt64 + 1, math.MaxInt64 / 1000,
		math.MinInt64 / 1000, 1 << 60, -1 << 60}
	// Latitudes and longitudes around the points of the jobs and the corners of their grids.
	places = []float64{40.7, 40.75, 40.7501, 40.752, 40.76, 40.88, -73.9, -73.98, -73.9801, -73.99, -74.02, 0, 90, -90,
		180, -180, 90.001, 360}
)

// cell draws a value for a column. far is the probability of an odd value, such as NaN or the largest integer.
func cell(r *rand.Rand, c Column, far float64) any {
	if c.Optional && r.Float64() < 0.15 {
		return nil
	}
	odd := r.Float64() < far
	switch c.Kind {
	case Float64, Float32:
		return floatCell(r, c, odd)
	case Text:
		if odd {
			return pick(r, oddTexts)
		}
		return pick(r, smallTexts)
	case Bool:
		return r.IntN(2) == 0
	case List:
		return listCell(r, odd)
	case Uint64:
		if odd {
			return uint64(pick(r, hugeInts))
		}
		return uint64(max(pick(r, smallInts), 0))
	}
	return intCell(r, c.Kind, odd)
}

func floatCell(r *rand.Rand, c Column, odd bool) float64 {
	x := pick(r, smallFloats)
	switch {
	case odd:
		x = pick(r, oddFloats)
	case c.Name == "lat", c.Name == "lon":
		x = pick(r, places)
	case r.IntN(4) == 0:
		x = 120*r.Float64() - 10
	}
	if c.Kind == Float32 {
		return float64(float32(x))
	}
	return x
}

func intCell(r *rand.Rand, k Kind, odd bool) int64 {
	x := pick(r, smallInts)
	if odd {
		x = pick(r, hugeInts)
	}
	switch k {
	case Int32:
		return int64(int32(x))
	case Date:
		if odd {
			return pick(r, ends)
		}
		return pick(r, days)
	case Instant, Clock:
		if odd {
			return pick(r, farInstants)
		}
		return pick(r, instants)
	case Cents:
		return x % 1_000_000_000
	case Whole:
		return x % 1_000_000_000_000
	}
	return x
}

// listLength is the number of elements in the lists that jobs use.
const listLength = 3

func listCell(r *rand.Rand, odd bool) []float64 {
	n := listLength
	if odd && r.IntN(2) == 0 {
		n = r.IntN(5)
	}
	list := make([]float64, n)
	for i := range list {
		list[i] = floatCell(r, Column{}, odd)
	}
	return list
}

func pick[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }

// some returns n random items in their original order, or all if there are fewer.
func some[T any](r *rand.Rand, n int, of []T) []T {
	var out []T
	for i, x := range of {
		if r.IntN(len(of)-i) < n-len(out) {
			out = append(out, x)
		}
	}
	return out
}
