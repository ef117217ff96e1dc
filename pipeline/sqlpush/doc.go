// Package sqlpush answers a plan's queries in the database that holds the rows. Each query becomes one statement, which
// filters rows, finds their cells, quantizes values, applies the contribution bounds and adds up. Queries with the same
// rows and cells may share a statement. Only totals of cells leave the database, and each becomes a [mechanism.Exact]
// as it arrives.
//
// Exact answers equal the local engine's answers over the same rows ([Database.Rows]), integer for integer, because
//
//   - a dialect reads columns as BIGINTs, doubles and texts, for both engines by the same expressions;
//   - the statement computes the codes of queries/domain from the plain numbers of an [aggregation.Aggregation]: it
//     compares values with the same edges and splits times into fields by arithmetic, so that nothing depends on a
//     database's time zones, collations, locales or rounding;
//   - the bounds keep the rows that queries/bounding keeps, chosen by the same digests.
//
// Aggregations that a dialect cannot compute exactly are refused before anything is charged. No statement fails because
// of a row's value: all casts, quotients and sums are of numbers that fit, by construction.
//
// No text of a driver or server is passed on: it may quote values, statements and passwords.
package sqlpush
