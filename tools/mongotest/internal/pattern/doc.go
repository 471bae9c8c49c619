// Package pattern compiles the regular expressions of queries and expressions. It translates the options and the few
// spellings in which PCRE and Go differ; back-references and look-around are refused, but for look-aheads at the start.
package pattern
