package command

import (
	"testing"
	"time"

	"github.com/dprelease/dprelease/configs"
)

// Without --to, the last data interval is the one before now in the job's time zone.
func TestLastInterval(t *testing.T) {
	now := time.Date(2023, 12, 31, 22, 0, 0, 0, time.UTC)
	for _, c := range []struct{ zone, every, want string }{
		{"UTC", "day", "2023-12-30"}, {"Pacific/Auckland", "day", "2023-12-31"}, {"America/New_York", "day", "2023-12-30"},
		{"UTC", "month", "2023-11"}, {"Pacific/Auckland", "month", "2023-12"},
		{"UTC", "year", "2022"}, {"Pacific/Auckland", "year", "2023"},
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		if got := (&windowFlags{}).last(&configs.Param{Every: c.every}, now.In(zone)); got != c.want {
			t.Errorf("the last %s in %s is %s, want %s", c.every, c.zone, got, c.want)
		}
	}
	santiago, err := time.LoadLocation("America/Santiago") // whose clocks skip the midnight of 6 September 2026
	if err != nil {
		t.Fatal(err)
	}
	now = time.Date(2026, 9, 7, 0, 30, 0, 0, santiago)
	if got := (&windowFlags{}).last(&configs.Param{Every: "day"}, now); got != "2026-09-06" {
		t.Errorf("the last day in Santiago is %s", got)
	}
}
