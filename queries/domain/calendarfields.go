package domain

// Fields of times, such as the hour. Each function writes one field for all times of a column. Its arguments are the
// days and the seconds of the day that [clock.read] returns. All fields are numbered from 0.

// minuteOfHour writes 0 to 59.
func minuteOfHour(dst, _, seconds []int32) {
	for i, s := range seconds {
		dst[i] = int32(uint32(s) / 60 % 60)
	}
}

// hourOfDay writes 0 to 23.
func hourOfDay(dst, _, seconds []int32) {
	for i, s := range seconds {
		dst[i] = int32(uint32(s) / 3600)
	}
}

// hourOfWeek writes 0 to 167, counted from Monday 00:00.
func hourOfWeek(dst, days, seconds []int32) {
	for i, s := range seconds {
		dst[i] = int32(24*weekday(uint32(days[i])) + uint32(s)/3600)
	}
}

// dayOfWeek writes 0 to 6, counted from Monday.
func dayOfWeek(dst, days, _ []int32) {
	for i, day := range days {
		dst[i] = int32(weekday(uint32(day)))
	}
}

// dayOfMonth writes 0 to 30.
func dayOfMonth(dst, days, _ []int32) {
	for i, day := range days {
		_, ofMonth, _ := civil(uint32(day))
		dst[i] = int32(ofMonth)
	}
}

// weekOfYear writes 0 to 52: the ISO 8601 week number minus one. A week belongs to the year of its Thursday.
func weekOfYear(dst, days, _ []int32) {
	for i, day := range days {
		thursday := (uint32(day) + cycleDays + 3 - weekday(uint32(day))) % cycleDays
		_, _, ofYear := civil(thursday)
		dst[i] = int32(ofYear / 7)
	}
}

// month writes 0 to 11.
func month(dst, days, _ []int32) {
	for i, day := range days {
		month, _, _ := civil(uint32(day))
		dst[i] = int32(month)
	}
}

// quarter writes 0 to 3.
func quarter(dst, days, _ []int32) {
	for i, day := range days {
		month, _, _ := civil(uint32(day))
		dst[i] = int32(month / 3)
	}
}

// weekday returns 0 for Monday to 6 for Sunday; 1970-01-01 was a Thursday.
func weekday(day uint32) uint32 { return (day + 3) % 7 }

// civil returns the month, the day of the month and the day of the year, all from 0, of a day of the calendar's
// 400-year cycle (see clock.go).
//
// Years are counted from March, so that the leap day is the last day of a year. Month m after March then starts on day
// ⌊(153·m + 2)/5⌋, because the months from March to July have 153 days, and from August again (Hinnant,
// chrono-compatible low-level date algorithms).
func civil(day uint32) (month, ofMonth, ofYear uint32) {
	const (
		fromMarch = 719468 % cycleDays // days from the 1st of March at which a cycle starts to 1970-01-01
		toMarch   = 31 + 28            // days of January and February
		marchTo   = 306                // days from March to December
	)
	d := (day + fromMarch) % cycleDays
	year := (d - d/1460 + d/36524 - d/(cycleDays-1)) / 365
	d -= 365*year + year/4 - year/100
	month = (5*d + 2) / 153
	ofMonth = d - (153*month+2)/5
	if month >= 10 {
		return month - 10, ofMonth, d - marchTo
	}
	ofYear = d + toMarch
	if year%4 == 0 && (year%100 != 0 || year == 0) {
		ofYear++
	}
	return month + 2, ofMonth, ofYear
}
