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
// Cases are drawn and made smaller here and not by rapid, which the other tests of the module use. rapid prefers small
// numbers and knows nothing of pairs: with the same jobs, tables and engines that are broken on purpose
// (TestStabilityNotices of pipeline/local) it needed 375, 250 and 4 pairs in place of 32, 51 and 1, and made the
// findings no smaller than 12, 7 and 3 rows in 30 seconds each, in place of 3, 4 and 1 rows in less than 0.3. It also
// tries one case at a time, where a Search uses all cores.
//
// A Case holds one of each. All of it follows from a seed. A failure is made smaller ([Case.Shrink]) and then prints
// the seed, the job, the writer, both tables and both answers. Nothing in it is private.
package stabilitytest
