package main

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/dprelease/dprelease/examples/internal/draw"
)

type trip struct {
	CabID      int64   `parquet:"cab_id"`
	PickupTime int64   `parquet:"pickup_time,timestamp(microsecond:local)"`
	Hour       int64   `parquet:"hour"`
	Borough    string  `parquet:"borough,dict"`
	Payment    string  `parquet:"payment,dict"`
	Passengers *int64  `parquet:"passengers,optional"`
	DistanceKM float64 `parquet:"distance_km"`
	Fare       float64 `parquet:"fare"`
}

// day returns the trips of one day, in order of pickup. The seed is fixed: every call returns the same day.
func day() []trip {
	r := rand.New(rand.NewPCG(2013, 1118))
	var trips []trip
	for i, cab := range r.Perm(9000)[:cabs] {
		for range tripsOf(r, i) {
			trips = append(trips, newTrip(r, int64(1000+cab)))
		}
	}
	slices.SortFunc(trips, func(a, b trip) int {
		return cmp.Or(cmp.Compare(a.PickupTime, b.PickupTime), cmp.Compare(a.CabID, b.CabID))
	})
	return trips
}

// tripsOf returns the number of trips of cab i. Most cabs make a few trips and some a dozen. The first two have several
// drivers, and make far more trips than a release counts.
func tripsOf(r *rand.Rand, i int) int {
	if i < len(overActive) {
		return overActive[i]
	}
	return 1 + min(int(3.4*math.Exp(0.6*r.NormFloat64())), 20)
}

func newTrip(r *rand.Rand, cab int64) trip {
	hour := draw.Index(r, hourWeights)
	start := time.Date(2013, 11, 18, hour, r.IntN(60), r.IntN(60), 0, time.UTC)
	borough := draw.Index(r, boroughWeights)
	km := round(math.Exp(logKM[borough]+0.6*r.NormFloat64()), 100)
	return trip{
		CabID:      cab,
		PickupTime: start.UnixMicro(),
		Hour:       int64(hour),
		Borough:    boroughs[borough],
		Payment:    payments[draw.Index(r, paymentWeights)],
		Passengers: passengers(r),
		DistanceKM: km,
		Fare:       fare(r, km, hour),
	}
}

// passengers returns a number of passengers; nil if the driver entered none.
func passengers(r *rand.Rand) *int64 {
	if r.Float64() < 0.01 {
		return nil
	}
	n := int64(1 + draw.Index(r, passengerWeights))
	return &n
}

// fare returns a fare in dollars, in steps of half a dollar; NaN if the meter failed.
func fare(r *rand.Rand, km float64, hour int) float64 {
	if r.Float64() < 0.002 {
		return math.NaN()
	}
	dollars := 2.5 + 1.55*km + 1.5*r.ExpFloat64()
	if hour >= 16 && hour < 20 {
		dollars++
	}
	return round(dollars, 2)
}

// round returns x, rounded to a multiple of 1/parts.
func round(x, parts float64) float64 { return math.Round(x*parts) / parts }
