package main

// task is what every tool has to do: answer queries about a table under a guarantee.
type task struct {
	letter, name string
	asked        string // the description of the task on the page
	unit         string // the unit in which errors are given
	timeOnly     bool   // only seconds and memory are compared
}

// The guarantee of all tasks except the papers', which is (0.1, 1e-4). Neighbours differ in one unit, added or removed.
var tasks = []task{
	{letter: "a", name: "hours", unit: "a row", asked: "counts by 24 hours; at most 5 rows a unit (20,000 units)"},
	{letter: "b", name: "groups", unit: "that of the value, 0 to 100",
		asked: "sum and mean by 10 groups, values in [0, 100]; a row is a unit (50,000)"},
	{letter: "c", name: "quantiles", unit: "that of the value, 0 to 1000",
		asked: "the median and five other quantiles of values in [0, 1000], 1,000 cells; a row is a unit (100,000)"},
	{letter: "d", name: "wide", unit: "a row", asked: "counts in a million cells; a row is a unit (2 million)"},
	{letter: "e", name: "keys", unit: "a unit",
		asked: "units by discovered key, 100,000 keys by Zipf's law, at most 5 keys a unit (200,000 units)"},
	{letter: "f", name: "adult", unit: "a row", asked: "all tables of one and two of 9 columns of UCI Adult; a row is a unit"},
	{letter: "g", name: "large", unit: "a row", timeOnly: true,
		asked: "counts by 100 categories from Parquet to a published table; each unit has 10 rows, of which at most 5 count"},
	{letter: "h1", name: "mean", unit: "that of the value",
		asked: "the mean of 500 vectors of 100 numbers in [-1/2, 1/2] (Balle & Wang 2018, 5.2), epsilon 0.1, delta 1e-4"},
	{letter: "h2", name: "histogram", unit: "a row",
		asked: "the histogram of 500 items in 100 cells (Balle & Wang 2018), epsilon 0.1, delta 1e-4"},
}
