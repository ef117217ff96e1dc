// Package io holds no code. Its packages read and write tables as files. Package source reads private and public tables
// into the batches of package table, from this machine or from the stores of package store. Package sink writes
// releases and reads them back. Source and sink never import each other: source reads private data, sink writes public
// data, and data passes from one to the other only through queries and noise.
package io
