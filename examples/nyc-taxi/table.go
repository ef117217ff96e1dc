package main

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
)

const (
	junctionsFile = "junctions.csv"
	sectionsFile  = "sections.csv"
	tripsPattern  = "nyc_*_trips.csv.gz"
)

// The columns of the two kinds of files.
const (
	junctionsHeader = "junction,lat,lon,source_node"
	sectionsHeader  = "from_junction,to_junction,length_m,shape_points"
	tripsHeader     = "cab_id,driver_id,pickup_datetime,dropoff_datetime,pickup_latitude,pickup_longitude,dropoff_latitude,dropoff_longitude"
)

// count counts the trips of all files in dir.
func count(dir string) (int, error) {
	files, err := filepath.Glob(filepath.Join(dir, tripsPattern))
	if err != nil {
		return 0, err
	}
	total := 0
	for _, path := range files {
		n, err := countFile(path)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

func countFile(path string) (int, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	text, err := gzip.NewReader(f)
	if err != nil {
		return 0, fmt.Errorf("%s is not compressed by gzip", filepath.Base(path))
	}
	lines := bufio.NewScanner(text)
	if !lines.Scan() || lines.Text() != tripsHeader {
		return 0, fmt.Errorf("%s has other columns than %s", filepath.Base(path), tripsHeader)
	}
	rows := 0
	for lines.Scan() {
		rows++
	}
	return rows, lines.Err()
}
