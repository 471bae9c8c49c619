package model

// Picture is what the picture at the top of the README shows.
type Picture struct {
	Tables, Rows, Lines int    // of the tables, and of the Go that they become
	Areas               []Area // the folders of tables
	Suites              []SuiteResult
}

// Area is a folder of tables.
type Area struct {
	Name string
	Rows int
}

// SuiteResult is what the last recorded run of a suite of the specifications showed.
type SuiteResult struct {
	Name    string `json:"name"`
	Cases   int    `json:"cases"`
	Passed  int    `json:"passed"`
	Failed  int    `json:"failed"`
	Skipped int    `json:"skipped"`
}
