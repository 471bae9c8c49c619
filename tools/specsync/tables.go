package main

// fact is a value that a document gives a column; an empty one says that the row does not have the column.
type fact struct{ column, value string }

// row is what a document says about one row of a table.
type row struct {
	key   string
	facts []fact
}

// step leads into a list within a row: the row of list whose column key has the value.
type step struct{ list, key, value string }

// table is what the documents say about one list of a table file.
type table struct {
	file   string // below specs/
	within []step
	list   string
	key    string // the column that identifies a row
	// member, when set, is a value of the column members. The table is about exactly the rows whose list holds it, and
	// ignores the others.
	members, member string
	whole           bool // a row without the list of members has them all
	partial         bool // rows that the documents do not name are ours
	certain         bool // what the reader did not understand lies elsewhere
	incomplete      bool // the reader did not understand everything: a row that is missing may still be there
	rows            []row
	source          string // the document or documents that say so
}

// reader reads tables from the documents of a checkout.
type reader func(open func(path string) (*document, error)) ([]table, error)
