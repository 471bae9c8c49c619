// Package pattern compiles the regular expressions of queries and expressions. It translates the options and the few
// spellings in which PCRE and Go differ; look-around and back-references are refused.
package pattern
