// Command gen writes trips.parquet, the quickstart's table: one invented day of taxi trips. From the repository's root:
//
//	go run ./examples/quickstart/gen examples/quickstart/trips.parquet
package main

import (
	"fmt"
	"os"

	"github.com/parquet-go/parquet-go"
)

//go:generate go run . ../trips.parquet

// rowsPerGroup makes two row groups, so that the table is read by two workers.
const rowsPerGroup = 2048

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gen FILE")
		os.Exit(2)
	}
	if err := write(os.Args[1], day()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(path string, trips []trip) error {
	return parquet.WriteFile(path, trips, parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(rowsPerGroup))
}
