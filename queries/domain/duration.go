package domain

import (
	"math/big"
	"regexp"
	"strconv"
	"time"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"

	"github.com/dprelease/dprelease/queries/problem"
)

// durationText matches a duration, such as 30m or 2w.
var durationText = regexp.MustCompile(`^[1-9][0-9]{0,8}[smhdw]$`)

var unitSeconds = map[byte]int64{'s': 1, 'm': 60, 'h': 3600, 'd': columnar.DaySeconds, 'w': 7 * columnar.DaySeconds}

// parseDuration parses a duration: a number n, and a unit s, m, h, d or w.
func parseDuration(text string) (n int, unit byte, ok bool) {
	if !durationText.MatchString(text) {
		return 0, 0, false
	}
	last := len(text) - 1
	n, err := strconv.Atoi(text[:last])
	return n, text[last], err == nil
}

// intervalEnd returns the end of an interval with this start and length, as a number in the unit of a column of type t
// (such as days or microseconds).
func intervalEnd(from, length string, t table.Type, zone *time.Location) (*big.Rat, *problem.Error) {
	n, unit, ok := parseDuration(length)
	if !ok {
		return nil, &problem.Error{Field: ".for", Code: problem.CodeBadValue, Message: "for is not a length of time"}
	}
	if zone == nil || t.Zone != table.UTC {
		zone = time.UTC
	}
	switch t.Kind {
	case table.Date:
		return new(big.Rat).SetFrac(after(from, n, unit, zone), big.NewInt(dayNanoseconds)), nil
	case table.Timestamp:
		return new(big.Rat).SetFrac(after(from, n, unit, zone), big.NewInt(t.Unit)), nil
	}
	err := problem.BadType(t)
	err.Field, err.Hint = ".for", "for needs a column of dates or times"
	return nil, err
}

// after returns the time that is n units after from, in nanoseconds since 1970-01-01T00:00:00Z.
func after(from string, n int, unit byte, zone *time.Location) *big.Int {
	start, offset, _ := parseMoment(from, zone)
	length := int64(n) * unitSeconds[unit]
	if (unit == 'd' || unit == 'w') && !offset {
		local, _, _ := parseMoment(from, time.UTC)
		start, _ = InZone(time.Unix(local.Unix()+length, int64(local.Nanosecond())).UTC(), zone)
		length = 0
	}
	nanoseconds := big.NewInt(length)
	return nanoseconds.Add(nanoseconds.Mul(nanoseconds, big.NewInt(1e9)), sinceEpoch(start))
}
