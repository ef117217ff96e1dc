package duckdb_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/sqlpush"
)

// If a Delta table is deleted and made anew, its versions count as other versions, although their numbers are the same.
func TestVersionOfNewTable(t *testing.T) {
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	extensions := filepath.Join(cache, "dprelease", "duckdb-extensions-1.5.5")
	if found, _ := filepath.Glob(filepath.Join(extensions, "v*", "*", "delta.duckdb_extension")); len(found) == 0 {
		t.Skip("DuckDB's extension delta is not there: the tests of full/spark install it")
	}
	folder := filepath.Join(t.TempDir(), "table")
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	commit := func(version int, id, action string) {
		t.Helper()
		data := filepath.Join(folder, id+".parquet")
		err := os.MkdirAll(filepath.Join(folder, "_delta_log"), 0o700)
		if err == nil {
			_, err = db.Exec(fmt.Sprintf("COPY (SELECT %d::BIGINT AS person) TO '%s' (FORMAT parquet)", version, data))
		}
		info, err1 := os.Stat(data)
		if err := errors.Join(err, err1); err != nil {
			t.Fatal(err)
		}
		action += fmt.Sprintf(`{"add":{"path":"%s.parquet","partitionValues":{},"size":%d,"modificationTime":1,"dataChange":true}}`+
			"\n", id, info.Size())
		if err := os.WriteFile(filepath.Join(folder, "_delta_log", fmt.Sprintf("%020d.json", version)), []byte(action), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	create := func(id string) {
		commit(0, id+"0", `{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}`+"\n"+`{"metaData":{"id":"`+id+
			`","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"person\",`+
			`\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}","partitionColumns":[],"configuration":{}}}`+"\n")
	}
	open := func() *sqlpush.Database {
		t.Helper()
		d, err := sqlpush.Open(t.Context(), sqlpush.Source{Driver: "duckdb", DSN: "?extension_directory=" + extensions,
			Table: folder, Format: "delta"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = d.Close() })
		return d
	}
	create("first")
	before := open().Version()
	commit(1, "first1", "")
	if err := open().ReadVersion(t.Context(), before); err != nil {
		t.Error(err)
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	create("second")
	commit(1, "second1", "")
	if err := open().ReadVersion(t.Context(), before); !errors.Is(err, pipeline.ErrVersionGone) {
		t.Errorf("version %s of the new table is read: %v", before, err)
	}
}
