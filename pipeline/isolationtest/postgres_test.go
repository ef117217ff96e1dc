//go:build unix

package isolationtest

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/source/sourcetest"
)

// copier writes tables by PostgreSQL's COPY.
type copier struct{ conn *pgx.Conn }

// write is Search.Write.
func (p copier) write(cases []*Case, dirs []string) []error {
	errs := make([]error, len(cases))
	for i, c := range cases {
		for table := range tableNames {
			if errs[i] == nil {
				errs[i] = p.put(c.Format.(*Text), folder(dirs[i], table), c.Table(table))
			}
		}
	}
	return errs
}

func (p copier) put(t *Text, dir string, table Table) error {
	ctx := context.Background()
	literal := func(s string) string { return "E'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'" }
	var names []string
	for i := range t.columns {
		names = append(names, `"`+t.name(i)+`" text`)
	}
	if _, err := p.conn.Exec(ctx, `DROP TABLE IF EXISTS t; CREATE TEMP TABLE t (`+strings.Join(names,
		", ")+`)`); err != nil {
		return err
	}
	for i, path := range t.paths(len(table)) {
		if _, err := p.conn.Exec(ctx, `TRUNCATE t`); err != nil {
			return err
		}
		for _, row := range table[i] {
			var places []string
			var values []any
			for k, cell := range row {
				places, values = append(places, fmt.Sprintf("$%d", k+1)), append(values, nil)
				if c, ok := cell.(textCell); ok {
					values[k] = c.text
				}
			}
			if _, err := p.conn.Exec(ctx, `INSERT INTO t VALUES (`+strings.Join(places, ", ")+`)`, values...); err != nil {
				return err
			}
		}
		var out bytes.Buffer
		if t.mark {
			out.WriteString("\uFEFF")
		}
		all := ""
		if t.style == always {
			all = ", FORCE_QUOTE *"
		}
		if _, err := p.conn.PgConn().CopyTo(ctx, &out,
			fmt.Sprintf(`COPY t TO STDOUT (FORMAT csv, HEADER %t, DELIMITER %s, QUOTE %s, ESCAPE %s, NULL %s%s)`,
				t.header, literal(t.separator()), literal(t.quotes()), literal(t.quotes()), literal(t.nullWord()), all)); err != nil {
			return err
		}
		b, err := sourcetest.Pack(t.ending, out.Bytes())
		if err != nil {
			return err
		}
		if err := put(filepath.Join(dir, path), b); err != nil {
			return err
		}
	}
	return nil
}

// Rows and units stay apart in CSV files that PostgreSQL's COPY writes.
func TestIsolationOfPostgres(t *testing.T) {
	owntest.Slow(t)
	s := search(t, 60, 2000, foreignText("postgres csv"))
	s.Dirs = s.Dirs[:1]
	conn, err := pgx.Connect(t.Context(), ledgertest.Postgres(t).DSN(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	s.Write = copier{conn}.write
	holds(t, s)
}
