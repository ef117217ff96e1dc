// Command bench compares the local engine with DuckDB on the same files. Both answer each query in turns, each in a
// process of its own. The output has one JSON line with times for each query and number of threads.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
)

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
			result, err := compare(ctx, &c, tables, name, threads)
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
