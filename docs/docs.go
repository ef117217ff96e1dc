// Package docs holds the pages that the program itself shows: release explain prints their sections.
package docs

import _ "embed" // the pages

// Glossary explains each word of the job file, the plan and the release in a section of its own.
//
//go:embed reference/glossary.md
var Glossary string

// Errors explains each error code in a section of its own.
//
//go:embed reference/errors.md
var Errors string
