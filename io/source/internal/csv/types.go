package csv

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// columnType is a column's type and how its fields are parsed. parse adds the value of a field, or returns false and adds
// nothing.
type columnType struct {
	typ   table.Type
	parse func(text []byte, v *table.Values) bool
}

// newColumnType reads a type as the job writes it.
func newColumnType(s string) (columnType, *scan.Error) {
	name, layout, _ := strings.Cut(s, " ")
	switch {
	case name == "timestamp":
		return timestampType(layout)
	case name == "date" && layout != "":
		return dateType(layout)
	case layout != "":
	case name == "text":
		return textType, nil
	case name == "int":
		return columnType{table.Type{Kind: table.Int}, ints(parseInt)}, nil
	case name == "float":
		return columnType{table.Type{Kind: table.Float}, parseFloat}, nil
	case name == "bool":
		return columnType{table.Type{Kind: table.Bool}, ints(parseBool)}, nil
	case name == "date":
		return columnType{table.Type{Kind: table.Date}, ints(parseDate)}, nil
	}
	return textType, scan.Fault(scan.CodeOption, "%q is not a type", s).
		Advise("the types are text, int, float, bool, date, date LAYOUT and timestamp LAYOUT")
}

var textType = columnType{table.Type{Kind: table.String}, func(text []byte, v *table.Values) bool {
	v.Data = append(v.Data, text...)
	v.Offsets = append(v.Offsets, uint32(len(v.Data)))
	return true
}}

// ints adds what parse returns.
func ints(parse func([]byte) (int64, bool)) func([]byte, *table.Values) bool {
	return func(text []byte, v *table.Values) bool {
		i, ok := parse(bytes.TrimSpace(text))
		if ok {
			v.Ints = append(v.Ints, i)
		}
		return ok
	}
}

func parseInt(b []byte) (int64, bool) {
	i, err := strconv.ParseInt(string(b), 10, 64)
	return i, err == nil
}

// parseFloat takes numbers that are too large as infinite.
func parseFloat(text []byte, v *table.Values) bool {
	f, err := strconv.ParseFloat(string(bytes.TrimSpace(text)), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return false
	}
	v.Floats = append(v.Floats, f)
	return true
}

func parseBool(b []byte) (int64, bool) {
	switch strings.ToLower(string(b)) {
	case "true", "t", "yes", "y", "1":
		return 1, true
	case "false", "f", "no", "n", "0":
		return 0, true
	}
	return 0, false
}

func parseDate(b []byte) (int64, bool) {
	t, err := time.Parse(time.DateOnly, string(b))
	return t.Unix() / 86400, err == nil // exact: midnight
}

// saysDay says whether a layout tells year, month and day, and names no zone by letters, which do not say an offset.
func saysDay(layout string) bool {
	probe := time.Date(2013, 11, 24, 0, 0, 0, 0, time.UTC)
	back, err := time.Parse(layout, probe.Format(layout))
	return err == nil && back.Equal(probe) && !strings.Contains(layout, "MST")
}

func zoned(layout string) bool {
	return strings.Contains(layout, "-07") || strings.Contains(layout, "Z07")
}

// dateType reads a layout and refuses one that does not say the day, or that has a zone: which day an instant is on depends on it.
func dateType(layout string) (columnType, *scan.Error) {
	if !saysDay(layout) || zoned(layout) {
		return textType, scan.Fault(scan.CodeOption, "the layout of a date must say year, month and day, and no zone").
			Advise("write how 2 January 2006 looks in the file, such as date 2/1/2006; of instants the type is timestamp")
	}
	return columnType{table.Type{Kind: table.Date}, ints(func(b []byte) (int64, bool) {
		t, err := time.Parse(layout, string(b))
		seconds := t.Unix()
		return (seconds - (seconds%86400+86400)%86400) / 86400, err == nil
	})}, nil
}

// timestampType reads a layout and refuses one that does not say the day.
func timestampType(layout string) (columnType, *scan.Error) {
	if !saysDay(layout) {
		return textType, scan.Fault(scan.CodeOption, "the layout of a timestamp must say year, month and day").
			Advise("write the layout as Go does, such as timestamp 2006-01-02 15:04:05; a zone as -07:00 or Z07:00")
	}
	t := table.Type{Kind: table.Timestamp, Unit: 1e3, Zone: scan.ZoneOf(zoned(layout))}
	return columnType{t, ints(func(b []byte) (int64, bool) {
		at, err := time.Parse(layout, string(b))
		return at.UnixMicro(), err == nil
	})}, nil
}
