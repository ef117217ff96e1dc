// Package sqlpush answers a plan's queries in the database that holds the rows. Each query becomes one statement, which
// filters, finds the cells of rows, quantizes values, bounds what each privacy unit contributes and adds up; only
// totals of cells leave the database, and are hidden as they arrive.
//
// Exact answers are those of the local engine, integer for integer, when that reads the same rows ([Database.Rows]). To
// that end
//
//   - a dialect reads columns as BIGINTs, doubles and texts, for both engines by the same expressions;
//   - the statement does with them what the coders of queries/domain do, which say it in plain numbers
//     ([aggregation.Aggregation]): values are compared with the same bounds, times are taken apart by arithmetic, and nothing
//     depends on a database's zones, collations, locales or rounding;
//   - units are bounded by the rule of queries/bounding, with the same digests.
//
// What a dialect cannot do exactly is refused before anything is charged. No expression can fail for a value: casts,
// quotients and sums are of numbers that fit, by construction.
//
// No text of a driver or server is passed on: it may quote values, statements and passwords.
package sqlpush
