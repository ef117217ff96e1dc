// Package stabilitytest is a fuzzer of the stability of the whole engine, from files to exact answers.
//
// What a release promises rests on one inequality: if two tables are neighbours, the exact answers f(D) and f(D') of every mechanism
// are at most its declared L2 sensitivity apart. docs/STABILITY.md says why each step between a file and an answer keeps it. The
// fuzzer tries to break it:
//
//	Job      a random job of every shape, as YAML, read by configs and pipeline as any job is
//	Pair     two random neighbouring tables, full of values that libraries get wrong
//	Writer   a library that writes both tables into files, with a random layout: row groups, pages, dictionaries, statistics
//	Measure  the engine on either set of files, and the distance of the answers, compared in exact rationals
//	Couple   the whole run on either, with the same noise: everything but numbers that come from noisy values must be equal
//
// A Case holds one of each. All of it follows from a seed. A failure prints the seed, the job, the writer, both tables and both
// answers, after it was made smaller ([Case.Shrink]). Nothing of it is private.
package stabilitytest
