// Gen turns a list of switches into Go.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
)

var row = regexp.MustCompile(`name: (\w+), on: (\w+), doc: "(.*)"`)

func main() {
	root := flag.String("root", ".", "")
	flag.Bool("write", false, "")
	flag.Parse()
	table, err := os.ReadFile(filepath.Join(*root, "specs", "flags.yaml"))
	if err != nil {
		log.Fatal(err)
	}
	rows := row.FindAllStringSubmatch(string(table), -1)
	if len(rows) != 2 {
		log.Fatal("specs/flags.yaml: two rows are needed")
	}
	out := "// Package flag is generated.\npackage flag\n"
	for _, r := range rows {
		out += fmt.Sprintf("\n// %s\nfunc %s() bool { return %s }\n", r[3], r[1], r[2])
	}
	dir := filepath.Join(*root, "generated", "flag")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "flag.go"), []byte(out), 0o644); err != nil {
		log.Fatal(err)
	}
}
