// Package dprelease makes and reads differentially private releases of tables, as the program release does.
//
// A job file describes a release: the table, what is protected, the queries, the guarantee, and the ledger whose budget
// pays. [Load] reads and checks it. [Job.Plan] returns what a run would charge and how accurate it would be, and reads
// no data. [Job.Run] makes the release and publishes it as one folder. [Open] reads such a folder, whose tables come as
// slices and as Arrow records.
//
// No function of this package returns a noisy value that the ledger has not recorded: a run returns the folder that it
// published, and the same run again returns the same bytes. There is no seed, no switch that turns noise off, and no
// default epsilon. Every error is an [*Error] with a code that does not change, or the error of a context.
//
// # What is public
//
// These packages keep their exported names within a major version:
//
//   - dprelease: this one;
//   - [github.com/dprelease/dprelease/configs]: the job file, its checks and its schema;
//   - [github.com/dprelease/dprelease/calibrate]: epsilon, delta and sigma of the Gaussian mechanism, and composition;
//   - [github.com/dprelease/dprelease/calibrate/methods]: methods of the literature, for comparisons;
//   - [github.com/dprelease/dprelease/denoise]: better estimates from values that are noisy already.
//
// All other packages are parts of the program and may change in any version. Drawing noise, the ledger and the protocol
// of a run are internal, since a program that could draw a second time under one charge would break the guarantee.
package dprelease
