//go:build check

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The tables in the folder are those that the generator writes.
func TestCommittedTablesAreCurrent(t *testing.T) {
	c := invent()
	for name, rows := range map[string][][]string{"places.csv": c.places, "totals.csv": c.totals, "people.csv": c.people} {
		committed, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		var made bytes.Buffer
		if err := write(&made, rows); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(committed, made.Bytes()) {
			t.Errorf("%s is not what the generator makes: go run ./examples/census/gen", name)
		}
	}
}
