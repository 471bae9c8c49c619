// Command bsondiff compares package bson with the bson package of the official MongoDB driver for Go on the same input:
// both must accept or reject it, and produce the same bytes and the same text, unless a row of the list of deliberate
// differences says otherwise. Without arguments it prints that list. With files it compares their contents, as extended
// JSON if they begin with a brace, otherwise as BSON. The fuzz targets compare on random input.
package main

import (
	"bytes"
	"fmt"
	"os"
)

func main() {
	if len(os.Args) == 1 {
		for _, d := range differences {
			fmt.Printf("%s: %s\n", d.name, d.reason)
		}
		return
	}
	failed := false
	for _, name := range os.Args[1:] {
		data, err := os.ReadFile(name)
		if err == nil && bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
			err = compareText(data)
		} else if err == nil {
			err = compareDocument(data)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "bsondiff: %s: %v\n", name, err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}
