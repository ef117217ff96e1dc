package sqlpush

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/dprelease/dprelease/pipeline"
)

// A table of a lakehouse keeps its versions: the snapshots of Iceberg, the versions of Delta. All statements of a run
// read the version that was the newest when the input was opened. The ledger records it with the charge, so that a run
// that was cut short reads the same rows when it is resumed.
//
// A version changes with every write to the table, so it is as private as the table. It is in no release.

// versioner is a dialect whose tables may keep versions.
type versioner interface {
	// version returns the newest version of a table, as it is recorded; "" if the table keeps none.
	version(ctx context.Context, s *session, of *Source) (string, error)
	// at returns the table expression that reads a version. ok is false if the text is not a version.
	at(of *Source, version string) (from string, ok bool)
}

// KeepsVersions reports whether the tables of an input may keep versions. Only the server knows whether one does.
func KeepsVersions(s Source) bool {
	d, _ := dialectOf(s.Driver)
	_, ok := d.(versioner)
	_, byFormat := d.(lakeReader) // and its other tables keep none
	return ok && s.Table != "" && (s.Format != "" || !byFormat)
}

// lakeReader is a dialect that reads folders of a table format. load returns the statement that prepares a session for
// that, folder the table expression of the newest version.
type lakeReader interface {
	load(format string) string
	folder(of *Source) string
}

// Version returns the version that the statements read; "" if the input keeps no versions.
func (d *Database) Version() string { return d.version }

// ReadVersion makes the statements read a version that was recorded. After an error they read the same version as
// before.
func (d *Database) ReadVersion(ctx context.Context, version string) error {
	from, ok := "", false
	if v, keeps := d.dialect.(versioner); keeps && d.source.Table != "" {
		from, ok = v.at(&d.source, version)
	}
	if !ok {
		return &pipeline.Error{Cause: pipeline.CauseInput, Code: "sql-version",
			Message: "the input has no such versions as the one that the charge recorded", Hint: hintVersion}
	}
	before := *d
	d.from, d.version = from, version
	err := d.describe(ctx)
	if err != nil {
		d.from, d.version, d.columns, d.other = before.from, before.version, before.columns, before.other
	}
	return err
}

const hintVersion = "the table was replaced; with --new-release the run reads it as it is now, under the same charge"

// pin finds the newest version of the input and makes the statements read it.
func (d *Database) pin(ctx context.Context) error {
	v, ok := d.dialect.(versioner)
	if !ok || d.source.Table == "" {
		return nil
	}
	err := d.within(ctx, func(s *session) (err error) {
		d.version, err = v.version(ctx, s, &d.source)
		return err
	})
	if err != nil || d.version == "" {
		return err
	}
	from, ok := v.at(&d.source, d.version)
	if !ok {
		return &pipeline.Error{Cause: pipeline.CauseInput, Code: "sql-version",
			Message: "the newest version of the input's table is not a number", Hint: "name a version by input.sql.query"}
	}
	d.from = from
	return nil
}

// The table formats, which are the first word of a recorded version.
const (
	iceberg = "iceberg"
	delta   = "delta"
)

// icebergEmpty is the version of an Iceberg table that has no snapshot yet.
const icebergEmpty = iceberg + " empty"

// number is a snapshot or a version: what a statement has of a recorded version.
var number = regexp.MustCompile(`^[0-9]{1,20}$`)

// version looks for the table's provider. In Iceberg tables the branch main is the state that a statement reads.
func (d spark) version(ctx context.Context, s *session, of *Source) (string, error) {
	provider, err := sparkProvider(ctx, s, d.table(of))
	if err != nil {
		return "", failed(ctx, "the server does not describe the input's table", err)
	}
	version := ""
	switch provider {
	case iceberg:
		version = "empty"
		err = s.value(ctx, "SELECT CAST(snapshot_id AS STRING) AS v FROM "+d.table(of)+".refs WHERE name = 'main'", &version)
	case delta:
		version, err = newestOfHistory(ctx, s, d.table(of))
	default:
		return "", nil
	}
	if err != nil {
		return "", failed(ctx, "the newest version of the input's table cannot be read", err)
	}
	return provider + " " + version, nil
}

// sparkProvider returns the format of a table in lower case; "" for views. The rows before the heading describe columns.
func sparkProvider(ctx context.Context, s *session, table string) (provider string, err error) {
	rows, err := s.query(ctx, "DESCRIBE TABLE EXTENDED "+table)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	for detailed := false; rows.Next(); {
		var name, value string
		var comment any
		if err := rows.Scan(&name, &value, &comment); err != nil {
			return "", err
		}
		if detailed = detailed || name == "# Detailed Table Information"; detailed && name == "Provider" && provider == "" {
			provider = strings.ToLower(value)
		}
	}
	return provider, rows.Err()
}

// newestOfHistory returns the newest version of a Delta table. The other columns depend on the release of Delta.
func newestOfHistory(ctx context.Context, s *session, table string) (version string, err error) {
	rows, err := s.query(ctx, "DESCRIBE HISTORY "+table+" LIMIT 1")
	if err != nil {
		return "", err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return "", err
	}
	cells := make([]any, len(names))
	for i := range cells {
		cells[i] = new(any)
		if names[i] == "version" {
			cells[i] = &version
		}
	}
	for rows.Next() {
		if err := rows.Scan(cells...); err != nil {
			return "", err
		}
	}
	return version, rows.Err()
}

func (d spark) at(of *Source, version string) (from string, ok bool) {
	if version == icebergEmpty {
		return "(SELECT * FROM " + d.table(of) + " WHERE 1 = 0) AS input", true
	}
	format, n, _ := strings.Cut(version, " ")
	return fmt.Sprintf("%s VERSION AS OF %s AS input", d.table(of), n), number.MatchString(n) && (format == iceberg || format == delta)
}

func (d spark) table(of *Source) string { return quotedTable(d, of.Table) }

// version reads the number of the newest metadata from an Iceberg table's hint, and of the newest commit from a Delta
// table's log. A metadata file that the job names is a version already.
func (d duckdb) version(ctx context.Context, s *session, of *Source) (version string, err error) {
	folder := strings.TrimSuffix(of.Table, "/")
	switch {
	case of.Format == "" || strings.HasSuffix(of.Table, ".json"):
		return "", nil
	case of.Format == iceberg:
		err = s.value(ctx, "SELECT trim(content, E' \\r\\n') AS v FROM read_text("+pathText(folder+"/metadata/version-hint.text")+")",
			&version)
	default:
		err = s.value(ctx, "SELECT COALESCE(CAST(MAX(CAST(regexp_extract(file, '/([0-9]{20})[.]json$', 1) AS BIGINT)) AS VARCHAR), '') "+
			"AS v FROM glob("+pathText(folder+"/_delta_log/*.json")+") WHERE regexp_matches(file, '/[0-9]{20}[.]json$')", &version)
	}
	if err != nil || !number.MatchString(version) {
		return "", &pipeline.Error{Cause: pipeline.CauseInput, Code: "sql-version",
			Message: "there is no table of format " + of.Format + " at input.sql.table, or its newest version is not stated there",
			Hint: "name the table's folder; of an Iceberg table in a catalogue, name the metadata file, " +
				".../metadata/NAME.metadata.json, which is one version of it"}
	}
	return of.Format + " " + version, nil
}

func (d duckdb) at(of *Source, version string) (from string, ok bool) {
	format, n, _ := strings.Cut(version, " ")
	if !number.MatchString(n) || format != of.Format {
		return "", false
	}
	if format == delta {
		return fmt.Sprintf("delta_scan(%s, version := %s) AS input", pathText(of.Table), n), true
	}
	return fmt.Sprintf("iceberg_scan(%s, version := '%s') AS input", pathText(of.Table), n), true
}

// pathText writes the user's own path: only a quote has a meaning in a literal.
func pathText(path string) string { return quoted(strings.ReplaceAll(path, "'", "''")) }

func (duckdb) load(format string) string { return "LOAD " + format }

func (duckdb) folder(of *Source) string {
	return of.Format + "_scan(" + pathText(of.Table) + ") AS input"
}
