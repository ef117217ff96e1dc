package main

// cabs is the number of cabs that drive on the day.
const cabs = 900

// overActive has the numbers of trips of the busiest cabs. Several drivers share these two, which make far more trips
// than the jobs' max_rows counts.
var overActive = []int{46, 34}

// hourWeights[h] is the relative number of trips that begin in hour h. There are two rush hours, and few trips in the
// hour before the evening, when drivers change.
var hourWeights = []float64{
	28, 18, 11, 8, 7, 10, 25, 46, 58, 54, 48, 47,
	50, 49, 50, 46, 38, 50, 66, 68, 60, 57, 52, 42,
}

// The boroughs, with weights and the logarithm of the median distance in km. The job does not list EWR, the airport on
// the other side of the river.
var (
	boroughs       = []string{"Manhattan", "Brooklyn", "Queens", "Bronx", "Staten Island", "EWR"}
	boroughWeights = []float64{830, 85, 65, 12, 2, 6}
	logKM          = []float64{0.9, 1.3, 2.2, 1.6, 2.4, 3.1}
)

// The kinds of payment. The meters of one vendor write "credit" instead of "card".
var (
	payments       = []string{"card", "credit", "cash", "no charge", "dispute"}
	paymentWeights = []float64{420, 150, 418, 9, 3}
)

var passengerWeights = []float64{70, 14, 4, 2, 6, 4}
