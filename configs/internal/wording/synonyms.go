package wording

import (
	"slices"
	"strings"
)

// # Words of other tools
//
// Users of SQL or pandas write avg, groupby and bins. A comparison of spellings does not help: these words are far from
// ours, or near a word with another meaning (median and mean). So they have tables of their own, and spellings are
// compared only if a word is in none.

// synonyms maps words of other tools, as Normal writes them, to our words. A word with several meanings means the first
// one that is a key of the mapping in which it stands.
var synonyms = map[string][]string{
	// kinds of queries
	"avg": {"mean"}, "average": {"mean"}, "averages": {"mean"}, "mean_value": {"mean"},
	"hist": {"histogram"}, "crosstab": {"crosstabs",
		"histogram"}, "marginals": {"crosstabs"}, "contingency": {"crosstabs"}, "value_counts": {"histogram"},
	"contingency_table": {"histogram"},
	"counts":            {"histogram"}, "total": {"sum"}, "var": {"variance"},
	// dimensions
	"groupby": {"by"}, "group_by": {"by"}, "group": {"by"}, "groups": {"by"}, "dimensions": {"by"}, "dims": {"by"},
	"bins": {"edges"}, "nbins": {"edges"}, "buckets": {"edges"}, "breaks": {"edges"}, "cuts": {"edges"},
	"boundaries": {"edges"},
	"bin_width":  {"width"}, "binwidth": {"width"}, "step": {"width"}, "bin_size": {"width"},
	"start": {"from"}, "low": {"from", "clamp", "min"}, "lower": {"from", "clamp", "min"}, "lo": {"from", "clamp", "min"},
	"end": {"to", "before"}, "stop": {"to", "before"}, "until": {"to", "before"}, "high": {"to", "clamp",
		"max"}, "upper": {"to", "clamp", "max"}, "hi": {"to", "clamp", "max"},
	"min": {"from", "clamp"}, "max": {"to", "clamp"}, "minimum": {"from", "clamp", "min"}, "maximum": {"to", "clamp",
		"max"},
	"categories": {"values"}, "levels": {"values"}, "labels": {"values"}, "cells": {"values"}, "domain": {"values"},
	"alias": {"as"}, "rename": {"as"}, "missing": {"null"}, "nulls": {"null"}, "na": {"null"}, "else": {"other"},
	"rest":         {"other"},
	"unit_of_time": {"part"}, "date_part": {"part"}, "extract": {"part"},
	// values
	"bounds": {"clamp"}, "range": {"clamp"}, "limits": {"clamp"}, "clip": {"clamp"}, "clipping": {"clamp"},
	"norm": {"clip_l2"}, "max_norm": {"clip_l2"}, "l2_norm": {"clip_l2"}, "percentile": {"quantiles"},
	"percentiles": {"quantiles"}, "quartiles": {"quantiles"}, "median": {"quantiles"},
	// privacy
	"user": {"unit"}, "user_id": {"unit"}, "privacy_unit": {"unit"}, "entity": {"unit"}, "id": {"unit"},
	"neighbours": {"adjacency"}, "neighbors": {"adjacency"}, "neighboring": {"adjacency"},
	"bounds_per_unit": {"per_unit"}, "contribution": {"per_unit"}, "contributions": {"per_unit"},
	"max_contributions": {"max_rows"},
	"max_rows_per_unit": {"max_rows"}, "l1": {"max_rows"}, "l0": {"max_groups"}, "linf": {"max_rows_per_group"},
	"max_partitions_contributed": {"max_groups"}, "max_contributions_per_partition": {"max_rows_per_group"},
	// input, output and ledger
	"file": {"files", "store"}, "path": {"files", "dir",
		"store"}, "paths": {"files"}, "source": {"files"}, "data": {"files"}, "table": {"files"},
	"filter": {"where"}, "filters": {"where"}, "condition": {"where"}, "tz": {"timezone"}, "time_zone": {"timezone"},
	"sep": {"delimiter"}, "separator": {"delimiter"}, "dtypes": {"types"}, "schema": {"types"},
	"na_values": {"null_values"},
	"folder":    {"dir"}, "directory": {"dir"}, "database": {"store"}, "db": {"store"}, "parameters": {"params"},
	"variables": {"params"},
	// words that are values
	"string": {"text"}, "str": {"text"}, "varchar": {"text"}, "category": {"text"}, "integer": {"int"}, "int64": {"int"},
	"int32": {"int"}, "bigint": {"int"}, "long": {"int"},
	"double": {"float"}, "number": {"float"}, "numeric": {"float"}, "decimal": {"float"}, "real": {"float"},
	"float64":  {"float"},
	"datetime": {"timestamp"}, "time": {"timestamp"},
	"unbounded": {"add-remove"}, "bounded": {"replace-one"}, "substitute": {"replace-one"}, "change_one": {"replace-one"},
	"swap": {"replace-one"},
	"hour": {"hour_of_day"}, "minute": {"minute_of_hour"}, "weekday": {"day_of_week"}, "dow": {"day_of_week"},
	"day": {"day_of_month"}, "week": {"week_of_year"}, "quarter_of_year": {"quarter"}, "month_of_year": {"month"},
	"keep": {"bin"}, "include": {"bin"}, "cell": {"bin"}, "ignore": {"drop"}, "skip": {"drop"}, "exclude": {"drop"},
	"center":  {"centre"},
	"feather": {"arrow"}, "ipc": {"arrow"}, "pq": {"parquet"}, "daily": {"day"}, "monthly": {"month"}, "yearly": {"year"},
	"annual": {"year"}, "lifetime": {"total"}, "all": {"total"},
}

// notKinds maps words that are not kinds of queries, as Normal writes them, to a hint which query to write instead.
var notKinds = map[string]string{
	"median": hintMedian, "quantile": hintQuantiles, "quantiles": hintQuantiles, "percentile": hintQuantiles,
	"percentiles": hintQuantiles, "quartile": hintQuantiles, "quartiles": hintQuantiles, "boxplot": hintQuantiles,
	"std": hintDeviation, "stddev": hintDeviation, "stdev": hintDeviation, "sd": hintDeviation,
	"standard_deviation": hintDeviation,
	"min":                hintExtremes, "max": hintExtremes, "minimum": hintExtremes, "maximum": hintExtremes, "range": hintExtremes,
	"distinct": hintUnits, "count_distinct": hintUnits, "distinct_count": hintUnits, "nunique": hintUnits,
	"unique": hintUnits, "countd": hintUnits,
	"by": hintBy, "groupby": hintBy, "group_by": hintBy, "group": hintBy, "groups": hintBy, "dimensions": hintBy,
	"where": hintWhere, "filter": hintWhere, "filters": hintWhere,
	"epsilon": hintWeight, "eps": hintWeight, "delta": hintWeight, "budget": hintWeight, "share": hintFraction,
	"top": hintTop, "top_k": hintTop, "topk": hintTop, "mode": hintTop, "most_common": hintTop,
	"kind": hintKind, "type": hintKind, "agg": hintKind, "aggregate": hintKind, "aggregation": hintKind,
	"function": hintKind, "func": hintKind, "metric": hintKind,
	"measure": hintKind, "statistic": hintKind, "op": hintKind,
	"proportion": hintShare, "percentage": hintShare, "rate": hintShare, "ratio": hintShare, "correlation": hintMoments,
	"corr": hintMoments, "covariance": hintMoments,
}

const (
	hintQuantiles = "quantiles are read off a histogram, at no cost: histogram: {by: [{column: age, from: 0, to: 100, " +
		"width: 5}], quantiles: [0.25, 0.5, 0.75]}"
	hintMedian = "the median is read off a histogram, at no cost: histogram: {by: [{column: age, from: 0, to: 100, " +
		"width: 5}], quantiles: [0.5]}"
	hintDeviation = "ask for the variance, of which the standard deviation is the root: variance: {column: age, clamp: " +
		"[17, 90]}"
	hintExtremes = "the least and the largest value depend on single rows, so that no bounded noise hides them; " +
		"quantiles such as [0.05, 0.95] of a histogram do not"
	hintUnits = "count: {} with per_unit: {max_rows: 1} counts each privacy unit once; keys: discover in a " +
		"histogram finds values that are not listed"
	hintKind = "the kind of a query is a key: count: {}, histogram: {…}, sum: {…}, mean: {…} or variance: {…}"
	hintBy   = "dimensions go under the kind of query: histogram: {by: [{column: sex, values: [F, M]}]}, mean: " +
		"{column: age, clamp: [17, 90], by: […]}"
	hintWhere    = "a condition for this query alone is where: [{column: sex, in: [F]}]; for all queries it is input.where"
	hintWeight   = "the release has one epsilon and delta (privacy), which its queries share by weight: weight: 2"
	hintFraction = "a query gets a larger fraction of the budget with weight: 2; the share of some rows is a rate of two " +
		"counts, at no cost: rates: [{name: share, per: OTHER_QUERY, times: 100}]"
	hintTop = "a histogram counts all values that the job lists; keys: discover finds the frequent ones that it " +
		"cannot list"
	hintShare = "rates divide the counts of two queries, at no cost: rates: [{name: share, per: OTHER_QUERY, times: " +
		"100}]"
	hintMoments = "ask for a histogram of both columns, or the variance of each and of their sum"
)

// synonym returns our word for a word of another tool. It returns "" if none of the candidates has that meaning.
func synonym(word string, candidates []string) string {
	for _, ours := range synonyms[Normal(word)] {
		if slices.Contains(candidates, ours) {
			return ours
		}
	}
	return ""
}

// Meant returns the candidate that a word means: by a synonym, or by its spelling. It returns "" if there is none.
func Meant(word string, candidates []string) string {
	if ours := synonym(word, candidates); ours != "" {
		return ours
	}
	return Nearest(word, candidates)
}

// DidYouMean returns the hint for an unknown word: the candidate that is probably meant, or all candidates. It returns
// "" if there are none.
func DidYouMean(word string, candidates []string) string {
	if c := Meant(word, candidates); c != "" {
		return "did you mean " + Quote(c) + "?"
	}
	if len(candidates) == 0 {
		return ""
	}
	return "known: " + strings.Join(candidates, ", ")
}

// InPlaceOfKind reports whether a hint is about a word that was used as the kind of a query.
func InPlaceOfKind(hint string) bool {
	return hint != "" && !slices.Contains([]string{hintBy, hintWhere, hintWeight}, hint)
}

// KindHint returns a hint which query to write instead of an unsupported kind. It returns "" if the mapping is not a
// query, or if the table does not have the word.
func KindHint(word string, known []string) string {
	if !slices.Contains(known, "histogram") {
		return ""
	}
	return notKinds[strings.TrimSuffix(Normal(word), "()")]
}
