package scan

import (
	"strings"
	"time"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/table"
)

func parseDate(b []byte) (int64, bool) {
	t, err := time.Parse(time.DateOnly, string(b))
	return t.Unix() / 86400, err == nil // exact, since t is a midnight
}

// hasDay reports whether a layout has year, month and day. It returns false for a layout with a time zone in letters,
// such as CET: letters do not tell the offset from UTC.
func hasDay(layout string) bool {
	probe := time.Date(2013, 11, 24, 0, 0, 0, 0, time.UTC)
	back, err := time.Parse(layout, probe.Format(layout))
	return err == nil && back.Equal(probe) && !strings.Contains(layout, "MST")
}

func zoned(layout string) bool {
	return strings.Contains(layout, "-07") || strings.Contains(layout, "Z07")
}

// dateType returns the type of dates in some layouts. It refuses a layout without a day, or with a time zone, since the
// zone would decide on which day an instant is.
func dateType(layouts []string) (TextType, *fault.Error) {
	for _, layout := range layouts {
		if !hasDay(layout) || zoned(layout) {
			return Text, fault.New(fault.CodeOption, "the layout of a date must say year, month and day, and no zone").
				Advise("write how 2 January 2006 looks in the file, such as date 2/1/2006; of instants the type is timestamp")
		}
	}
	return TextType{Type: table.Type{Kind: table.Date}, Parse: ints(func(b []byte) (int64, bool) {
		t, ok := parseTime(layouts, b)
		seconds := t.Unix()
		return (seconds - (seconds%86400+86400)%86400) / 86400, ok
	})}, nil
}

// timestampType returns the type of timestamps in some layouts. It refuses a layout without a day, and a mixture of
// layouts with and without a time zone.
func timestampType(layouts []string) (TextType, *fault.Error) {
	if len(layouts) == 0 {
		layouts = []string{""}
	}
	for _, layout := range layouts {
		if !hasDay(layout) {
			return Text, fault.New(fault.CodeOption, "the layout of a timestamp must say year, month and day").
				Advise("write the layout as Go does, such as timestamp 2006-01-02 15:04:05; a zone as -07:00 or Z07:00")
		}
		if zoned(layout) != zoned(layouts[0]) {
			return Text, fault.New(fault.CodeOption, "some layouts of a timestamp have a zone, and others have none").
				Advise("without a zone a time is a reading of a clock, with one it is an instant: a column is one of them")
		}
	}
	t := table.Type{Kind: table.Timestamp, Unit: 1e3, Zone: ZoneOf(zoned(layouts[0]))}
	parse := func(b []byte) (time.Time, bool) { return parseTime(layouts, b) }
	return TextType{t, ints(func(b []byte) (int64, bool) {
		at, ok := parse(b)
		return at.UnixMicro(), ok
	}), ints(func(b []byte) (int64, bool) {
		at, ok := parse(b)
		return at.UnixMicro(), ok && inMicroseconds(b, at, parse)
	})}, nil
}

// parseTime parses a text by the first layout that fits.
func parseTime(layouts []string, b []byte) (time.Time, bool) {
	for _, layout := range layouts {
		if t, err := time.Parse(layout, string(b)); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// layoutSeparator separates the layouts of dates and times.
const layoutSeparator = " | "
