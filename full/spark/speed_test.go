package spark_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dprelease/dprelease/full/spark/sparktest"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/sqlpush"
	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
)

const speedJob = `
version: 1
name: speed
privacy: {epsilon: 1, delta: 1e-6, UNIT}
input: {sql: {driver: spark, query: unused}}
queries:
  - {name: counts, histogram: {by: [{column: cat, values: [CATS]}]}}
  - {name: sums, sum: {column: value, clamp: [0, 100], by: [{column: cat, values: [CATS]}]}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: speed, budget: {epsilon: 2, delta: 1e-5}}
`

// TestSpeed compares our statements for counts and clamped sums with the statements that a person would write. The
// table is in Parquet and has DPRELEASE_ROWS rows, 200 for each unit, whose ids are integers, and texts in columns of
// their own. If DPRELEASE_PARQUET is set, it is a folder that has such a table. After one turn that warms the server
// up, both kinds of statements take DPRELEASE_TURNS turns. The test logs elapsed and CPU seconds of the executors for
// each turn, and the medians of the CPU seconds.
func TestSpeed(t *testing.T) {
	rows, err := strconv.Atoi(os.Getenv("DPRELEASE_ROWS"))
	if err != nil {
		t.Skip("DPRELEASE_ROWS is not set")
	}
	turns, err := strconv.Atoi(os.Getenv("DPRELEASE_TURNS"))
	if err != nil {
		turns = 5
	}
	s := server(t)
	dsn, exec := s.Database(t, fmt.Sprintf("speed%d", os.Getpid()))
	create := fmt.Sprintf(`CREATE TABLE t USING parquet AS SELECT id AS trip, pmod(xxhash64(id), %d) AS unit,
		concat('c', pmod(xxhash64(id, 7), 50)) AS cat, pmod(xxhash64(id, 13), 100000) / 1000D AS value,
		concat('trip-', id) AS trip_text, concat('unit-', pmod(xxhash64(id), %d)) AS unit_text
		FROM range(0, %d, 1, 8)`, rows/200, rows/200, rows)
	if folder := os.Getenv("DPRELEASE_PARQUET"); folder != "" {
		create = fmt.Sprintf("CREATE TABLE t USING parquet LOCATION '%s'", folder)
	}
	if err := exec(create); err != nil {
		t.Fatal(err)
	}
	var cats []string
	for i := range 50 {
		cats = append(cats, fmt.Sprintf("c%d", i))
	}
	job := strings.ReplaceAll(speedJob, "CATS", strings.Join(cats, ", "))
	const byHand = "SELECT cat, count(*), sum(least(greatest(value, 0D), 100D)) FROM %s GROUP BY cat"
	db, err := sql.Open("spark", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	fiveBy := func(unit, columns string) string {
		return fmt.Sprintf(byHand, fmt.Sprintf("(SELECT *, row_number() OVER (PARTITION BY %s ORDER BY xxhash64(%[1]s, %s)) AS n "+
			"FROM t) WHERE n <= 5", unit, columns))
	}
	cases := []struct{ name, unit, hand string }{
		{"unbounded", "unit: row", fmt.Sprintf(byHand, "t")},
		{"five rows a unit", "unit: [unit], per_unit: {max_rows: 5}", fiveBy("unit", "cat, value")},
		{"five rows a unit by trip", "unit: [unit], per_unit: {max_rows: 5, sample_by: [trip]}", fiveBy("unit", "trip")},
		{"five rows a unit by text", "unit: [unit_text], per_unit: {max_rows: 5, sample_by: [trip_text]}",
			fiveBy("unit_text", "trip_text")},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := sqlpushtest.Plan(t, strings.Replace(job, "UNIT", c.unit, 1))
			pushed := func() error {
				d, err := sqlpush.Open(t.Context(), sqlpush.Source{Driver: "spark", DSN: dsn, Table: "t"})
				if err != nil {
					return err
				}
				defer d.Close()
				_, err = sqlpush.New(d, make([]byte, 32)).Aggregate(t.Context(), p, pipeline.Silent{})
				return err
			}
			hand := func() error {
				r, err := db.QueryContext(t.Context(), c.hand)
				if err != nil {
					return err
				}
				defer r.Close()
				for r.Next() { // the answers are not compared, because the statements keep different rows of units
				}
				return r.Err()
			}
			var ours, theirs []float64
			for turn := -1; turn < turns; turn++ { // turn -1 warms the server up
				var took [2]float64
				for i := range took {
					if first := turn & 1; i == first {
						took[0] = measure(t, s, "pushed down", pushed)
					} else {
						took[1] = measure(t, s, "by hand", hand)
					}
				}
				if turn >= 0 {
					ours, theirs = append(ours, took[0]), append(theirs, took[1])
				}
			}
			t.Logf("medians of %d turns: %.2f s of CPU pushed down, %.2f s by hand, a ratio of %.2f", turns, median(ours),
				median(theirs), median(ours)/median(theirs))
		})
	}
}

// median returns the median of some numbers, and sorts them.
func median(x []float64) float64 {
	slices.Sort(x)
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

// measure returns the CPU seconds that the executors take while f runs. It logs these and the elapsed time.
func measure(t *testing.T, s *sparktest.Server, name string, f func() error) float64 {
	t.Helper()
	at, before := time.Now(), cpu(t, s)
	if err := f(); err != nil {
		t.Fatal(name, err)
	}
	took := cpu(t, s) - before
	t.Logf("%s: %.1f s, %.1f s of CPU", name, time.Since(at).Seconds(), took)
	return took
}

// cpu returns the CPU seconds that the executors have taken since they started.
func cpu(t *testing.T, s *sparktest.Server) (seconds float64) {
	t.Helper()
	for _, pid := range s.Executors(t) {
		text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		if err != nil {
			t.Fatal(err)
		}
		fields := strings.Fields(string(text)[strings.LastIndex(string(text), ")")+1:])
		for _, field := range fields[11:13] { // user and system time, in hundredths of a second
			ticks, err := strconv.Atoi(field)
			if err != nil {
				t.Fatal(err)
			}
			seconds += float64(ticks) / 100
		}
	}
	return seconds
}
