package source

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// ParseYAML reads a YAML document. Aliases and merge keys are resolved; a duplicate key in a mapping is an error.
func ParseYAML(text []byte) (*Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, yamlError(err)
	}
	if len(doc.Content) == 0 {
		return nil, &Error{Line: 1, Text: "the file is empty"}
	}
	return convert(doc.Content[0], 0)
}

var yamlLine = regexp.MustCompile(`^line (\d+): (.*)$`)

// yamlError extracts the line number from a message of the YAML parser, because its errors have no field for it.
func yamlError(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		line, _ := strconv.Atoi(m[1])
		return &Error{Line: line, Text: m[2]}
	}
	return &Error{Line: 1, Text: text}
}

func convert(y *yaml.Node, depth int) (*Node, error) {
	if depth > maxDepth {
		return nil, &Error{Line: y.Line, Text: "values nest too deep"}
	}
	n := &Node{Line: y.Line}
	switch y.Kind {
	case yaml.AliasNode:
		return convert(y.Alias, depth+1)
	case yaml.SequenceNode:
		n.Kind = Array
		for _, item := range y.Content {
			v, err := convert(item, depth+1)
			if err != nil {
				return nil, err
			}
			n.Items = append(n.Items, v)
		}
		return n, nil
	case yaml.MappingNode:
		n.Kind = Object
		return n, mapping(n, y, depth)
	}
	return n, scalar(n, y)
}

func mapping(n *Node, y *yaml.Node, depth int) error {
	for i := 0; i+1 < len(y.Content); i += 2 {
		key := y.Content[i]
		v, err := convert(y.Content[i+1], depth+1)
		if err != nil {
			return err
		}
		switch {
		case key.Tag == "!!merge":
			if err := merge(n, v); err != nil {
				return err
			}
		case n.Has(key.Value) && !isMerged(y, key.Value, i):
			return &Error{Line: key.Line, Text: "the key " + strconv.Quote(key.Value) + " appears twice"}
		default:
			n.set(Member{Key: key.Value, Line: key.Line, Value: v})
		}
	}
	return nil
}

// isMerged reports whether an existing key came from a merge, in which case this one overrides it.
func isMerged(y *yaml.Node, key string, before int) bool {
	for i := 0; i < before; i += 2 {
		if y.Content[i].Value == key && y.Content[i].Tag != "!!merge" {
			return false
		}
	}
	return true
}

func merge(n, from *Node) error {
	if from.Kind == Array {
		for _, item := range from.Items {
			if err := merge(n, item); err != nil {
				return err
			}
		}
		return nil
	}
	if from.Kind != Object {
		return &Error{Line: from.Line, Text: "only mappings can be merged"}
	}
	for _, m := range from.Members {
		if !n.Has(m.Key) {
			n.Members = append(n.Members, m)
		}
	}
	return nil
}

// set replaces a member or adds it.
func (n *Node) set(m Member) {
	for i := range n.Members {
		if n.Members[i].Key == m.Key {
			n.Members[i] = m
			return
		}
	}
	n.Members = append(n.Members, m)
}

func scalar(n *Node, y *yaml.Node) error {
	n.Text = y.Value
	switch y.Tag {
	case "!!null":
		n.Kind, n.Text = Null, "null"
	case "!!bool":
		n.Kind, n.Text = Bool, strings.ToLower(y.Value)
		var b bool
		if err := y.Decode(&b); err != nil {
			return yamlError(err)
		}
		n.Text = strconv.FormatBool(b)
	case "!!int":
		n.Kind = Number
		v, err := strconv.ParseInt(strings.ReplaceAll(y.Value, "_", ""), 0, 64)
		if err != nil {
			return &Error{Line: y.Line, Text: y.Value + " is not a 64-bit integer"}
		}
		n.Text = strconv.FormatInt(v, 10)
	case "!!float":
		n.Kind = Number
		switch strings.ToLower(y.Value) { // JSON has no literals for these numbers, but extended JSON has words
		case ".inf", "+.inf":
			n.Text = "Infinity"
		case "-.inf":
			n.Text = "-Infinity"
		case ".nan":
			n.Text = "NaN"
		}
	case "!!str", "!!timestamp", "!!binary":
		n.Kind = String
	default:
		return &Error{Line: y.Line, Text: "unknown tag " + y.Tag}
	}
	return nil
}

func isRange(err error) bool { return errors.Is(err, strconv.ErrRange) }
