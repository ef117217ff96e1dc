// Package stabilitytest is a fuzzer of the stability of the whole engine, from files to exact answers.
//
// The privacy of a release rests on one inequality: if the tables D and D' are neighbours, the exact answers f(D) and
// f(D') of every mechanism differ by at most its declared L2 sensitivity. docs/dev/stability.md explains why each step
// between a file and an answer preserves it. The fuzzer tries to break it:
//
//	Job      a random job of any shape, as YAML, read by configs and pipeline as any job is
//	Pair     two random neighbouring tables, full of values that libraries get wrong
//	Writer   a library that writes both tables into files, with a random layout: row groups, pages, dictionaries, statistics
//	Measure  runs the engine on both sets of files, and compares the distance of the answers in exact rationals
//	Couple   runs the whole release on both, with the same noise: only numbers that come from noisy values may differ
//
// The package draws and shrinks cases itself, without rapid, which the other tests of the module use. rapid prefers
// small numbers and knows nothing about pairs. On three engines that are broken on purpose (TestStabilityNotices of
// pipeline/local), with the same jobs and tables, rapid needed 375, 250 and 4 pairs to find the fault; this package
// needed 32, 51 and 1. In 30 seconds each, rapid shrank the findings to 12, 7 and 3 rows; this package to 3, 4 and 1
// rows in less than 0.3 seconds. rapid also tries one case at a time, where a Search uses all cores.
//
// A Case holds a job, a pair and a writer, all drawn from a seed. A failing case is shrunk ([Case.Shrink]) and then
// prints the seed, the job, the writer, both tables and both answers. Nothing in it is private.
package stabilitytest
