package domain

import (
	"testing"
	"time"

	"github.com/dprelease/dprelease/io/table"
)

// A data interval ends as long after its start as clocks and calendar show.
func TestWindows(t *testing.T) {
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Skip("no time zone data")
	}
	instants, local := table.Type{Kind: table.Timestamp, Unit: 1e9, Zone: table.UTC}, table.Type{Kind: table.Timestamp,
		Unit: 1e9, Zone: table.Local}
	for _, c := range []struct {
		from, length string
		typ          table.Type
		zone         *time.Location
		want         int64 // seconds
	}{
		{"2013-01-01T00:00", "90s", instants, newYork, 90},
		{"2013-01-01T00:00", "2m", local, newYork, 120},
		{"2013-01-01T00:00", "1d", instants, nil, 86400},
		{"2013-03-10", "1d", instants, newYork, 23 * 3600},
		{"2013-03-10", "24h", instants, newYork, 24 * 3600},
		{"2013-03-10", "1d", local, newYork, 24 * 3600},
		{"2013-03-10T00:00-05:00", "1d", instants, newYork, 24 * 3600},
		{"2013-11-01", "1w", instants, newYork, 7*86400 + 3600},
		{"2013-03-09T02:30", "1d", instants, newYork, 86400 - 1800}, // 02:30 is skipped: the window ends with the skip
		{"2013-01-01", "999999999w", local, nil, 999999999 * 7 * 86400},
		{"2013-01-01", "999999999h", instants, newYork, 999999999 * 3600},
	} {
		start, e := parseScalar(c.from, c.typ, c.zone)
		end, e2 := intervalEnd(c.from, c.length, c.typ, c.zone)
		if e != nil || e2 != nil {
			t.Fatalf("%+v: %v %v", c, e, e2)
		}
		if length := end.Sub(end, start); !length.IsInt() || length.Num().Int64() != c.want {
			t.Errorf("%+v: %v", c, length)
		}
	}
}
