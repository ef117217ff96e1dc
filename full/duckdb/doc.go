// Package duckdb adds DuckDB to a program that imports it, for jobs with input.sql and driver: duckdb. DuckDB is a C++
// library: a program built without cgo has no such driver and refuses these jobs.
package duckdb
