// Command bench compares the engine of this machine with DuckDB on the same files: both answer each query in turns, each
// in a process of its own, and one JSON line a query and number of threads says how long they took.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// config is what the command line says.
type config struct {
	rows    int
	runs    int
	dir     string
	queries string
	threads string
	// engine is set in the processes that measure: which one is to answer.
	engine string
	// profile is the file for the processor's profile of our engine, if it is not empty.
	profile string
	// from is a file with the lines of an earlier run, picture the file for the picture, table says that a table is printed.
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
	f.StringVar(&c.profile, "profile", "", "let our engine alone answer one query, and write the processor's profile to this file")
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

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	c, err := parse(args)
	if err != nil {
		return err
	}
	if c.from != "" {
		return show(&c)
	}
	tables, err := makeTables(c.dir, c.rows)
	if err != nil {
		return err
	}
	if c.profile != "" {
		return profile(ctx, &c, tables)
	}
	if c.engine != "" {
		return measure(ctx, &c, tables)
	}
	encoder := json.NewEncoder(os.Stdout)
	var results []*result
	for _, name := range strings.Split(c.queries, ",") {
		if !slices.Contains(names(), name) {
			return fmt.Errorf("there is no query %q; there are %s", name, strings.Join(names(), ", "))
		}
		for _, text := range strings.Split(c.threads, ",") {
			threads, err := strconv.Atoi(text)
			if err != nil || threads < 1 {
				return fmt.Errorf("threads are positive numbers")
			}
			result, err := compare(ctx, &c, name, threads)
			if err != nil {
				return err
			}
			if err := encoder.Encode(result); err != nil {
				return err
			}
			results = append(results, result)
		}
	}
	if c.picture == "" {
		return nil
	}
	return drawTo(c.picture, results)
}

// show presents the results of an earlier run.
func show(c *config) error {
	results, err := readResults(c.from)
	if err == nil && c.table {
		err = writeTable(os.Stdout, results)
	}
	if err == nil && c.picture != "" {
		err = drawTo(c.picture, results)
	}
	return err
}
