package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// people has tables in which a person has several rows, by the name of the job's folder. Other tables go with each:
// tables about the same persons, or public tables. Some keys have no partner.
var people = map[string]table{
	"checkouts": {name: "checkouts", rows: 500_000, header: []string{"member", "genre"},
		row: func(r *rand.Rand, i int) []string {
			return []string{number(i/10 + skewed(r, 3, 4)), one(r, "crime", "fantasy", "history", "poetry", "romance",
				"science")}
		},
		beside: map[string]table{"members": {each: 10, header: []string{"id", "age", "education"},
			row: func(r *rand.Rand, i int) []string {
				return []string{number(gap(i)), number(10 + r.IntN(80)), one(r, "primary", "secondary", "tertiary")}
			}}}},
	"tpch": {name: "lineitem", rows: 600_000,
		header: []string{"l_orderkey", "l_quantity", "l_extendedprice", "l_discount", "l_returnflag", "l_shipdate"},
		row: func(r *rand.Rand, i int) []string {
			order := i/4 + skewed(r, 3, 4)
			return []string{number(order), number(1 + r.IntN(50)), number(100 * (1 + r.IntN(400))), number(r.IntN(11)),
				one(r, "A", "N", "R"), orderDay(order).AddDate(0, 0, 1+r.IntN(120)).Format(time.DateOnly)}
		},
		beside: map[string]table{
			"orders": {each: 4, header: []string{"o_orderkey", "o_custkey", "o_orderdate", "o_orderpriority"},
				row: func(r *rand.Rand, i int) []string {
					return []string{number(gap(i)), number(i/10 + skewed(r, 3, 4)),
						orderDay(gap(i)).Format(time.DateOnly), one(r, "1-URGENT", "2-HIGH", "3-MEDIUM", "4-LOW", "5-NONE")}
				}},
			"customer": {each: 40, header: []string{"c_custkey", "c_mktsegment", "c_nation"},
				row: func(r *rand.Rand, i int) []string {
					return []string{number(gap(i)), one(r, "AUTOMOBILE", "BUILDING", "MACHINERY", "FURNITURE"),
						names("nation", 26)[r.IntN(26)]}
				}},
			"nation": public(25, "nation,region", func(i int) []string {
				regions := []string{"AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST"}
				return []string{names("nation", 26)[i], regions[i/5]}
			})}},
	"pums": {name: "survey", rows: 100_000, header: []string{"age", "educ", "income", "status"},
		row: func(r *rand.Rand, _ int) []string {
			educ := 1 + r.IntN(17)
			return []string{number(18 + r.IntN(75)), number(educ), number(skewed(r, 20_000*educ, 2)),
				one(r, "married", "single")}
		},
		beside: map[string]table{"codebook": public(16, "code,degree,years", func(i int) []string {
			return []string{number(i + 1), []string{"none", "school", "college", "graduate"}[i/4], number(i + i/4)}
		})}},
	"taxi-zones": {name: "trips", rows: 1_000_000,
		header: []string{"cab", "pickup", "PULocationID", "DOLocationID", "fare"},
		row: func(r *rand.Rand, i int) []string {
			return []string{number(i / 20), moment(r).Format("2006-01-02 15:04"), number(1 + skewed(r, 265, 2)),
				number(1 + r.IntN(265)), strconv.FormatFloat(float64(skewed(r, 600, 2))/4, 'f', 2, 64)}
		},
		beside: map[string]table{"zones": public(260, "LocationID,borough,zone", func(i int) []string {
			boroughs := []string{"Manhattan", "Brooklyn", "Queens", "Bronx", "Staten Island"}
			return []string{number(i + 1), boroughs[i/52], names("zone", 260)[i]}
		})}},
	"weblogs": {name: "hits", rows: 500_000, header: []string{"visitor", "ip", "path", "status", "bytes"},
		row: func(r *rand.Rand, i int) []string {
			visitor := i / 12
			ip := fmt.Sprintf("%d.%d.%d.%d", 1+visitor%20, skewed(r, 12, 2), r.IntN(250), r.IntN(250))
			path := fmt.Sprintf("/Page%d.html?from=%d", skewed(r, 500, 4), r.IntN(9))
			return []string{number(visitor), ip, path, one(r, "200", "200", "200", "304", "404", "500"),
				number(skewed(r, 150_000, 3))}
		},
		beside: mergeTables(list("country", names("country", 12)), map[string]table{
			"ranges": public(200, "first,last,country", func(i int) []string {
				first := (1+i/10)<<24 + i%10<<16 + i%4*1000
				return []string{number(first), number(first + 60_000 - i%7*3000), names("country", 12)[i*i%12]}
			})})},
	"movies": {name: "ratings", rows: 500_000, header: []string{"user", "movie", "rating", "day"},
		row: func(r *rand.Rand, i int) []string {
			return []string{number(i / 12), names("film", 900)[i%12*75+skewed(r, 75, 3)], number(1 + r.IntN(5)),
				moment(r).Format(time.DateOnly)}
		},
		beside: map[string]table{"movies": public(880, "movie,genre,year", func(i int) []string {
			genres := []string{"action", "comedy", "drama", "horror"}
			return []string{names("film", 900)[i], genres[i%4], number(1980 + i*7%44)}
		})}},
	"scorecard": {name: "wages", rows: 400_000, header: []string{"taxpayer", "year", "wage"},
		row: func(r *rand.Rand, i int) []string {
			return []string{"s" + number((i+skewed(r, 2, 3))/4), number(2020 + i%4), number(skewed(r, 240_000, 2))}
		},
		beside: map[string]table{
			"students": {each: 5, header: []string{"student", "college", "field"},
				row: func(r *rand.Rand, i int) []string {
					return []string{"s" + number(gap(i)), names("college", 42)[skewed(r, 42, 2)], one(r, "arts", "law", "science")}
				}},
			"colleges": public(40, "college,state", func(i int) []string {
				return []string{names("college", 42)[i], []string{"north", "south", "east", "west"}[i%4]}
			})}},
	"bank": {name: "loans", rows: 100_000, header: []string{"account", "granted", "amount", "months", "status"},
		row: func(r *rand.Rand, i int) []string {
			months := 12 * r.IntN(6)
			return []string{number(i), moment(r).Format(time.DateOnly), number(max(months, 1) * 8 * (20 + r.IntN(1400))),
				number(months), one(r, "A", "B", "C", "D")}
		},
		beside: mergeTables(list("region", names("region", 8)), map[string]table{
			// a client can use two accounts, and an account can have two clients: an owner and a user
			"dispositions": {each: 1, header: []string{"account", "client", "role"},
				row: func(_ *rand.Rand, i int) []string {
					return []string{number(i * 4 / 5), number(i/2 + i%2*7), []string{"owner", "user"}[i%2]}
				}},
			"clients": {each: 2, header: []string{"client", "born", "district"},
				row: func(r *rand.Rand, i int) []string {
					born := moment(r).AddDate(-20-r.IntN(60), 0, 0)
					return []string{number(gap(i)), born.Format(time.DateOnly), names("district", 78)[r.IntN(78)]}
				}},
			"districts": public(77, "district,region", func(i int) []string {
				return []string{names("district", 78)[i], names("region", 8)[i/10]}
			})})},
	"calls": {name: "calls", rows: 500_000, header: []string{"phone", "cell", "start", "seconds"},
		row: func(r *rand.Rand, i int) []string {
			phone := (i + skewed(r, 12, 3)) / 8
			return []string{number(phone), names("cell", 300)[(phone*7+skewed(r, 40, 3))%300],
				moment(r).Add(time.Duration(i%100_000) * time.Second).Format(time.DateTime), number(skewed(r, 6000, 4))}
		},
		beside: mergeTables(list("district", names("district", 30)), map[string]table{
			"cells": public(290, "cell,district", func(i int) []string {
				return []string{names("cell", 300)[i], names("district", 30)[i/10]}
			})})},
	"households": {name: "persons", rows: 400_000, header: []string{"household", "age"},
		row: func(r *rand.Rand, i int) []string {
			return []string{number((i + skewed(r, 6, 2)) / 3), number(r.IntN(96))}
		},
		beside: map[string]table{"households": {each: 3, header: []string{"id", "county", "kind", "tenure"},
			row: func(r *rand.Rand, i int) []string {
				return []string{number(gap(i)), one(r, "Adams", "Brown", "Clark", "Dent"),
					one(r, "couple", "single", "other"), one(r, "own", "rent")}
			}}}},
}

// public returns a public table.
func public(rows int, header string, row func(i int) []string) table {
	return table{rows: rows, header: strings.Split(header, ","),
		row: func(_ *rand.Rand, i int) []string { return row(i) }}
}

// gap returns the i-th number that is not a multiple of fifty, so that some keys are missing.
func gap(i int) int { return i + i/49 }

func number(i int) string { return strconv.Itoa(i) }

func one(r *rand.Rand, values ...string) string { return values[r.IntN(len(values))] }

// moment returns a random second of the year 2023.
func moment(r *rand.Rand) time.Time {
	return time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(r.IntN(365*86_400)) * time.Second)
}

func orderDay(order int) time.Time {
	return time.Date(1992, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, order*37%2400)
}
