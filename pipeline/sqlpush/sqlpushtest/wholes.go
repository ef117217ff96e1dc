package sqlpushtest

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/pipeline/stabilitytest"
)

// Wholes compares answers for integers, dates, times and booleans at the edges of cells, at the ends of clamps, and at
// the limits of their types. Their dimensions are lists, edges of all widths, and time fields. Each row is a unit, or
// units have bounds. Each job has some of the queries, or all if DPRELEASE_LONG is set.
func Wholes(t *testing.T, s *Server) {
	t.Helper()
	columns := []stabilitytest.Column{
		{Name: "u", Kind: stabilitytest.Int64}, {Name: "i", Kind: stabilitytest.Int64}, {Name: "n",
			Kind: stabilitytest.Int32}, {Name: "d", Kind: stabilitytest.Date},
		{Name: "t", Kind: stabilitytest.Clock}, {Name: "z", Kind: stabilitytest.Instant}, {Name: "b",
			Kind: stabilitytest.Bool}, {Name: "f", Kind: stabilitytest.Float64},
	}
	var types []string
	for _, c := range columns {
		types = append(types, s.Type(c.Kind, &stabilitytest.Case{}))
	}
	if err := s.Load("wholes", columns, types, wholeRows()); err != nil {
		t.Fatal(err)
	}
	job := 0
	for _, unit := range []string{"row", "[u], per_unit: {max_rows: 3}"} {
		for _, where := range []string{"", ", where: [{column: t, from: 2013-01-01, before: 2013-03-01T12:00:00}]",
			", where: [{column: i, min: -3}, {column: d, from: 2012-12-31}]", ", where: [{column: n, max: 9}, {column: z, " +
				"from: 1970-01-01}]"} {
			for _, policy := range []string{"", ", null: bin", ", other: bin", ", null: bin, other: bin"} {
				p := Plan(t, wholesJob(job, unit, where, policy))
				job++
				if same, err := s.Same(t, p, "wholes"); err != nil || same != "" {
					t.Fatalf("unit %s%s%s: %v\n%s", unit, where, policy, err, same)
				}
			}
		}
	}
}

func wholesJob(job int, unit, where, policy string) string {
	var queries []string
	asked := job
	ask := func(form string, a ...any) {
		const some = 19
		if asked++; asked%some == 0 || os.Getenv("DPRELEASE_LONG") != "" {
			queries = append(queries, fmt.Sprintf("  - {name: q%d, ", len(queries))+fmt.Sprintf(form, a...)+"}")
		}
	}
	axes := wholeAxes(policy)
	for k, a := range axes {
		ask("histogram: {by: [%s]}", a)
		other := axes[(k+7)%len(axes)]
		if column := a[:10]; column != other[:10] {
			ask("histogram: {by: [%s, %s]}", a, other)
			ask("crosstabs: {by: [%s, %s], ways: [1, 2]}", a, other)
			ask("mean: {column: f, clamp: [-3, 5], by: [%s, %s]}", a, other)
		}
		switch k % 3 {
		case 0:
			ask("mean: {column: i, clamp: [-3, 6], by: [%s]}", a)
		case 1:
			ask("sum: {column: n, clamp: [0, 6], by: [%s]}", a)
		default:
			ask("variance: {column: i, clamp: [-3, 40], by: [%s]}", a)
		}
	}
	for _, x := range []string{"i", "n"} {
		for _, clamp := range []string{"[0, 6]", "[-3, 50]", "[0.25, 6.5]", "[-1e18, 3e18]", "[0, 9e15]", "[-1000000, 3]"} {
			ask("sum: {column: %s, clamp: %s}", x, clamp)
			ask("mean: {column: %s, clamp: %s}", x, clamp)
			ask("variance: {column: %s, clamp: %s}", x, clamp)
		}
	}
	ask("sum: {columns: [i, n, f], clamp: [-4, 7]}")
	ask("sum: {column: i, clamp: discover, range: [0, 100]}")
	return fmt.Sprintf(`
version: 1
name: wholes
privacy: {epsilon: 1, delta: 1e-6, unit: %s}
input: {sql: {driver: postgres, dsn: unused, table: wholes}%s}
queries:
%s
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: wholes, budget: {epsilon: 2, delta: 1e-5}}
`, unit, where, strings.Join(queries, "\n"))
}

// wholeAxes returns dimensions of columns of integers, dates, times and booleans. policy is their policy for null and
// other values.
func wholeAxes(policy string) []string {
	var axes []string
	for _, x := range []string{"i", "n"} {
		for _, by := range []string{
			"values: [0, 1, 2, 5]", "values: [-2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]", "values: [0, 9223372036854775807, " +
				"-9223372036854775808]", "values: [0, 1000000000]", "from: -3, to: 9, width: 1", "from: -3, to: 9, width: 1, " +
				"last_edge: excluded",
			"from: -10, to: 20, width: 5", "from: -10000, to: 10000, width: 500", "edges: [-1, 0, 2, 9]", "edges: [0, 5, 1e30]",
			"edges: [-1e30, 0, 1]", "edges: [-2147483648, 0, 2147483647]", "edges: [0.5, 1.5, 2.5]",
			"edges: [-9223372036854775808, 0, 9223372036854775807]",
		} {
			axes = append(axes, "{column: "+x+", "+by+policy+"}")
		}
	}
	for _, x := range []string{"d", "t", "z"} {
		for _, by := range []string{"from: 2012-12-31, to: 2013-01-25, every: day",
			"from: 2012-12-31, to: 2013-01-28, every: week", "from: 2012-12-01, to: 2013-04-01, every: month"} {
			axes = append(axes, "{column: "+x+", "+by+policy+"}")
		}
		axes = append(axes, "{column: "+x+", edges: [1969-12-31, 1970-01-01, 2013-01-02]"+policy+"}",
			"{column: "+x+", edges: [1969-12-31, 1970-01-01, 2013-01-02], last_edge: excluded"+policy+"}")
		for _, part := range []string{"day_of_week", "day_of_month", "week_of_year", "month", "quarter"} {
			axes = append(axes, "{column: "+x+", part: "+part+strings.Replace(policy, ", other: bin", "", 1)+"}")
		}
	}
	for _, x := range []string{"t", "z"} {
		axes = append(axes, "{column: "+x+", edges: [2013-01-01T00:00:00, 2013-01-01T07:00:00, 2013-01-02T00:00:00]"+policy+
			"}", "{column: "+x+", edges: [2013-01-01T00:30:00, 2013-01-01T07:00:00]"+policy+"}",
			"{column: "+x+", edges: [2013-01-01T00:00:01, 2013-01-01T07:00:00]"+policy+"}")
		for _, part := range []string{"minute_of_hour", "hour_of_day", "hour_of_week"} {
			axes = append(axes, "{column: "+x+", part: "+part+strings.Replace(policy, ", other: bin", "", 1)+"}")
		}
	}
	axes = append(axes, "{column: b, values: [true, false]"+policy+"}", "{column: b, values: [false]"+policy+"}")
	return axes
}

// wholeRows returns rows with values at and next to the edges of these dimensions.
func wholeRows() (rows []stabilitytest.Row) {
	const day = 86400e6
	newYear := int64(1_356_998_400_000_000)
	wholes := []any{nil, int64(math.MaxInt64), int64(math.MinInt64), int64(math.MaxInt64 - 1), int64(math.MinInt64 + 1),
		int64(1 << 53), int64(1<<53 + 1), int64(-1 << 61), int64(1<<31 - 1), int64(-1 << 31), int64(1 << 31)}
	small := []any{nil, int64(math.MaxInt32), int64(math.MinInt32), int64(math.MaxInt32 - 1)}
	for v := int64(-12); v <= 22; v++ {
		wholes, small = append(wholes, v), append(small, v)
	}
	dates := []any{nil, int64(0), int64(-1), int64(1), int64(-719162), int64(-719163), int64(-800_000), int64(1_000_000),
		int64(2932896), int64(2932897), int64(3_000_000)}
	times := []any{nil, int64(0), int64(-1), int64(1), int64(-62_135_596_800_000_000), int64(-62_135_596_800_000_001),
		int64(253_402_300_799_999_999), int64(253_402_300_800_000_000), int64(-90_000_000_000_000_000),
		int64(400_000_000_000_000_000)}
	for k := int64(-3); k <= 32; k++ {
		dates = append(dates, newYear/day+k)
		for _, at := range []int64{0, 1, -1, 1_000_000, 30 * 60e6, 7 * 3600e6, 7*3600e6 - 1} {
			times = append(times, newYear+k*day+at)
		}
	}
	for k := range 900 {
		clock := times[k*7%len(times)]
		rows = append(rows, stabilitytest.Row{int64(k % 170), wholes[k%len(wholes)], small[k*5%len(small)],
			dates[k*3%len(dates)], clock, times[k*11%len(times)], []any{true, false, nil}[k%7%3], float64(k%19) - 6.3})
	}
	return rows
}
