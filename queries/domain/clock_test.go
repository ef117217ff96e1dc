package domain

import (
	"testing"
	"time"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
)

// One clock reads times in any order: what it remembers of a zone holds for no time but those between two changes.
func TestClockAcrossChanges(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zone data")
	}
	c, ok := newClock(table.Type{Kind: table.Timestamp, Unit: 1_000_000_000, Zone: table.UTC}, zone)
	if !ok {
		t.Fatal("no clock of times")
	}
	for _, text := range []string{
		"2013-01-15T12:00:00Z", "2013-07-15T12:00:00Z", "2013-12-15T12:00:00Z", "2013-07-15T22:30:00Z", "2013-01-15T12:00:00Z",
		"2013-03-31T00:59:59Z", "2013-03-31T01:00:00Z", "2013-10-27T00:59:59Z", "2013-10-27T01:00:00Z", "1969-12-31T23:59:59Z", "2013-07-15T12:00:00Z",
	} {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		shown := at.In(zone)
		want := time.Date(shown.Year(), shown.Month(), shown.Day(), shown.Hour(), shown.Minute(), shown.Second(), 0, time.UTC).Unix()
		if day, second := c.read(at.Unix()); (day*columnar.DaySeconds+second-want)%cycleSeconds != 0 {
			t.Errorf("%s: day %d, second %d, want %s", text, day, second, shown.Format(time.DateTime))
		}
	}
}
