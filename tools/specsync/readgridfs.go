package main

import (
	"regexp"
	"strconv"
	"strings"
)

// gridfsDefaults are the sentences about defaults that become rows of ours, by the option they stand before.
var gridfsDefaults = []struct {
	option, name string
	sentence     *regexp.Regexp
	unit         int // what a number counts; 0 is text
}{
	{"bucketName", "DefaultBucketName", regexp.MustCompile(`Defaults to '(\w+)'\.$`), 0},
	{"chunkSizeBytes", "DefaultChunkSize", regexp.MustCompile(`Defaults to (\d+) KiB\.$`), 1024},
}

// readGridFS reads the defaults of a bucket. The other rows of the table come from prose.
func readGridFS(open func(string) (*document, error)) ([]table, error) {
	d, err := open(gridDoc)
	if err != nil {
		return nil, err
	}
	out := table{file: "gridfs/values.yaml", list: "rows", key: "name", partial: true}
	at, err := d.find("class GridFSBucketOptions")
	if err != nil {
		return nil, err
	}
	for _, want := range gridfsDefaults {
		value, err := d.defaultOf(at, want.option, want.sentence)
		if err != nil {
			return nil, err
		}
		if want.unit != 0 {
			n, err := strconv.Atoi(value)
			if err != nil {
				return nil, d.errorf(at, "%s has no default", want.option)
			}
			value = strconv.Itoa(n * want.unit)
		}
		out.rows = append(out.rows, row{key: want.name, facts: []fact{{"value", value}}})
	}
	return []table{out}, nil
}

// defaultOf returns the default that a sentence of the comment above a member names.
func (d *document) defaultOf(from int, member string, sentence *regexp.Regexp) (string, error) {
	declaration := regexp.MustCompile(`^ *` + member + ` *:`)
	comment := from
	for i := from; i < len(d.lines); i++ {
		switch line := d.lines[i]; {
		case line == "}":
			return "", d.errorf(i+1, "the declaration ends without %s", member)
		case strings.TrimSpace(line) == "/**":
			comment = i
		case declaration.MatchString(line):
			var found []string
			for _, text := range d.lines[comment:i] {
				if m := sentence.FindStringSubmatch(text); m != nil {
					found = append(found, m[1])
				}
			}
			if len(found) != 1 {
				return "", d.errorf(i+1, "the comment of %s names %d defaults", member, len(found))
			}
			return found[0], nil
		}
	}
	return "", d.errorf(from, "there is no %s", member)
}
