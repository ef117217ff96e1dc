package sqlpush

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
)

// An input in a database is a table or a query. When it is opened, the names and types of its columns are read, but no
// row. All statements of a run use one connection and, if the engine has them, one transaction in which they see the
// same rows.

// Source is an input in a database, as a job names it: a table or a query.
type Source struct {
	Driver, DSN, Table, Query string
	// Format is the format of a table that is a folder of files: iceberg or delta. It is empty if the table is one of
	// the engine's.
	Format string
	// Exact names the columns of the privacy unit, in which different values must stay different. A decimal among them
	// that does not fit an integer is read as a text.
	Exact []string
}

// HasDriver reports whether this program was built with the driver of an engine.
func HasDriver(driver string) bool { return slices.Contains(sql.Drivers(), registered(driver)) }

// Database is an open input in a database: its connection and its columns.
type Database struct {
	db      *sql.DB
	dialect dialect
	source  Source
	from    string // a table expression
	view    bool   // from is a view and has a fence
	version string // the version of the table that from reads; "" if the table keeps none
	types   []columnType
	columns map[string]column
	other   map[string]string // the database's types of the columns that cannot be read, for messages
	spills  spillFolder
}

// Open connects to a database and reads the names and types of the input's columns, and no row. Errors are of type
// *pipeline.Error.
func Open(ctx context.Context, s Source) (*Database, error) {
	dialect, ok := dialectOf(s.Driver)
	if !ok || !HasDriver(s.Driver) {
		return nil, &pipeline.Error{
			Cause: pipeline.CauseInput, Code: "sql-driver", Message: "this program has no driver for " + s.Driver,
			Hint: "use release-full (docs/howto/databases.md lists its drivers; DuckDB's needs a build with cgo); release sql " +
				"JOB writes the statements without one",
		}
	}
	file, isFile := dialect.(filed)
	if isFile {
		path, _, _ := strings.Cut(s.DSN, "?")
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // opening a pipe would wait for a writer
			return nil, &pipeline.Error{Cause: pipeline.CauseInput, Code: "sql",
				Message: "input.sql.dsn names a folder, a pipe, a socket or a device, and no database file",
				Hint:    "name the file of the database; folders of tables are named by input.sql.format and table"}
		}
		s.DSN = file.readOnly(s.DSN)
	}
	db, err := sql.Open(registered(s.Driver), s.DSN)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil && isFile:
		return nil, &pipeline.Error{
			Cause: pipeline.CauseInput, Code: "sql", Message: "the database file of input.sql.dsn cannot be opened to be read",
			Hint: "it must exist (a relative path starts from the current folder), no newer version of the engine may have " +
				"written it, no other process may have it open to write, and each setting behind its question mark must be one " +
				"of the engine's",
		}
	case err != nil:
		return nil, &pipeline.Error{Cause: pipeline.CauseInput, Code: "sql",
			Message: "the connection string of input.sql.dsn is not one of " + s.Driver,
			Hint:    "docs/howto/databases.md has one for each driver, such as postgres://user:password@host:5432/database"}
	}
	d := &Database{db: db, dialect: dialect, source: s, from: expression(dialect, &s)}
	if err = d.pin(ctx); err == nil {
		err = d.describe(ctx)
	}
	if err != nil {
		_ = db.Close() // nothing was written
		return nil, err
	}
	return d, nil
}

// expression returns the input as a table expression.
func expression(d dialect, s *Source) string {
	if s.Query != "" {
		return fenced(d, "("+s.Query+"\n) AS input")
	}
	if l, ok := d.(lakeReader); ok && s.Format != "" {
		return l.folder(s)
	}
	return quotedTable(d, s.Table) + " AS input"
}

// fenced returns a table expression, named input, below which the optimizer pushes no condition if the dialect has a
// fence. PostgreSQL would evaluate conditions of a statement before those of a query or a view, and a cast would fail
// for rows that these drop.
func fenced(d dialect, from string) string {
	if d.fence() == "" {
		return from
	}
	return "(SELECT * FROM " + from + d.fence() + ") AS input"
}

// viewer is a dialect that has a fence and views.
type viewer interface {
	isView(ctx context.Context, s *session, quoted string) (bool, error)
}

// isView reports whether the input is a view that needs a fence.
func (d *Database) isView(ctx context.Context, s *session) (is bool, err error) {
	v, ok := d.dialect.(viewer)
	if !ok || d.source.Table == "" {
		return false, nil
	}
	if is, err = v.isView(ctx, s, quotedTable(d.dialect, d.source.Table)); err != nil {
		return false, failed(ctx, "the kind of the input's table cannot be read", err)
	}
	return is, nil
}

// quotedTable quotes each component of a table's name, which are separated by dots.
func quotedTable(d dialect, name string) string {
	parts := strings.Split(name, ".")
	for i := range parts {
		parts[i] = d.quote(parts[i])
	}
	return strings.Join(parts, ".")
}

// overrider is a dialect in which a database can have functions of its own that statements call instead of the
// engine's. overrides returns an error if it has one.
type overrider interface {
	overrides(ctx context.Context, s *session) error
}

// describe fences the input if it is a view, and reads the names and types of the columns.
func (d *Database) describe(ctx context.Context) error {
	return d.within(ctx, func(tx *session) (err error) {
		if d.view, err = d.isView(ctx, tx); d.view {
			d.from = fenced(d.dialect, d.from)
		}
		if err != nil {
			return err
		}
		if d.types, err = d.readTypes(ctx, tx, "1 = 0"); err != nil {
			return err
		}
		d.columns, d.other = map[string]column{}, map[string]string{}
		for _, of := range d.types {
			d.add(of)
		}
		return nil
	})
}

// readTypes returns the columns that the input has in a session. never is a condition that no row meets.
func (d *Database) readTypes(ctx context.Context, tx *session, never string) ([]columnType, error) {
	rows, err := tx.query(ctx, "SELECT * FROM "+d.from+" WHERE "+never)
	if err != nil {
		return nil, failed(ctx, "the input's columns cannot be read", err)
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, failed(ctx, "the input's columns cannot be read", err)
	}
	all := make([]columnType, len(types))
	for i, t := range types {
		all[i] = columnType{Name: t.Name(), Expr: d.dialect.quote(t.Name()), Type: strings.ToUpper(t.DatabaseTypeName()),
			Exact: slices.Contains(d.source.Exact, t.Name())}
		all[i].Precision, all[i].Scale, all[i].HasDecimal = t.DecimalSize()
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return nil, failed(ctx, "the input's columns cannot be read", err)
	}
	if n, ok := d.dialect.(typeNamer); ok {
		if err := n.nameTypes(ctx, tx, d.from, all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// unchanged returns an error if the input no longer has the columns that Open read, or became a view or ceased to be one.
// Statements cast columns as Open found them, so two units could become one, and a cast could fail for some values.
func (d *Database) unchanged(ctx context.Context, tx *session) error {
	view, err := d.isView(ctx, tx)
	if err != nil {
		return err
	}
	// PostgreSQL refuses to run a prepared statement again if its columns have changed: this is another statement
	now, err := d.readTypes(ctx, tx, "0 = 1")
	if err != nil {
		return err
	}
	if view != d.view || !slices.Equal(now, d.types) {
		return &pipeline.Error{Cause: pipeline.CauseInput, Code: "sql",
			Message: "the columns of the input's table were changed after the run had read their types",
			Hint:    "run again; do not alter the table during a run"}
	}
	return nil
}

// typeNamer is a dialect that asks the server for the names of types that its driver does not know.
type typeNamer interface {
	nameTypes(ctx context.Context, s *session, from string, all []columnType) error
}

// add records a column. It can be read if the dialect reads its type and if no other column has the same name.
func (d *Database) add(of columnType) {
	_, read := d.columns[of.Name]
	_, unread := d.other[of.Name]
	c, ok := d.dialect.column(of)
	name := strings.ToLower(of.Type) + " of a database"
	switch {
	case read || unread:
		delete(d.columns, of.Name)
		d.other[of.Name] = name + ", which has several columns of this name,"
	case !ok || strings.ContainsAny(of.Name, "\"`\\\x00"):
		d.other[of.Name] = name
	default:
		d.columns[of.Name] = c
	}
}

// Schema returns the input's columns. Columns that cannot be read are of kind Invalid.
func (d *Database) Schema() table.Schema {
	in := input{columns: d.columns}
	s := in.schema()
	for name, t := range d.other {
		s.Fields = append(s.Fields, table.Field{Name: name, Type: table.Type{Name: t}})
	}
	return s
}

// Close closes the connections.
func (d *Database) Close() error {
	if d.db == nil { // Assumed made it, without a connection
		return nil
	}
	return d.db.Close()
}

// within runs f with a session on one connection, in a read-only transaction if the dialect has one.
func (d *Database) within(ctx context.Context, f func(*session) error) error {
	conn, err := d.db.Conn(ctx)
	if err != nil {
		return d.unreached(ctx, err)
	}
	defer func() { _ = conn.Close() }()
	s := &session{
		query: func(ctx context.Context, text string) (*sql.Rows, error) { return conn.QueryContext(ctx, text) },
		exec:  func(ctx context.Context, text string) (sql.Result, error) { return conn.ExecContext(ctx, text) },
	}
	if o := d.dialect.transaction(); o != nil {
		tx, err := conn.BeginTx(ctx, o)
		if err != nil {
			return failed(ctx, "no transaction can be begun", err)
		}
		defer func() { _ = tx.Rollback() }() // nothing was written
		s.query = func(ctx context.Context, text string) (*sql.Rows, error) { return tx.QueryContext(ctx, text) }
		s.exec = func(ctx context.Context, text string) (sql.Result, error) { return tx.ExecContext(ctx, text) }
	}
	for _, text := range d.dialect.session() {
		if _, err := s.exec(ctx, text); err != nil {
			return failed(ctx, "a setting of the session is refused", err)
		}
	}
	if l, ok := d.dialect.(lakeReader); ok && d.source.Format != "" {
		_, err := s.exec(ctx, l.load(d.source.Format))
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return &pipeline.Error{Cause: pipeline.CauseInput, Code: "sql-extension",
				Message: "the database has no extension " + d.source.Format + ", which reads the tables of this format",
				Hint: "install it once with DuckDB's own program of the same version: INSTALL " + d.source.Format +
					"; another folder " +
					"of extensions is the setting extension_directory of input.sql.dsn"}
		}
	}
	if o, ok := d.dialect.(overrider); ok && d.types == nil { // it is being opened
		if err := o.overrides(ctx, s); err != nil {
			return err
		}
	}
	if err := d.dialect.suits(ctx, s); err != nil {
		return err
	}
	return f(s)
}

// filed is implemented by dialects whose databases are files. readOnly returns the connection string that opens the
// file read-only.
type filed interface{ readOnly(dsn string) string }

// spiller is implemented by dialects whose databases run in this process and spill to disk. spillTo returns the
// statement that sets the folder for that.
type spiller interface{ spillTo(folder string) string }

// UseScratch sets the parent of the folder to which a database in this process spills while it reads rows.
func (d *Database) UseScratch(dir string) { d.spills.parent = dir }

// reading does the same as within, for statements that read rows: a database in this process gets a spill folder while
// f runs, and a change of the columns is an error. They are compared before f and, if f does not run in a transaction, in
// which the input stays as it was read, again after it. Then another session compares them, because one of Spark caches
// what it knows of a table.
func (d *Database) reading(ctx context.Context, f func(*session) error) error {
	dialect, spills := d.dialect.(spiller)
	if spills {
		defer d.spills.remove()
	}
	err := d.within(ctx, func(s *session) error {
		if spills {
			if err := d.spills.make(func(path string) error { // DuckDB lets the path be set only before it spills
				_, err := s.exec(ctx, dialect.spillTo(path))
				return err
			}); err != nil {
				return failed(ctx, "there can be no folder for what the database does not hold in memory", err)
			}
		}
		if err := d.unchanged(ctx, s); err != nil {
			return err
		}
		return f(s)
	})
	if err != nil || d.dialect.transaction() != nil {
		return err
	}
	return d.within(ctx, func(s *session) error { return d.unchanged(ctx, s) })
}
