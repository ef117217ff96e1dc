// Command release-full is release with everything that needs large libraries: object stores, DuckDB, Spark, Trino and
// Apache Beam.
package main

import (
	"os"

	"github.com/dprelease/dprelease/cmd/release/command"
	"github.com/dprelease/dprelease/full/beam/verb"
	_ "github.com/dprelease/dprelease/full/duckdb" // the driver
	_ "github.com/dprelease/dprelease/full/spark"  // the driver
	"github.com/dprelease/dprelease/full/stores"
	_ "github.com/dprelease/dprelease/full/trino" // the driver
)

func main() {
	stores.Register()
	os.Exit(command.Main(verb.Beam()))
}
