package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The two files of the table. Their extensions name their format.
const (
	trainFile = "adult.data.csv"
	testFile  = "adult.test.csv"
)

// How many rows the two original files have.
const (
	trainRows = 32561
	testRows  = 16281
)

// fields is the number of columns.
const fields = 15

// count counts the rows of both files in dir.
func count(dir string) (int, error) {
	total := 0
	for _, name := range []string{trainFile, testFile} {
		n, err := countFile(filepath.Join(dir, name))
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

// countFile counts the rows of one file, without comments and empty lines.
func countFile(path string) (rows int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "|") {
			continue
		}
		if strings.Count(line, ",")+1 != fields {
			return 0, fmt.Errorf("%s has a row that is not of %d columns", filepath.Base(path), fields)
		}
		rows++
	}
	return rows, lines.Err()
}
