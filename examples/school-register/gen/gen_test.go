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
	pupils, teachers := register()
	for name, rows := range map[string][][]string{"pupils.csv": pupils, "teachers.csv": teachers} {
		committed, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		var made bytes.Buffer
		if err := write(&made, rows); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(committed, made.Bytes()) {
			t.Errorf("%s is not what the generator makes: go run ./examples/school-register/gen", name)
		}
	}
}
