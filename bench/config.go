package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// config is the parsed command line.
type config struct {
	rows    int
	runs    int
	dir     string
	queries string
	threads string
	// engine names the engine that this process measures; "" in the parent process.
	engine string
	// python is a Python with the package duckdb, whose DuckDB answers, too; "" for none.
	python string
	// profile is the path of a file for a CPU profile of our engine; "" for none.
	profile string
	// from is a file with the results of an earlier run, and picture the file to draw them in; table prints them as a
	// table.
	from, picture string
	table         bool
}

func parse(args []string) (config, error) {
	var c config
	rows := 10_000_000
	if text, ok := os.LookupEnv("BENCH_ROWS"); ok {
		n, err := strconv.Atoi(text)
		if err != nil {
			return c, fmt.Errorf("BENCH_ROWS is no number")
		}
		rows = n
	}
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.IntVar(&c.rows, "rows", rows, "rows of the tables; also BENCH_ROWS")
	f.IntVar(&c.runs, "runs", 7, "measured runs of each engine; one more before them is not counted")
	f.StringVar(&c.dir, "dir", filepath.Join(os.TempDir(), "dprelease-bench"), "where the tables are made and kept")
	f.StringVar(&c.queries, "queries", strings.Join(names(), ","), "which queries")
	f.StringVar(&c.threads, "threads", "1,2", "numbers of threads")
	f.StringVar(&c.engine, "engine", "", "for the command itself: measure one engine as told on standard input")
	f.StringVar(&c.python, "python", "", "a Python with the package duckdb: its DuckDB answers, too, in a process of its own")
	f.StringVar(&c.profile, "profile", "",
		"let our engine alone answer one query, and write the processor's profile to this file")
	f.StringVar(&c.from, "from", "", "measure nothing: take the lines of an earlier run from this file")
	f.StringVar(&c.picture, "picture", "", "draw the results to this file, as SVG")
	f.BoolVar(&c.table, "table", false, "with -from: print the results as a table in Markdown")
	if err := f.Parse(args); err != nil {
		return c, err
	}
	if c.rows < 1 || c.runs < 1 {
		return c, fmt.Errorf("rows and runs must be positive")
	}
	return c, nil
}
