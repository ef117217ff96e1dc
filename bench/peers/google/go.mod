module github.com/dprelease/dprelease/bench/peers/google

go 1.26.0

require (
	github.com/google/differential-privacy/go/v4 v4.0.0
	github.com/parquet-go/parquet-go v0.32.0
)
