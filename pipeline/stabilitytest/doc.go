// Package stabilitytest is a fuzzer of the stability of the whole engine, from files to exact answers.
//
// What a release promises rests on one inequality: if two tables are neighbours, the exact answers f(D) and f(D') of
// every mechanism are at most its declared L2 sensitivity apart. docs/dev/stability.md explains why each step between a
// file and an answer preserves it. The fuzzer tries to break it:
//
//	Job      a random job of any shape, as YAML, read by configs and pipeline as any job is
//	Pair     two random neighbouring tables, full of values that libraries get wrong
//	Writer   a library that writes both tables into files, with a random layout: row groups, pages, dictionaries, statistics
//	Measure  runs the engine on both sets of files, and compares the distance of the answers in exact rationals
//	Couple   runs the whole release on both, with the same noise: only numbers that come from noisy values may differ
//
// A Case holds one of each. All of it follows from a seed. A failure is made smaller ([Case.Shrink]) and then prints
// the seed, the job, the writer, both tables and both answers. Nothing in it is private.
package stabilitytest
