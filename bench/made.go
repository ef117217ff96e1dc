package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Tables that DuckDB makes, in the form that its users usually have. All values follow from the row's number i, by
// DuckDB's hash.

// share returns SQL for a pseudo-random number in [0, 1) for each row. Different salts give independent numbers.
func share(salt int) string { return fmt.Sprintf("(hash(i, %d) %% 1000003) / 1000003.0", salt) }

// few returns SQL for a pseudo-random integer from 0 to n-1 that is small for most rows.
func few(salt, n int) string {
	return fmt.Sprintf("floor(%d * pow(%s, 2))::BIGINT", n, share(salt))
}

// trips are taxi rides of January 2013: driver is an integer, hack the same number as 32 characters; a third of the
// tips is null.
var trips = `SELECT ` + few(1, 40_000) + ` AS driver, md5(` + few(1, 40_000) + `::VARCHAR) AS hack, ` +
	`CASE WHEN ` + share(2) + ` < 0.5 THEN 'CMT' ELSE 'VTS' END AS vendor, ` +
	`TIMESTAMP '2013-01-01' + to_seconds(floor(2678400 * ` + share(3) + `)::BIGINT) AS pickup, ` +
	`(1 + floor(6 * pow(` + share(4) + `, 3)))::INTEGER AS passengers, ` +
	`40.6 + 0.35 * ` + share(5) + ` AS lat, -74.1 + 0.4 * ` + share(6) + ` AS lon, ` +
	`round(2.5 + 60 * pow(` + share(7) + `, 3), 2) AS fare, ` +
	`CASE WHEN ` + share(8) + ` < 0.33 THEN NULL ELSE round(10 * ` + share(9) + `, 2) END AS tip FROM range(ROWS) t(i)`

// web are requests of a million users, each identified by a UUID, for 50,000 pages.
var web = `SELECT regexp_replace(md5(` + few(1, 1_000_000) +
	`::VARCHAR), '(.{8})(.{4})(.{4})(.{4})(.{12})', '\1-\2-\3-\4-\5') AS person, ` +
	`'/page/' || ` + few(2, 50_000) + ` AS url, ` +
	`[200, 200, 200, 200, 301, 404, 500][1 + floor(7 * ` + share(3) + `)::INTEGER]::INTEGER AS status, ` +
	`(TIMESTAMP '2024-01-01' + to_seconds(floor(31536000 * ` + share(4) + `)::BIGINT))::TIMESTAMPTZ AS at, ` +
	`floor(1e6 * pow(` + share(5) + `, 4))::BIGINT AS bytes FROM range(ROWS) t(i)`

// people are requests of 500,000 people, each of whom has five identifiers: a 32-bit integer, a UUID of 16 bytes, a
// short text, a long one, and two columns that identify them together.
var people = `SELECT ` + few(1, 500_000) + `::INTEGER AS id, md5(` + few(1, 500_000) + `::VARCHAR)::UUID AS uuid, ` +
	`'u' || ` + few(1, 500_000) + ` AS short, ` +
	`'https://accounts.example.org/users/' || md5(` + few(1, 500_000) +
	`::VARCHAR) || '/profile?source=newsletter' AS long, ` +
	few(1, 500_000) + ` // 1000 AS branch, ` + few(1, 500_000) + ` % 1000 AS customer, ` +
	`'branch ' || ` + few(1, 500_000) + ` // 1000 AS branch_name, ` +
	`[200, 200, 200, 200, 301, 404, 500][1 + floor(7 * ` + share(3) +
	`)::INTEGER]::INTEGER AS status FROM range(ROWS) t(i)`

// visits have a kind and a person, who has ten visits on average; persons have a region. One visit in fifty is of a
// person who is not in persons.
var (
	visits = `SELECT (hash(i, 1) % (ROWS // 10 + ROWS // 500))::BIGINT AS person, (hash(i, 2) % 5)::INTEGER AS kind, ` +
		`floor(600 * pow(` + share(3) + `, 2))::INTEGER AS minutes FROM range(ROWS) t(i)`
	persons = `SELECT i AS id, 'region ' || hash(i, 4) % 8 AS region, (1930 + hash(i, 5) % 90)::INTEGER AS born FROM range(ROWS) t(i)`
)

// survey holds people's answers to 198 questions.
var survey = func() string {
	text := "SELECT i AS person, (i * 7919) % 50 AS region"
	for k := range 198 {
		text += fmt.Sprintf(", (hash(i, %d) %% 5)::INTEGER AS q%d", k, k)
	}
	return text + " FROM range(ROWS) t(i)"
}()

// made is a table that DuckDB makes.
type made struct {
	file, sql, options string
	divide             int // the table has divide times fewer rows
}

var madeTables = []made{
	{"trips.parquet", trips, "FORMAT parquet, COMPRESSION zstd", 1},
	{"web.parquet", web, "FORMAT parquet, COMPRESSION snappy", 1},
	{"web-v2.parquet", web, "FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION v2", 1},
	{"web.csv", web, "FORMAT csv, HEADER", 1},
	{"web.csv.gz", web, "FORMAT csv, HEADER, COMPRESSION gzip", 1},
	{"people.parquet", people, "FORMAT parquet, COMPRESSION snappy", 1},
	{"visits.parquet", visits, "FORMAT parquet, COMPRESSION snappy", 1},
	{"persons.parquet", persons, "FORMAT parquet, COMPRESSION snappy", 10},
	{"survey.parquet", survey, "FORMAT parquet, COMPRESSION zstd", 10},
}

// makeWithDuck makes the tables that do not exist yet.
func makeWithDuck(dir string, rows int) error {
	for _, m := range madeTables {
		path := filepath.Join(dir, fmt.Sprintf("%d-%s", rows, m.file))
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			if err != nil {
				return err
			}
			continue
		}
		statement := fmt.Sprintf("COPY (%s) TO '%s.part' (%s)",
			strings.ReplaceAll(m.sql, "ROWS", strconv.Itoa(max(rows/m.divide, 1))), path, m.options)
		if err := execute(statement); err != nil {
			return err
		}
		if err := os.Rename(path+".part", path); err != nil {
			return err
		}
	}
	return nil
}

func execute(statement string) error {
	db, err := sql.Open("duckdb", "?autoinstall_known_extensions=false&autoload_known_extensions=false")
	if err != nil {
		return err
	}
	_, err = db.ExecContext(context.Background(), statement)
	return errors.Join(err, db.Close())
}
