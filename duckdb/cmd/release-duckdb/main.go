// Command release-duckdb is the program release with DuckDB in it: jobs may have input.sql with driver: duckdb.
package main

import (
	"os"

	_ "github.com/duckdb/duckdb-go/v2" // the driver

	"github.com/dprelease/dprelease/cmd/release/command"
)

func main() { os.Exit(command.Main()) }
