// Package duckdb puts DuckDB into a program that imports it: jobs may then have input.sql with driver: duckdb. DuckDB
// is a C++ library, so a program that was built without cgo has no such driver and refuses these jobs.
package duckdb
