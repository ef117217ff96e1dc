package dprelease_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/dprelease/dprelease"
)

// job describes the release: how many loans each branch of a library had.
const job = `version: 1
name: loans
privacy: {epsilon: 1, delta: 1e-6, unit: [member], adjacency: add-remove, per_unit: {max_rows: 2}}
input: {files: [loans.csv]}
queries:
  - name: by_branch
    histogram: {by: [{column: branch, values: [north, south, east]}]}
output: {dir: out, formats: [parquet]}
ledger: {store: "sqlite:ledger.db", dataset: loans, budget: {epsilon: 3, delta: 1e-5}}
`

// library writes the job and its table into a new folder.
func library() string {
	dir, err := os.MkdirTemp("", "library-")
	if err != nil {
		log.Fatal(err)
	}
	table := "member,branch\n1,north\n1,south\n2,north\n3,east\n"
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "job.yaml"), []byte(job), 0o600),
		os.WriteFile(filepath.Join(dir, "loans.csv"), []byte(table), 0o600)); err != nil {
		log.Fatal(err)
	}
	return dir
}

// Plan a job, run it, read its release; run it again, which costs nothing.
func Example() {
	ctx := context.Background()
	dir := library()

	job, err := dprelease.Load(ctx, filepath.Join(dir, "job.yaml"), nil)
	if err != nil {
		log.Fatal(err)
	}
	plan, err := job.Plan(ctx, dprelease.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, q := range plan.Queries {
		fmt.Printf("%s: %d cells, 95 %% interval ± %.1f\n", q.Name, q.Cells, q.HalfWidth)
	}
	fmt.Printf("next: %s, %.0f more fit\n", plan.Next, plan.Caps[0].Fits)

	for range 2 {
		outcome, err := job.Run(ctx, dprelease.Options{})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(outcome.Status)
	}

	release, err := dprelease.Open(ctx, filepath.Join(dir, "out"))
	if err != nil {
		log.Fatal(err)
	}
	table, err := release.Table(ctx, "by_branch")
	if err != nil {
		log.Fatal(err)
	}
	for i, branch := range table.Labels[0].Strings {
		_ = table.Noisy[i] // drawn once, and published
		fmt.Println(branch)
	}
	record := table.Record() // the same table for Arrow
	defer record.Release()
	fmt.Println(record.NumRows(), "rows,", record.NumCols(), "columns")
	_ = os.RemoveAll(dir)
	// Output:
	// by_branch: 3 cells, 95 % interval ± 16.6
	// next: charge, 8 more fit
	// released
	// already-released
	// north
	// south
	// east
	// 3 rows, 6 columns
}

// Add published cells up: how many more loans two branches have than the third one, at no cost.
func ExampleCombine() {
	ctx := context.Background()
	dir := library()
	job, err := dprelease.Load(ctx, filepath.Join(dir, "job.yaml"), nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := job.Run(ctx, dprelease.Options{}); err != nil {
		log.Fatal(err)
	}
	release, err := dprelease.Open(ctx, filepath.Join(dir, "out"))
	if err != nil {
		log.Fatal(err)
	}
	more, err := dprelease.Combine(ctx, []dprelease.Cells{
		{Release: release, Text: "by_branch where branch in (north, south)"},
		{Release: release, Text: "-1 * by_branch where branch = east"},
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(more.Low < more.Noisy && more.Noisy < more.High)
	fmt.Printf("± %.1f\n", (more.High-more.Low)/2)
	_ = os.RemoveAll(dir)
	// Output:
	// true
	// ± 28.7
}

// An error has a code, and the places in the job file that are wrong.
func ExampleParse() {
	text := strings.Replace(job, "epsilon: 1,", "epsilon: -1,", 1)
	_, err := dprelease.Parse(context.Background(), "job.yaml", []byte(text), nil)
	var wrong *dprelease.Error
	if errors.As(err, &wrong) {
		for _, p := range wrong.Problems {
			fmt.Println(wrong.Cause, p.Line, p.Column, p.Code)
		}
	}
	// Output:
	// job 3 20 bad-value
}
