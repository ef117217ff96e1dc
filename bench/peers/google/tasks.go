package main

import (
	"fmt"
	"math"

	"github.com/google/differential-privacy/go/v4/dpagg"
	"github.com/parquet-go/parquet-go"
)

// The guarantee and the public bounds, as in harness.py.
const (
	epsilon, delta = 1, 1e-6
	paperEpsilon   = 0.1
)

// jobs are the tasks that the library supports. A job's lines are those of its function below.
var jobs = map[string]job{
	"hours":     {19, "the bound, which nothing enforces; the loop over the cells", hours},
	"groups":    {33, "bounds; the loop over the groups; sums from means and counts", groups},
	"quantiles": {19, "bounds", quantiles},
	"wide":      {9, "the loop over the cells", func(f string) (answer, error) { return counts(f, 1_000_000, epsilon) }},
	"keys":      {25, "the bound, which nothing enforces; the loop over the keys", discovered},
	"histogram": {9, "the loop over the cells", func(f string) (answer, error) { return counts(f, 100, paperEpsilon) }},
}

type answer = func() (map[string]*series, error)

type place struct {
	Cell int64 `parquet:"cell"`
}

func hours(file string) (answer, error) {
	rows, err := parquet.ReadFile[struct {
		Hour int64 `parquet:"hour"`
	}](file)
	return func() (map[string]*series, error) {
		var s series
		for hour := range int64(24) {
			sum, err := dpagg.NewBoundedSumInt64(&dpagg.BoundedSumInt64Options{Epsilon: epsilon, MaxContributions: 5})
			if err != nil {
				return nil, err
			}
			for _, row := range rows {
				if row.Hour == hour {
					err = sum.Add(1)
				}
			}
			n, err2 := sum.Result()
			interval, err3 := sum.ComputeConfidenceInterval(0.05)
			if err := firstOf(err, err2, err3); err != nil {
				return nil, err
			}
			s.add(float64(n), interval.LowerBound, interval.UpperBound)
		}
		return map[string]*series{"counts": &s}, nil
	}, err
}

func groups(file string) (answer, error) {
	rows, err := parquet.ReadFile[struct {
		Group string  `parquet:"group"`
		Value float64 `parquet:"value"`
	}](file)
	return func() (map[string]*series, error) {
		var sums, means series
		for g := range 10 {
			mean, err := dpagg.NewBoundedMean(&dpagg.BoundedMeanOptions{Epsilon: epsilon, MaxPartitionsContributed: 1,
				MaxContributionsPerPartition: 1, Lower: 0, Upper: 100})
			if err != nil {
				return nil, err
			}
			for _, row := range rows {
				if row.Group == fmt.Sprintf("group%d", g) {
					err = firstOf(err, mean.Add(row.Value))
				}
			}
			result, err2 := mean.ResultWithCount()
			interval, err3 := mean.ComputeConfidenceInterval(0.05)
			if err := firstOf(err, err2, err3); err != nil {
				return nil, err
			}
			means.add(result.Mean, interval.LowerBound, interval.UpperBound)
			sums.add(result.Mean*float64(result.Count), math.NaN(), math.NaN())
		}
		return map[string]*series{"sums": &sums, "means": &means}, nil
	}, err
}

func quantiles(file string) (answer, error) {
	rows, err := parquet.ReadFile[struct {
		Value float64 `parquet:"value"`
	}](file)
	return func() (map[string]*series, error) {
		tree, err := dpagg.NewBoundedQuantiles(&dpagg.BoundedQuantilesOptions{Epsilon: epsilon, MaxPartitionsContributed: 1,
			MaxContributionsPerPartition: 1, Lower: 0, Upper: 1000})
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			err = firstOf(err, tree.Add(row.Value))
		}
		var s series
		for _, rank := range []float64{0.05, 0.25, 0.5, 0.75, 0.95, 0.99} {
			q, err2 := tree.Result(rank)
			err = firstOf(err, err2)
			s.add(q, math.NaN(), math.NaN())
		}
		return map[string]*series{"quantiles": &s}, err
	}, err
}

// counts counts the rows of each cell; a row is a unit.
func counts(file string, cells int, eps float64) (answer, error) {
	rows, err := parquet.ReadFile[place](file)
	exact := make([]int64, cells)
	for _, row := range rows {
		exact[row.Cell]++
	}
	return func() (map[string]*series, error) {
		var s series
		for _, n := range exact {
			count, err := dpagg.NewCount(&dpagg.CountOptions{Epsilon: eps, MaxPartitionsContributed: 1})
			if err != nil {
				return nil, err
			}
			err = count.IncrementBy(n)
			noisy, err2 := count.Result()
			interval, err3 := count.ComputeConfidenceInterval(0.05)
			if err := firstOf(err, err2, err3); err != nil {
				return nil, err
			}
			s.add(float64(noisy), interval.LowerBound, interval.UpperBound)
		}
		return map[string]*series{"counts": &s}, nil
	}, err
}

// discovered publishes the counts of units that reach the library's threshold. A unit is once in each of its keys.
func discovered(file string) (answer, error) {
	rows, err := parquet.ReadFile[struct {
		Key string `parquet:"key"`
	}](file)
	exact := map[string]int64{}
	for _, row := range rows {
		exact[row.Key]++
	}
	return func() (map[string]*series, error) {
		found := &series{}
		for i := range 100_000 {
			nothing := math.NaN()
			n := exact[fmt.Sprintf("key%05d", i)]
			if n == 0 {
				found.add(nothing, nothing, nothing)
				continue
			}
			count, err := dpagg.NewCount(&dpagg.CountOptions{Epsilon: epsilon, MaxPartitionsContributed: 5})
			if err != nil {
				return nil, err
			}
			err = count.IncrementBy(n)
			noisy, err2 := count.ThresholdedResult(delta)
			if err := firstOf(err, err2); err != nil {
				return nil, err
			}
			if noisy == nil {
				found.add(nothing, nothing, nothing)
				continue
			}
			interval, err := count.ComputeConfidenceInterval(0.05)
			if err != nil {
				return nil, err
			}
			found.add(float64(*noisy), interval.LowerBound, interval.UpperBound)
		}
		return map[string]*series{"counts": found}, nil
	}, err
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
