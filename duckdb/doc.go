// Package duckdb is a module of its own for the program release-duckdb, which needs cgo, and for the tests of DuckDB as
// an engine.
package duckdb
