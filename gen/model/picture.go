package model

// Picture is what the picture at the top of the README shows.
type Picture struct {
	Tables, Rows, Lines int    // how many tables and rows there are, and how many lines of Go they become
	Areas               []Area // the folders of tables
	Suites              []SuiteResult
}

// Area is a folder of tables.
type Area struct {
	Name string
	Rows int
}

// SuiteResult is the result of the last recorded run of a specification suite.
type SuiteResult struct {
	Name    string `json:"name"`
	Cases   int    `json:"cases"`
	Passed  int    `json:"passed"`
	Failed  int    `json:"failed"`
	Skipped int    `json:"skipped"`
}
