package configs

import (
	"strings"
	"testing"
)

func TestDataIntervals(t *testing.T) {
	for _, c := range []struct{ every, from, to, want string }{
		{"", "2024-02-28", "2024-03-01", "2024-02-28 2024-02-29 2024-03-01"},
		{"day", "2024-02-28", "2024-02-28", "2024-02-28"},
		{"month", "2023-11", "2024-01-01", "2023-11 2023-12 2024-01"},
		{"month", "2023-11-01", "2023-12", "2023-11-01 2023-12-01"},
		{"year", "2023", "2025-01", "2023 2024 2025"},
	} {
		windows, err := (&Param{Type: "date", Every: c.every}).DataIntervals(c.from, c.to)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		var got []string
		for i, w := range windows {
			got = append(got, w.Value)
			if i > 0 && windows[i-1].End.Format("2006-01-02") != w.Forms[len(w.Forms)-1] {
				t.Errorf("%s ends at %v", windows[i-1].Value, windows[i-1].End)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	for _, c := range []struct{ typ, every, from, to string }{
		{"text", "", "2024-02-28", "2024-02-28"}, {"date", "", "2024-02", "2024-02-28"}, {"date", "", "2024-02-28",
			"2024-02-27"},
		{"date", "month", "2024-02-02", "2024-03"}, {"date", "", "1000-01-01", "3000-01-01"},
	} {
		if _, err := (&Param{Type: c.typ, Every: c.every}).DataIntervals(c.from, c.to); err == nil {
			t.Errorf("%+v has windows", c)
		}
	}
}
