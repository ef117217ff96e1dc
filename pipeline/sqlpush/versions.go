package sqlpush

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/pipeline"
)

// A table of a lakehouse keeps its versions: the snapshots of Iceberg, the versions of Delta. All statements of a run
// read the version that was the newest when the input was opened. The ledger records it with the charge, so that an
// interrupted run reads the same rows when it is resumed.
//
// A table can be dropped and made anew with the same version numbers. So a recorded version also holds something that
// differs then, such as the time of a commit; Iceberg's snapshot IDs are random and need nothing.
//
// A version changes with every write to the table, so it is as private as the table. No release contains it.

// versioner is implemented by dialects whose tables may keep versions.
type versioner interface {
	// version returns the newest version of a table, in the form that the ledger records; "" if the table keeps none.
	version(ctx context.Context, s *session, of *Source) (string, error)
	// has reports whether the table still has a recorded version. Errors are the driver's.
	has(ctx context.Context, s *session, of *Source, version string) (bool, error)
	// at returns the table expression that reads a recorded version. ok is false if the text is not a version.
	at(of *Source, version string) (from string, ok bool)
}

// KeepsVersions reports whether the tables of an input may keep versions. Only the server knows whether one does.
func KeepsVersions(s Source) bool {
	d, _ := dialectOf(s.Driver)
	_, ok := d.(versioner)
	_, byFormat := d.(lakeReader) // a lakeReader keeps versions only of folders
	return ok && s.Table != "" && (!byFormat || s.Format != "" && !IsVersion(s))
}

// IsVersion reports whether an input is already one version of a table, because the job names a metadata file.
func IsVersion(s Source) bool { return s.Format != "" && strings.HasSuffix(s.Table, ".json") }

// lakeReader is implemented by dialects that read folders of a table format. load returns the statement that prepares a
// session for a format, folder the table expression of the newest version.
type lakeReader interface {
	load(format string) string
	folder(of *Source) string
}

// Version returns the version that the statements read; "" if the input keeps no versions.
func (d *Database) Version() string { return d.version }

// ReadVersion makes the statements read a recorded version. After an error they read the same version as before.
func (d *Database) ReadVersion(ctx context.Context, version string) error {
	format, _, _ := strings.Cut(version, " ")
	now, _, _ := strings.Cut(d.version, " ")
	v, keeps := d.dialect.(versioner)
	if !keeps || format != now {
		return pipeline.ErrVersionGone
	}
	from, ok := v.at(&d.source, version)
	if !ok {
		return pipeline.ErrVersionGone
	}
	if err := d.within(ctx, func(s *session) error {
		has, err := v.has(ctx, s, &d.source, version)
		switch {
		case err != nil:
			return failed(ctx, "the versions of the input's table cannot be read", err)
		case !has:
			return pipeline.ErrVersionGone
		}
		return nil
	}); err != nil {
		return err
	}
	before := *d
	d.from, d.version = from, version
	err := d.describe(ctx)
	if err != nil {
		*d = before
	}
	return err
}

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

// number matches the number of a snapshot or version, which statements contain.
var number = regexp.MustCompile(`^[0-9]{1,20}$`)

// parts returns the format and the number of a recorded version.
func parts(version string) (format, n string) {
	format, n, _ = strings.Cut(version, " ")
	n, _, _ = strings.Cut(n, " ")
	return format, n
}

// version finds the table's format first. For Iceberg it returns the snapshot of the branch main, which statements
// read.
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
		var newest []string
		newest, err = history(ctx, s, d.table(of)+" LIMIT 1")
		version = strings.Join(newest, "")
	default:
		return "", nil
	}
	if err != nil {
		return "", failed(ctx, "the newest version of the input's table cannot be read", err)
	}
	return provider + " " + version, nil
}

// sparkProvider returns the format of a table in lower case; "" for views. It skips the server's first rows, which
// describe columns.
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

// history returns the versions of a Delta table, the newest first, each with the time of its commit, which differs if
// the table was dropped and made anew. The other columns of the server's answer depend on the release of Delta.
func history(ctx context.Context, s *session, table string) (versions []string, err error) {
	rows, err := s.query(ctx, "DESCRIBE HISTORY "+table)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var number, committed string
	cells := make([]any, len(names))
	for i := range cells {
		cells[i] = new(any)
		switch names[i] {
		case "version":
			cells[i] = &number
		case "timestamp":
			cells[i] = &committed
		}
	}
	for rows.Next() {
		if err := rows.Scan(cells...); err != nil {
			return nil, err
		}
		versions = append(versions, number+" "+committed)
	}
	return versions, rows.Err()
}

func (d spark) has(ctx context.Context, s *session, of *Source, version string) (bool, error) {
	format, recorded, _ := strings.Cut(version, " ")
	switch {
	case version == icebergEmpty:
		return true, nil
	case format == delta:
		versions, err := history(ctx, s, d.table(of))
		return slices.Contains(versions, recorded), err
	}
	found := ""
	err := s.value(ctx, "SELECT CAST(snapshot_id AS STRING) AS v FROM "+d.table(of)+".snapshots WHERE snapshot_id = "+
		""+recorded, &found)
	return found == recorded, err
}

func (d spark) at(of *Source, version string) (from string, ok bool) {
	if version == icebergEmpty {
		return "(SELECT * FROM " + d.table(of) + " WHERE 1 = 0) AS input", true
	}
	format, n := parts(version)
	return fmt.Sprintf("%s VERSION AS OF %s AS input", d.table(of), n), number.MatchString(n) &&
		(format == iceberg || format == delta)
}

func (d spark) table(of *Source) string { return quotedTable(d, of.Table) }

// version reads the number of the newest metadata from an Iceberg table's hint file, or of the newest commit from a
// Delta table's log, and adds a digest of that file. If the job names a metadata file, that is a version already.
func (d duckdb) version(ctx context.Context, s *session, of *Source) (version string, err error) {
	folder := strings.TrimSuffix(of.Table, "/")
	switch {
	case of.Format == "" || IsVersion(*of):
		return "", nil
	case of.Format == iceberg:
		err = s.value(ctx, "SELECT trim(content, E' \\r\\n') AS v FROM "+
			"read_text("+pathText(folder+"/metadata/version-hint.text")+")",
			&version)
	default:
		err = s.value(ctx, "SELECT COALESCE(CAST(MAX(CAST(regexp_extract(file, '/([0-9]{20})[.]json$', 1) AS BIGINT)) AS "+
			"VARCHAR), '') AS v FROM glob("+pathText(folder+"/_delta_log/*.json")+") WHERE regexp_matches(file, "+
			"'/[0-9]{20}[.]json$')", &version)
	}
	digest := ""
	if err == nil && number.MatchString(version) {
		digest, err = d.stateDigest(ctx, s, of, version)
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil || digest == "" {
		return "", &pipeline.Error{Cause: pipeline.CauseInput, Code: "sql-version",
			Message: "input.sql.table names no " + of.Format + " table, or its newest version cannot be read",
			Hint: "name the table's folder, or for an Iceberg table in a catalogue its metadata file, " +
				".../metadata/NAME.metadata.json"}
	}
	return of.Format + " " + version + " " + digest, nil
}

// stateDigest returns a digest of the file that states a version; "" if there is no such file. The file holds random
// names, so the digest differs if the table was made anew, and tells nothing about the rows.
func (d duckdb) stateDigest(ctx context.Context, s *session, of *Source, n string) (digest string, err error) {
	folder := strings.TrimSuffix(of.Table, "/")
	file, states := folder+"/metadata/*.metadata.json", "/v?"+n+"[.]metadata[.]json$"
	if of.Format == delta {
		n = strings.Repeat("0", 20-len(n)) + n
		file, states = folder+"/_delta_log/*.json", "/"+n+"[.]json$"
	}
	path := ""
	err = s.value(ctx, "SELECT file AS v FROM glob("+pathText(file)+") WHERE regexp_matches(file, '"+states+"') ORDER "+
		"BY file", &path)
	if err != nil || path == "" {
		return "", err
	}
	err = s.value(ctx, "SELECT sha256(content)[:16] AS v FROM read_blob("+pathText(path)+")", &digest)
	return digest, err
}

func (d duckdb) has(ctx context.Context, s *session, of *Source, version string) (bool, error) {
	format, n := parts(version)
	digest, err := d.stateDigest(ctx, s, of, n)
	return format+" "+n+" "+digest == version, err
}

func (d duckdb) at(of *Source, version string) (from string, ok bool) {
	format, n := parts(version)
	if !number.MatchString(n) || format != of.Format {
		return "", false
	}
	if format == delta {
		return fmt.Sprintf("delta_scan(%s, version := %s) AS input", pathText(of.Table), n), true
	}
	return fmt.Sprintf("iceberg_scan(%s, version := '%s') AS input", pathText(of.Table), n), true
}

// pathText returns the literal of a path or table name that the user chose. In a literal only a quote has a meaning.
func pathText(path string) string { return quoted(strings.ReplaceAll(path, "'", "''")) }

func (duckdb) load(format string) string { return "LOAD " + format }

func (duckdb) folder(of *Source) string {
	return of.Format + "_scan(" + pathText(of.Table) + ") AS input"
}
