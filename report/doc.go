// Package report makes the documents of a release folder: index.html, one page that shows a release to people, without
// a request to anywhere; and the descriptions of its tables for data catalogues (catalogue.go).
//
// They contain only public data: the manifest, the tables of the release, and the public files of its job. A page is
// made in four steps: facts are taken from the manifest (facts.go), tables are cut down to what a page can hold
// (table.go), a picture is chosen for each table by its axes and drawn (axes.go, figure.go), and the template puts
// words, numbers and data together (page.go, pageview.go, querywords.go). guarantee.go computes what the guarantee
// means.
package report
