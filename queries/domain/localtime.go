package domain

import "time"

// Dates and times of a job, some of which clocks in a zone skip or show twice.

// clockLayouts are the accepted forms of a time of day after a date. The seconds may have a fraction.
var clockLayouts = []string{"", "T15:04", "T15:04:05", " 15:04", " 15:04:05"}

// parseMoment parses a date or time, YYYY-MM-DD[THH:MM[:SS[.fraction]]][Z or ±HH:MM]. If it has no offset from UTC, it
// is a time in zone.
func parseMoment(text string, zone *time.Location) (t time.Time, offset, ok bool) {
	for _, clock := range clockLayouts {
		if t, err := time.Parse("2006-01-02"+clock, text); err == nil {
			t, _ = InZone(t, zone)
			return t, false, true
		}
		if clock == "" {
			continue
		}
		if t, err := time.Parse("2006-01-02"+clock+"Z07:00", text); err == nil {
			return t, true, true
		}
	}
	return time.Time{}, false, false
}

// InZone returns the instant at which clocks in the zone show t. If clocks skip t, because daylight saving time begins,
// it returns the instant of the change, and skipped is true.
func InZone(t time.Time, zone *time.Location) (at time.Time, skipped bool) {
	y, m, d := t.Date()
	at = time.Date(y, m, d, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), zone)
	_, offset := at.Zone()
	local := at.Add(time.Duration(offset) * time.Second)
	if local.Equal(t) {
		return at, false
	}
	from, to := at.ZoneBounds()
	if local.Before(t) {
		return to, true
	}
	return from, true
}

// isSkipped reports whether a text is a local time that clocks in the zone skip.
func isSkipped(text string, zone *time.Location) bool {
	t, offset, ok := parseMoment(text, time.UTC)
	if !ok || offset || zone == nil {
		return false
	}
	_, skipped := InZone(t, zone)
	return skipped
}
