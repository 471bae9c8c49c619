package main

import (
	"regexp"
	"slices"
	"strings"
)

var (
	poolOption   = regexp.MustCompile(`^ *(\w+)\?: number;?$`)
	poolDefault  = regexp.MustCompile(`Defaults to (\d+)\.$`)
	withoutValue = []string{"waitQueueSize", "waitQueueMultiple"} // no driver may add them
)

// readPoolOptions reads the defaults of a pool's options, which the comments of three declarations hold.
func readPoolOptions(open func(string) (*document, error)) ([]table, error) {
	d, err := open(poolDoc)
	if err != nil {
		return nil, err
	}
	out := table{file: "options/client.yaml", list: "rows", key: "uri", partial: true}
	inside, standard := false, ""
	for i, line := range d.lines {
		text := strings.TrimSpace(line)
		option, value := poolOption.FindStringSubmatch(line), poolDefault.FindStringSubmatch(line)
		switch {
		case text == "interface ConnectionPoolOptions {":
			inside = true
		case !inside || text == "" || text == "/**" || text == "*/":
		case text == "}":
			inside = false
		case value != nil && standard != "":
			d.note(d.errorf(i+1, "an option has two defaults"))
		case value != nil:
			standard = value[1]
		case text[0] == '*':
		case option == nil:
			d.note(d.errorf(i+1, "%q is not an option of a pool", text))
		case standard == "" && !slices.Contains(withoutValue, option[1]):
			d.note(d.errorf(i+1, "%s has no default", option[1]))
		case standard != "":
			out.rows = append(out.rows,
				row{key: "[" + option[1] + "]", facts: []fact{{"uri", "[" + option[1] + "]"}, {"default", standard}}})
			standard = ""
		}
	}
	if len(out.rows) == 0 {
		return nil, d.errorf(1, "there is no declaration of ConnectionPoolOptions")
	}
	return []table{out}, nil
}
