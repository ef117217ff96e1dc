package main

// query is one query, as a job and in SQL, in which TABLE stands for the file and PERSONS for the table of persons.
type query struct {
	name    string
	file    string // "" is the table of our writer
	tables  string // input.tables of a job with several, of which file is one; %d: the number of its rows
	from    string // the table that the query of such a job reads
	privacy string // the unit and its bounds; "" if each row is a unit
	where   string // filters of the job
	zone    string // the zone in which times are read
	ours    string // one query or, with separator between them, several; %s: the public file of the categories
	sql     string
	form    form // of the table of our writer
}

// form is the format of our writer's table that a query reads.
type form int

const (
	asParquet form = iota
	asDelta        // Parquet with the encodings of integers, texts and floats by differences and by byte
	asCSV
	asArrow
)

// separator is between the queries of one job.
const separator = "\n---\n"
