package main

import (
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// spell spells a value for a column of a list. If all rows of the list hold texts, the value stays a text: a number or a boolean
// is quoted. A value that replaces another one takes the kind of the old one.
func spell(list, old *yaml.Node, name, value string) string {
	text := scalar(value)
	var read yaml.Node
	if yaml.Unmarshal([]byte(text), &read) != nil || len(read.Content) == 0 || read.Content[0].Kind != yaml.ScalarNode ||
		read.Content[0].Tag == "!!str" {
		return text
	}
	texts, others := 0, 0
	count := func(c *yaml.Node) {
		switch {
		case c == nil || c.Kind != yaml.ScalarNode:
		case c.Tag == "!!str":
			texts++
		default:
			others++
		}
	}
	if old != nil {
		count(old)
	} else if list != nil {
		for _, n := range list.Content {
			count(column(n, name))
		}
	}
	if texts > 0 && others == 0 {
		return strconv.Quote(value)
	}
	return text
}

var plain = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_.$/<>-]*$|^-?[1-9][0-9]*$|^0$|^0x[0-9A-F]{2}$|^\[(\w+(, \w+)*)?\]$`)

// scalar spells a value, without quotes if nothing could misread it.
func scalar(value string) string {
	switch value {
	case "true", "false", "{}":
		return value
	case "null", "yes", "no", "on", "off", "y", "n", "Yes", "No", "On", "Off":
		return strconv.Quote(value)
	}
	if plain.MatchString(value) {
		return value
	}
	if len(value) > 2 && value[0] == '[' && value[len(value)-1] == ']' {
		items := strings.Split(value[1:len(value)-1], ", ")
		for i := range items {
			items[i] = scalar(items[i])
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}
