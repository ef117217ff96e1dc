package main

// query is one question, as a job asks it and in SQL, where TABLE stands for the file and PERSONS for the
// table of persons.
type query struct {
	name    string
	file    string // "" is the table of our writer
	tables  string // tables of the job, if it has several, of which file is one; %d: the number of its rows
	from    string // the table of the job that is asked
	privacy string // the unit, and what one may contribute; "" is each row
	where   string // filters of the job
	zone    string // in which times are read
	ours    string // one query or, with separator between them, several; %s: the public file of the categories
	sql     string
	form    form // of the table of our writer
}

// form is the format in which a query reads the table of our writer.
type form int

const (
	asParquet form = iota
	asDelta        // Parquet with the encodings of integers, texts and floats by differences and by byte
	asCSV
	asArrow
)

// separator is between the queries of one job.
const separator = "\n---\n"
