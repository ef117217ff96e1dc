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
	for i, name := range months {
		committed, err := os.ReadFile(filepath.Join("..", name+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		var made bytes.Buffer
		if err := write(&made, month(i)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(committed, made.Bytes()) {
			t.Errorf("%s.csv is not what the generator makes: go run ./examples/labour-survey/gen", name)
		}
	}
}
