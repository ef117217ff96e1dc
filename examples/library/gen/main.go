// Command gen writes loans.txt, the tutorial's table: one invented year of a city's library. From the repository's
// root:
//
//	go run ./examples/library/gen examples/library/loans.txt
package main

import (
	"fmt"
	"os"
)

//go:generate go run . ../loans.txt

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gen FILE")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(path string) error {
	text, err := table(year())
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}
