package sqlpushtest

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/pipeline/stabilitytest"
	"github.com/dprelease/dprelease/queries/domain"
)

// Numerals compares the numbers of texts: of all forms and sizes, halfway between two doubles and next to that, at the
// ends of the ranges of doubles and int64, and many that are no numbers. A cell of edges contains one double, so that
// each text's number is compared; the sum of the rows' numbers in a cell identifies its texts. No query is refused.
func Numerals(t *testing.T, s *Server) {
	t.Helper()
	columns := []stabilitytest.Column{{Name: "n", Kind: stabilitytest.Int64}, {Name: "u", Kind: stabilitytest.Int64},
		{Name: "c", Kind: stabilitytest.Text}, {Name: "d", Kind: stabilitytest.Text}}
	r := rand.New(rand.NewPCG(stabilitytest.Seed(t), 3))
	for layout := range uint64(3) {
		var types []string
		for _, c := range columns {
			types = append(types, s.Type(c.Kind, &stabilitytest.Case{Layout: layout}))
		}
		texts := numerals(r)
		var rows []stabilitytest.Row
		for n, text := range texts {
			rows = append(rows, stabilitytest.Row{int64(n), int64(n % 7), text, texts[(n*7+1)%len(texts)]})
		}
		if err := s.Load("numerals", columns, types, append(rows,
			stabilitytest.Row{int64(1), int64(1), nil, nil})); err != nil {
			t.Fatal(err)
		}
		unit := []string{"row", "[u], per_unit: {max_rows: 40}",
			"[c], per_unit: {max_groups: 2, max_rows_per_group: 1}"}[layout]
		p := Plan(t, fmt.Sprintf(`
version: 1
name: numerals
privacy: {epsilon: 1, delta: 1e-6, unit: %s}
input: {sql: {driver: postgres, dsn: unused, table: numerals}, where: [%s]}
queries:
  - {name: each, sum: {column: n, clamp: [0, 4000], by: [{column: c, edges: [%s], null: bin, other: bin}]}}
  - {name: open, histogram: {by: [{column: c, from: 0, to: 50, width: 5, last_edge: excluded}]}}
  - {name: small, sum: {column: c, clamp: [-1e-310, 1]}}
  - {name: large, mean: {column: c, clamp: [-9223372036854775808, 9223372036854775807], by: [{column: n, edges: [0, 100, 500, 5000]}]}}
  - {name: vectors, sum: {columns: [c, d, n], clip_l2: 1e10}}
  - {name: both, sum: {column: c, clamp: [0, 100], by: [{column: c, values: ["1", "40", "1e1", "inf"], other: bin}]}}
  - {name: grid, histogram: {by: [{grid: {lat: c, lon: d, south: -10, west: -10, north: 50, east: 50, rows: 6, cols: 6}, null: bin, other: bin}]}}
  - {name: near, histogram: {by: [{nearest: {lat: c, lon: d, points: points.csv, id: id, within_m: 1000000}, null: bin, other: bin, as: point}]}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: numerals, budget: {epsilon: 2, delta: 1e-5}}
`, unit, []string{"", `{column: c, min: "-1e300", max: "9007199254740993"}`, `{column: d, from: "0"}`}[layout], strings.Join(edgesOf(texts), ", ")))
		if same, err := s.Same(t, p, "numerals"); err != nil || same != "" {
			t.Fatalf("unit %s, columns %v: %v\n%s", unit, types, err, same)
		}
	}
}

// edgesOf returns the finite doubles of texts and the next double above each, so that each is in a cell of its own.
func edgesOf(texts []string) (edges []string) {
	at := map[float64]bool{}
	for _, text := range texts {
		if x, ok := domain.ParseFloat([]byte(text)); ok && !math.IsNaN(x) && math.Abs(x) < math.MaxFloat64 {
			at[x+0], at[math.Nextafter(x, math.Inf(1))] = true, true // -0 is 0
		}
	}
	for _, x := range slices.Sorted(maps.Keys(at)) {
		edges = append(edges, strconv.FormatFloat(x, 'e', -1, 64))
	}
	return edges
}

// numerals draws texts.
func numerals(r *rand.Rand) (texts []string) {
	texts = []string{
		"", "+", "-", ".", "+.", "e", "e5", ".e5", "1e", "1e+", "1e-", "--1", "+-1", "1-", "1 ", " 1", "\t1", "1\n", "\n1", "1\n2", "1,5", "1_000", "0x10", "0X1p3", "0b1", "1e1e1", "1.2.3", "..1", "1..", "1e1.5", "１", "٣", "1²", "½", "−1", "1\u00a0", "\ufeff1",
		"nan", "NaN", "+nan", "-nan", "inf", "+inf", "-Inf", "INFINITY", "-infinity", "infin", "infinity1", "\u0131nf", "\u0130NF", "İnf", "in\ufb00", "1f", "1d", "1.0f", "true", "null", "NULL", "1'", "1\\", "\\x31", "\\061", "$1", "?", "'", "a\\b",
		"0", "-0", "+0", "00", "0.", ".0", "-.0", "0e0", "0e999999999999", "-0e-99999999999999999999", "0.000e5", "000000000000000000000000000001", "1", "+1", "-1", "01", "1.", ".1", "1.e1", ".1e1", "1E5", "1e+05", "1e-00005", "40", "4e1", "40.0", "400e-1",
		"9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "+9223372036854775807", "0009223372036854775807", "9223372036854775807.0", "9007199254740993", "9007199254740993.0", "90071992547409931e-1", "99999999999999999999",
		"1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308", "1e308", "1e309", "-1e309", "1e310", "1e400", "1e99999999", "1e999999999", "1e1000000000", "1e99999999999999999999", "-1e9999999999", "5e-324", "4.9e-324", "2.4703282292062327e-324",
		"2.4703282292062328e-324", "2.5e-324", "-2.5e-324", "1e-323", "1e-324", "1e-400", "1e-999999999999", "2.2250738585072011e-308", "2.2250738585072014e-308", "1e23", "8.5e22", "123456789012345678901234567890e-10",
		strings.Repeat("0", 5000) + "5", "0." + strings.Repeat("0", 5000) + "5e5001", "5" + strings.Repeat("0", 5000) +
			"e-5000", "5" + strings.Repeat("0", 400), strings.Repeat("9", 900) + "." + strings.Repeat("9", 900), "1e" +
			strings.Repeat("0", 500) + "2", "." + strings.Repeat("3", 2000),
		strings.Repeat("0", 1<<20-1) + "7", strings.Repeat("0", 1<<20) + "7", "0." + strings.Repeat("0", 110_000) +
			"3e110001", strings.Repeat("x", 1<<20+1),
	}
	// the first that is infinite
	edge := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 1024), new(big.Int).Lsh(big.NewInt(1), 970)).String()
	// the last that is 0
	tiny := new(big.Int).Exp(big.NewInt(5), big.NewInt(1075), nil).String()
	below, above := new(big.Int), new(big.Int)
	below.SetString(edge, 10)
	above.SetString(tiny, 10)
	texts = append(texts, edge, edge+".0", edge+"."+strings.Repeat("0", 700)+"1", below.Sub(below, big.NewInt(1)).String(),
		below.String()+".9", edge[:300]+"e9", "-"+edge,
		tiny+"e-1075", tiny+"0e-1076", tiny+"1e-1076", above.Sub(above,
			big.NewInt(1)).String()+"e-1075", above.String()+"9e-1076", "0."+tiny+"e-323", "-"+tiny+strings.Repeat("0", 900)+"1e-1976")
	for range 200 {
		x := math.Float64frombits(r.Uint64() % math.Float64bits(math.Inf(1)))
		if r.IntN(2) == 0 {
			x = math.Ldexp(r.Float64(), r.IntN(80)-10)
		}
		next := math.Nextafter(x, math.Inf(1))
		half := new(big.Float).SetPrec(60).Add(big.NewFloat(x), big.NewFloat(min(next, math.MaxFloat64)))
		digits := half.Quo(half, big.NewFloat(2)).Text('e', 1080)
		mantissa, power, _ := strings.Cut(digits, "e")
		mantissa = strings.TrimRight(mantissa, "0")
		texts = append(texts, strconv.FormatFloat(x, 'g', -1, 64), strconv.FormatFloat(x, 'e', r.IntN(30), 64),
			mantissa+"e"+power, mantissa+strings.Repeat("0", r.IntN(800))+"1e"+power)
	}
	for range 200 { // of the letters that numbers are made of
		var b strings.Builder
		for range 1 + r.IntN(12) {
			b.WriteByte("00112345678999..eE+-"[r.IntN(20)])
		}
		texts = append(texts, b.String())
	}
	return texts
}
