//go:build check

package main

import "testing"

// reference lists the events of an hour ("2013-01-01 00") near a junction, in the plainest way.
func reference(t *testing.T, data, hour string) (events []event, count int) {
	t.Helper()
	places, err := junctions(data)
	if err != nil {
		t.Fatal(err)
	}
	if events, err = eventsOf(data, hour, places); err != nil {
		t.Fatal(err)
	}
	return events, len(places)
}

// records returns a CSV file's records without the header.
func records(t *testing.T, path string) [][]string {
	t.Helper()
	rows, err := readTable(path)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
