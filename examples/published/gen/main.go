// Command gen writes invented tables for the jobs in this folder. They have the columns and about the size of tables
// from which other organizations published releases. From the repository's root:
//
//	go run ./examples/published/gen wikimedia          all its rows, into examples/published/wikimedia/data
//	go run ./examples/published/gen wikimedia 10000    fewer rows
package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 1 || len(args) > 2 {
		return fmt.Errorf("usage: gen NAME [ROWS], with a NAME of %v", slices.Sorted(maps.Keys(tables)))
	}
	t, ok := tables[args[0]]
	if !ok {
		return fmt.Errorf("there is no table %q; there are %v", args[0], slices.Sorted(maps.Keys(tables)))
	}
	rows := t.rows
	if len(args) == 2 {
		n, err := strconv.Atoi(args[1])
		if err != nil || n < 1 {
			return fmt.Errorf("the number of rows is a positive number")
		}
		rows = n
	}
	return t.write(filepath.Join("examples", "published", args[0], "data"), rows)
}
