package main

import (
	"regexp"
	"slices"
	"strings"
)

const authDoc = "auth/auth.md"

var (
	mechanismHeading = regexp.MustCompile(`^### (.+)$`)
	property         = regexp.MustCompile(`^    - ([A-Z]+(?:_[A-Z]+)*)$`)
	otherProperties  = regexp.MustCompile(`^(?:\s+[-*+]|[*+]|\d+\.) mechanism_properties`)
	otherProperty    = regexp.MustCompile(`^(?:    [*+]|     +[-*+]|\t+[-*+]| {1,3}[-*+]) [A-Z]+(?:_[A-Z]+)*$`)
	propertyDefault  = regexp.MustCompile(`The default is "(\w+)"|"(\w+)" is the default`)
	propertyValues   = regexp.MustCompile("the value MUST be one of `\\[([^\\]]*)\\]`")
	propertyHosts    = regexp.MustCompile("MUST default to `\\[([^\\]]*)\\]`")
)

// readProperties reads the bullets below mechanism_properties of each mechanism: who has the property, and its default
// or values where a sentence names them.
func readProperties(open func(string) (*document, error)) ([]table, error) {
	d, err := open(authDoc)
	if err != nil {
		return nil, err
	}
	out := table{file: "auth/properties.yaml", list: "rows", key: "property"}
	mechanisms := map[string][]string{}
	facts := map[string][]fact{}
	var order []string
	mechanism := ""
	for i := 0; i < len(d.lines); i++ {
		if m := mechanismHeading.FindStringSubmatch(d.lines[i]); m != nil {
			mechanism = m[1]
		}
		d.noteMechanismLevel(i)
		if otherProperties.MatchString(d.lines[i]) {
			d.note(d.errorf(i+1, "the properties stand in a list of another form"))
		}
		if d.lines[i] != "- mechanism_properties" || strings.Contains(mechanism, " ") { // a chapter about all of them
			continue
		}
		for i++; i < len(d.lines) && (d.lines[i] == "" || d.lines[i][0] == ' ' || d.lines[i][0] == '\t'); i++ {
			if otherProperty.MatchString(d.lines[i]) {
				d.note(d.errorf(i+1, "the property is in a list of another form"))
			}
			if !strings.HasPrefix(d.lines[i], "    - ") {
				continue
			}
			m := property.FindStringSubmatch(d.lines[i])
			if m == nil || mechanism == "" {
				d.note(d.errorf(i+1, "%q is not a property of a mechanism", d.lines[i]))
				continue
			}
			if mechanisms[m[1]] == nil {
				order = append(order, m[1])
			}
			mechanisms[m[1]] = append(mechanisms[m[1]], mechanism)
			facts[m[1]] = slices.Concat(facts[m[1]], readPropertyFacts(d, i+1))
		}
		i--
	}
	if len(order) == 0 {
		return nil, d.errorf(1, "no mechanism has a property")
	}
	for _, name := range order {
		own := []fact{{"property", name}, {"mechanisms", "[" + strings.Join(mechanisms[name], ", ") + "]"}}
		out.rows = append(out.rows, row{key: name, facts: append(own, facts[name]...)})
	}
	return []table{out}, nil
}

// readPropertyFacts reads the sentences below a bullet.
func readPropertyFacts(d *document, from int) []fact {
	var words []string
	for i := from; i < len(d.lines) && (d.lines[i] == "" || strings.HasPrefix(d.lines[i], "     ")); i++ {
		words = append(words, strings.TrimSpace(d.lines[i]))
	}
	text := strings.Join(words, " ")
	var out []fact
	read := func(column string, sentence *regexp.Regexp, spell func(string) string) {
		all := sentence.FindAllStringSubmatch(text, -1)
		if len(all) > 1 {
			d.note(d.errorf(from, "%s is named %d times", column, len(all)))
		} else if len(all) == 1 {
			out = append(out, fact{column, spell(strings.Join(all[0][1:], ""))}) // one group matched
		}
	}
	read("default", propertyDefault, func(text string) string { return text })
	read("values", propertyValues, listOf)
	read("hosts", propertyHosts, listOf)
	return out
}

// listOf returns a list of quoted names as facts spell it.
func listOf(text string) string { return "[" + strings.ReplaceAll(text, `"`, "") + "]" }
