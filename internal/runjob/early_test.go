//go:build check

package runjob

import (
	"testing"
	"time"
)

// A day begins at midnight of its zone, or when the clocks change if they skip midnight.
func TestDaysBegin(t *testing.T) {
	for _, c := range []struct{ zone, day, want string }{
		{"UTC", "2024-02-29", "2024-02-29T00:00:00Z"},
		{"Europe/Berlin", "2025-03-31", "2025-03-31T00:00:00+02:00"},
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T01:00:00-02:00"},
		{"Africa/Cairo", "2024-04-26", "2024-04-26T01:00:00+03:00"},
		{"Pacific/Apia", "2011-12-30", "2011-12-31T00:00:00+14:00"},
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		day, err := time.Parse(time.DateOnly, c.day)
		if err != nil {
			t.Fatal(err)
		}
		if got := InZone(day, zone).Format(time.RFC3339); got != c.want {
			t.Errorf("%s in %s begins at %s, want %s", c.day, c.zone, got, c.want)
		}
	}
}
