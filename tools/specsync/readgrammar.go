package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// readGrammar returns a reader of the BSON grammar, a file that is not part of the specifications: productions whose
// parts are separated by tabs.
func readGrammar(path string) reader {
	return func(func(string) (*document, error)) ([]table, error) {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		return readBSONTables(&document{path: path, lines: strings.Split(string(data), "\n")})
	}
}

var (
	elementCode = regexp.MustCompile(`^signed_byte\((-?\d+)\) e_name(?: (.+))?$`)
	subtypeCode = regexp.MustCompile(`^unsigned_byte\((\d+)\)(?:\W+unsigned_byte\(\d+\))?$`)
	// layouts are the fixed sizes of what follows the name of an element; other layouts hold their length.
	layouts = map[string]string{
		"": "0", "unsigned_byte(0)": "1", "unsigned_byte(1)": "1", "int32": "4", "double": "8", "int64": "8", "uint64": "8",
		"(byte*12)": "12", "decimal128": "16",
	}
	variable = regexp.MustCompile(`^(string|cstring|document|binary|code_w_s)( |$)`)
)

// readBSONTables reads the productions of element and subtype. The two rows of the boolean are one type.
func readBSONTables(d *document) ([]table, error) {
	types := table{file: "bson/types.yaml", list: "rows", key: "code"}
	subtypes := table{file: "bson/types.yaml", list: "subtypes", key: "code"}
	production := ""
	for i, line := range d.lines {
		parts := strings.Split(line, "\t")
		body := ""
		switch {
		case len(parts) >= 3 && parts[1] == "::=":
			production, body = parts[0], parts[2]
		case len(parts) >= 2 && parts[0] == "|":
			body = parts[1]
		default:
			continue
		}
		switch production {
		case "element":
			r, err := readElement(d, i+1, body)
			if err != nil {
				return nil, err
			}
			if indexOf(types.rows, r.key) < 0 {
				types.rows = append(types.rows, r)
			}
		case "subtype":
			m := subtypeCode.FindStringSubmatch(body)
			if m == nil {
				return nil, d.errorf(i+1, "%q is not a subtype", body)
			}
			code := byteOf(m[1])
			subtypes.rows = append(subtypes.rows, row{key: code, facts: []fact{{"code", code}}})
		}
	}
	if len(types.rows) == 0 || len(subtypes.rows) == 0 {
		return nil, d.errorf(1, "there are no productions of element and subtype")
	}
	return []table{types, subtypes}, nil
}

func readElement(d *document, line int, body string) (row, error) {
	m := elementCode.FindStringSubmatch(body)
	if m == nil {
		return row{}, d.errorf(line, "%q is not an element", body)
	}
	code := byteOf(m[1])
	out := row{key: code, facts: []fact{{"code", code}}}
	if size, ok := layouts[m[2]]; ok {
		out.facts = append(out.facts, fact{"size", size})
	} else if !variable.MatchString(m[2]) {
		return row{}, d.errorf(line, "%q is not a layout", m[2])
	}
	return out, nil
}

// byteOf returns a signed or unsigned byte as the tables spell it.
func byteOf(decimal string) string {
	n, _ := strconv.Atoi(decimal) // the pattern lets only digits through
	return fmt.Sprintf("0x%02X", byte(n))
}
