// Package io has no code: it is the folder of the packages that open tables as files. Package source reads private and
// public tables into the batches of package table, from this machine or from the stores of package store; package sink
// writes releases and reads them back. Source and sink never import each other: what one reads is private, what the
// other writes is public, and the only way between them leads through queries and noise.
package io
