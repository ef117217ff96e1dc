// Package manifest is release.json: what a release says of itself, the sentence that it promises, and the checks that
// its numbers follow from each other.
//
// A fact stands once. A mechanism is stated in its query and nowhere else; a sentence that holds for the whole release
// stands in the privacy block; what the owner of the data says stands in the deployment block of the job, which the
// manifest holds whole, and what nobody said is absent. Numbers that follow from others are stated too, for readers
// without a calculator, and [Manifest.Meets] works them out again.
package manifest
