// Package manifest is release.json: a release's description of itself, its guarantee in a sentence, and the checks that
// its numbers are consistent.
//
// Each fact is stated once: a mechanism in its query, a sentence about the whole release in the privacy block, and the
// data owner's statements in the deployment block of the job, which the manifest holds whole. An absent statement means
// that nobody made it. Numbers that follow from others are stated too, for readers without a calculator, and
// [Manifest.Meets] recomputes them.
package manifest
