//go:build cgo

package duckdb

import _ "github.com/duckdb/duckdb-go/v2" // registers DuckDB's driver with database/sql
