package main

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	_ "github.com/duckdb/duckdb-go/v2" // the driver
)

// duck answers with DuckDB, in one connection that stays open.
type duck struct {
	db   *sql.DB
	conn *sql.Conn
	text string
}

func newDuck(name string, threads int, t tables) (*duck, error) {
	db, err := sql.Open("duckdb", "?autoinstall_known_extensions=false&autoload_known_extensions=false")
	if err != nil {
		return nil, err
	}
	conn, err := db.Conn(context.Background())
	if err != nil {
		return nil, err
	}
	if _, err := conn.ExecContext(context.Background(), fmt.Sprintf("SET threads = %d", threads)); err != nil {
		return nil, err
	}
	return &duck{db: db, conn: conn, text: statementOf(name, t)}, nil
}

// statementOf returns the statement of a query for DuckDB.
func statementOf(name string, t tables) string {
	q := queries[name]
	from := fmt.Sprintf("read_parquet('%s')", t.path(q))
	switch {
	case strings.Contains(q.file, ".csv"):
		from = fmt.Sprintf("read_csv('%s', header = true, auto_detect = false, delim = ',', quote = '\"', escape = '\"', "+
			"columns = {'person': 'VARCHAR', 'url': 'VARCHAR', 'status': 'VARCHAR', 'at': 'VARCHAR', 'bytes': 'BIGINT'})", t.path(q))
	case q.file == "" && q.form == asCSV:
		from = fmt.Sprintf("read_csv('%s', header = true, auto_detect = false, delim = ',', quote = '\"', escape = '\"', "+
			"columns = {'unit': 'BIGINT', 'category': 'VARCHAR', 'value': 'DOUBLE'})", t.path(q))
	case q.file == "" && q.form == asArrow: // DuckDB reads these files only with an extension
		from = fmt.Sprintf("read_parquet('%s')", t.path(query{}))
	}
	points := fmt.Sprintf("read_csv('%s')", t.public("points"))
	persons := fmt.Sprintf("read_parquet('%s')", t.path(query{file: "persons.parquet"}))
	return strings.NewReplacer("TABLE", from, "POINTS", points, "PERSONS", persons).Replace(q.sql)
}

func (d *duck) answer(ctx context.Context) error {
	rows, err := d.conn.QueryContext(ctx, d.text)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	row := make([]any, len(columns))
	for i := range row {
		row[i] = new(any)
	}
	n := 0
	for rows.Next() {
		if err := rows.Scan(row...); err != nil {
			return err
		}
		n++
	}
	if n == 0 {
		return fmt.Errorf("no rows")
	}
	return rows.Err()
}

func (d *duck) close() error {
	if err := d.conn.Close(); err != nil {
		return err
	}
	return d.db.Close()
}
