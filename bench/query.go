package main

// query is one query, as a job and in SQL, in which TABLE stands for the file and PERSONS for the table of persons.
type query struct {
	name    string
	file    string // the file of the table; "" for the table that this program writes (rows.go)
	tables  string // input.tables of a job with several tables, one of them file; %d is its number of rows
	from    string // the table that the query reads, in a job with several tables
	privacy string // the unit and its bounds; "" if each row is a unit
	where   string // filters of the job
	zone    string // the time zone of times without one
	ours    string // one query or, with separator between them, several; %s: the public file of the categories
	sql     string
	form    form // the form of this program's own table, if file is ""
}

// form is the file format in which a query reads the table that this program writes.
type form int

const (
	asParquet form = iota
	asDelta        // Parquet with the encodings of integers, texts and floats by differences and by byte
	asCSV
	asArrow
)

// separator is between the queries of one job.
const separator = "\n---\n"
