package domain

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
)

func berlin(t *testing.T) *time.Location {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zone data")
	}
	return zone
}

// One clock reads times in any order, in the years of its table and out of them: what it remembers of a zone holds for
// no time but those between two changes.
func TestClockAcrossChanges(t *testing.T) {
	zone := berlin(t)
	c, ok := newClock(table.Type{Kind: table.Timestamp, Unit: 1_000_000_000, Zone: table.UTC}, zone)
	if !ok {
		t.Fatal("no clock of times")
	}
	var xs, wants []int64
	for _, text := range []string{
		"2013-01-15T12:00:00Z", "2013-07-15T12:00:00Z", "2013-12-15T12:00:00Z", "2013-07-15T22:30:00Z",
		"2013-01-15T12:00:00Z",
		"2013-03-31T00:59:59Z", "2013-03-31T01:00:00Z", "2013-10-27T00:59:59Z", "2013-10-27T01:00:00Z",
		"1969-12-31T23:59:59Z", "2013-07-15T12:00:00Z",
		"2040-12-30T23:59:59Z", "2040-12-31T00:00:00Z", "2040-12-31T23:59:59Z", "2041-01-01T00:00:00Z",
		"2041-07-15T00:00:00Z",
		"2110-01-15T12:00:00Z", "2110-07-15T12:00:00Z", "2099-12-31T23:59:59Z", "2100-01-01T00:00:00Z",
		"2110-01-15T12:00:00Z",
		"1900-01-01T00:00:00Z", "1899-12-31T23:59:59Z", "1880-07-15T12:00:00Z", "9999-12-31T23:59:59Z",
		"0001-01-01T00:00:00Z",
	} {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		shown := at.In(zone)
		xs = append(xs, at.Unix())
		wants = append(wants, time.Date(shown.Year(), shown.Month(), shown.Day(), shown.Hour(), shown.Minute(),
			shown.Second(), 0, time.UTC).Unix())
	}
	days, seconds := c.read(xs)
	for i, want := range wants {
		if day, second := int64(days[i]), int64(seconds[i]); (day*columnar.DaySeconds+second-want)%CycleSeconds != 0 {
			t.Errorf("%s: day %d, second %d", time.Unix(xs[i], 0).In(zone).Format(time.DateTime), day, second)
		}
	}
}

// Every field of every day of the calendar's cycle agrees with the standard library.
func TestFieldsOfAllDays(t *testing.T) {
	days := make([]int32, cycleDays)
	for i := range days {
		days[i] = int32(i)
	}
	dst := make([]int32, len(days))
	for name, field := range map[string]struct {
		read func(dst, days, seconds []int32)
		want func(time.Time) int
	}{
		"day_of_week":  {dayOfWeek, func(x time.Time) int { return (int(x.Weekday()) + 6) % 7 }},
		"day_of_month": {dayOfMonth, func(x time.Time) int { return x.Day() - 1 }},
		"week_of_year": {weekOfYear, func(x time.Time) int { _, week := x.ISOWeek(); return week - 1 }},
		"month":        {month, func(x time.Time) int { return int(x.Month()) - 1 }},
		"quarter":      {quarter, func(x time.Time) int { return (int(x.Month()) - 1) / 3 }},
	} {
		field.read(dst, days, nil)
		for i, got := range dst {
			at := time.Unix(int64(i)*columnar.DaySeconds, 0).UTC()
			if want := field.want(at); int(got) != want {
				t.Fatalf("%s of %s: %d, want %d", name, at.Format(time.DateOnly), got, want)
			}
		}
	}
}

// The day and the second of any value, in every unit and zone, agree with the standard library, if it can represent
// them.
func TestClockOfAllValues(t *testing.T) {
	zones := []*time.Location{nil, time.UTC, time.FixedZone("", -5*3600-17), berlin(t)}
	for _, name := range []string{"America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "Pacific/Apia",
		"Asia/Kathmandu"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		zones = append(zones, zone)
	}
	rapid.Check(t, func(rt *rapid.T) {
		unit := rapid.SampledFrom([]int64{1, 1e3, 1e6, 1e9, 1e5}).Draw(rt, "unit")
		zone := rapid.SampledFrom(zones).Draw(rt, "zone")
		perSecond := 1e9 / unit
		around := rapid.Custom(func(rt *rapid.T) int64 {
			return rapid.Int64Range(-4e9, 6e9).Draw(rt, "second")*perSecond + rapid.Int64Range(-1, 1).Draw(rt, "unit")
		})
		if perSecond == 1e9 {
			around = rapid.Int64()
		}
		xs := append(rapid.SliceOfN(around, 1, 50).Draw(rt, "xs"), math.MinInt64, math.MaxInt64)
		c, _ := newClock(table.Type{Kind: table.Timestamp, Unit: unit, Zone: table.UTC}, zone)
		days, seconds := c.read(xs)
		for i, x := range xs {
			s := floorDivide(x, perSecond)
			shown := time.Unix(min(max(s, columnar.FirstDay*columnar.DaySeconds), (columnar.LastDay+1)*columnar.DaySeconds-1), 0)
			offset := 0
			if zone != nil {
				_, offset = shown.In(zone).Zone()
			}
			want := modulo(modulo(s, CycleSeconds)+int64(offset), CycleSeconds)
			if got := int64(days[i])*columnar.DaySeconds + int64(seconds[i]); got != want {
				rt.Fatalf("%d units of %d ns in %v: second %d of the cycle, want %d", x, unit, zone, got, want)
			}
		}
	})
}

func BenchmarkClock(b *testing.B) {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		b.Skip("no time zone data")
	}
	xs, dst := make([]int64, 8192), make([]int32, 8192)
	for i := range xs {
		xs[i] = 1356998400_000000 + int64(i)*2654435761%(365*86400)*1e6
	}
	for name, z := range map[string]*time.Location{"UTC": nil, "zone": zone} {
		c, _ := newClock(table.Type{Kind: table.Timestamp, Unit: 1000, Zone: table.UTC}, z)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				days, seconds := c.read(xs)
				hourOfDay(dst, days, seconds)
			}
		})
	}
}
