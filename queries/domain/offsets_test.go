package domain

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
)

// A table gives every second the offset that package time gives it, and so does a clock, which uses the table.
func TestOffsetTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"America/New_York", "Europe/Berlin", "Europe/Dublin", "Asia/Kolkata",
		"Australia/Lord_Howe", "Africa/Casablanca", "America/Nuuk", "Etc/GMT+5"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		seconds := table.Type{Kind: table.Timestamp, Unit: 1e9, Zone: table.UTC}
		x := offsetsTable(seconds, zone)
		c, _ := newClock(seconds, zone)
		for range 20000 {
			at := r.Int64N(2*(LastSecond-FirstSecond)) + FirstSecond - (LastSecond-FirstSecond)/2
			if r.IntN(2) == 0 && len(x.Starts) > 0 {
				at = x.Starts[r.IntN(len(x.Starts))] + int64(r.IntN(3)) - 1 + int64(r.IntN(3))*CycleSeconds
			}
			_, want := time.Unix(min(max(at, FirstSecond), LastSecond), 0).In(zone).Zone()
			if x.of(at) != int64(want) {
				t.Fatalf("%s at %d: %d, want %d", name, at, x.of(at), want)
			}
			local := modulo(modulo(at, CycleSeconds)+int64(want), CycleSeconds)
			if days, left := c.read([]int64{at}); int64(days[0])*columnar.DaySeconds+int64(left[0]) != local {
				t.Fatalf("%s at %d: day %d and second %d, want second %d of the cycle", name, at, days[0], left[0], local)
			}
		}
	}
}

func (x *Offsets) of(at int64) int64 {
	at = min(max(at, FirstSecond), LastSecond)
	if at >= CycleStart+CycleSeconds {
		at = CycleStart + (at-CycleStart)%CycleSeconds
	}
	return x.Of[rankOf(x.Starts, at)]
}
