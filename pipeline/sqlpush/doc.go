// Package sqlpush answers a plan's queries in the database that holds the rows. Each query becomes one statement, which
// filters, finds the cells of rows, quantizes values, bounds the rows of each privacy unit and adds up; on Spark, one
// statement answers several queries without bounds. Only totals of cells leave the database, and are hidden as they
// arrive.
//
// Exact answers equal the local engine's answers over the same rows ([Database.Rows]), integer for integer. To that end
//
//   - a dialect reads columns as BIGINTs, doubles and texts, for both engines by the same expressions;
//   - the statement computes the codes of queries/domain, which describes them as plain numbers
//     ([aggregation.Aggregation]): values are compared with the same bounds, times are split into fields by arithmetic, and
//     nothing depends on a database's zones, collations, locales or rounding;
//   - units are bounded by the rule of queries/bounding, with the same digests.
//
// Aggregations that a dialect cannot compute exactly are refused before anything is charged. No expression can fail for
// a value: casts, quotients and sums are of numbers that fit, by construction.
//
// No text of a driver or server is passed on: it may quote values, statements and passwords.
package sqlpush
