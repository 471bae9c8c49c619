package main

import (
	"regexp"
	"strings"
)

// option is one member of a declaration.
type option struct{ name, typ, since, from, deprecated string }

var (
	omitType   = regexp.MustCompile(`^type (\w+) = Omit<(\w+), (.+)>;$`)
	typedFirst = regexp.MustCompile(`^([\w$]+)\?? ?: *(.+?)[;,]?$`)   // name: Type;
	typeBefore = regexp.MustCompile(`^(Optional<\w+>|\w+) +(\w+);$`)  // Optional<Type> name;
	sinceTag   = regexp.MustCompile(`@since (?:MongoDB )?([0-9.]+)$`) // as a line of its own
	deprecTag  = regexp.MustCompile(`@deprecated ([0-9.]+)$`)
	// fromServer matches the sentences of comments that name the first release that takes an option.
	fromServer = regexp.MustCompile(
		`(?:only supported by servers >= |[Pp]opulated for server versions |` +
			`available in server versions greater than |Only supported with server version )(\d+\.\d+)`)
	enumMember = regexp.MustCompile(`^(\w+)(?: = "\w+")?,?$`)
)

// declarationStart is the place where a declaration opens: the line after the opening line, the indentation of the closing brace, and what
// the declaration extends.
type declarationStart struct {
	line         int
	indent, base string
}

// starts lists the declarations with a name, in order.
func (d *document) starts(name string) []declarationStart {
	return remember(d, "starts of "+name, func() []declarationStart { return d.findStarts(name) })
}

func (d *document) findStarts(name string) []declarationStart {
	opening := regexp.MustCompile(`^( *)(?:class|interface|enum|type) ` + name + `\b(?:(?: extends| *:) (\w+))?[^{;]*\{ *$`)
	var out []declarationStart
	for i, text := range d.lines {
		if !strings.Contains(text, name) {
			continue
		}
		if m := opening.FindStringSubmatch(text); m != nil {
			out = append(out, declarationStart{i + 1, m[1], m[2]})
		}
	}
	return out
}

// start returns the last declaration with a name.
func (d *document) start(name string) (line int, indent string, err error) {
	all := d.starts(name)
	if len(all) == 0 {
		return 0, "", d.errorf(1, "there is no declaration of %s", name)
	}
	last := all[len(all)-1]
	return last.line, last.indent, nil
}

// readOptions reads the members of a declaration, or what an Omit leaves of another.
func (d *document) readOptions(name string) ([]option, error) {
	for i, text := range d.lines {
		if !strings.HasPrefix(text, "type ") {
			continue
		}
		if m := omitType.FindStringSubmatch(text); m != nil && m[1] == name {
			return d.omit(i, m[2], m[3])
		}
	}
	from, indent, err := d.start(name)
	if err != nil {
		return nil, err
	}
	return d.readOptionsAt(from, indent, name)
}

// readOptionsAt reads the members of the declaration that opens before a line.
func (d *document) readOptionsAt(from int, indent, name string) ([]option, error) {
	var out []option
	var tags option // of the comment in front
	comment := false
	for i := from; i < len(d.lines); i++ {
		if d.lines[i] == indent+"}" {
			return out, nil
		}
		line := strings.TrimSpace(d.lines[i])
		comment = comment || strings.HasPrefix(line, "/*")
		switch {
		case comment:
			if !tags.note(line) {
				return nil, d.errorf(i+1, "%q names no version, or another one", line)
			}
			comment = !strings.Contains(line, "*/")
		case line == "" || strings.HasPrefix(line, "//"):
		case strings.HasPrefix(line, "| ") && len(out) > 0:
			out[len(out)-1].typ += " " + strings.TrimSuffix(line, ";")
		default:
			o, err := d.readMember(i, line)
			if err != nil {
				return nil, err
			}
			o.since, o.from, o.deprecated = tags.since, tags.from, tags.deprecated
			out, tags = append(out, o), option{}
		}
	}
	return nil, d.errorf(from, "the declaration of %s has no end", name)
}

// note keeps what a line of a comment says about versions. It reports false for a tag that it does not understand.
func (o *option) note(line string) bool {
	line = strings.TrimSpace(strings.TrimSuffix(line, "*/"))
	if m := fromServer.FindStringSubmatch(line); m != nil {
		if o.from != "" && o.from != m[1] {
			return false
		}
		o.from = m[1]
	}
	if m := sinceTag.FindStringSubmatch(line); m != nil {
		o.since = m[1]
	} else if m := deprecTag.FindStringSubmatch(line); m != nil {
		o.deprecated = m[1]
	} else {
		return !strings.Contains(line, "@since") && !strings.Contains(line, "@deprecated")
	}
	return true
}

// readMember reads one line of a declaration, in either order of name and type.
func (d *document) readMember(at int, line string) (option, error) {
	line, _, _ = strings.Cut(line, " //")
	line = strings.TrimSpace(line)
	if m := typedFirst.FindStringSubmatch(line); m != nil {
		return option{name: m[1], typ: m[2]}, nil
	}
	if m := typeBefore.FindStringSubmatch(line); m != nil {
		return option{name: m[2], typ: m[1]}, nil
	}
	return option{}, d.errorf(at+1, "%q is not a member", line)
}

// omit leaves out the quoted names.
func (d *document) omit(at int, name, names string) ([]option, error) {
	all, err := d.readOptions(name)
	if err != nil {
		return nil, err
	}
	for quoted := range strings.SplitSeq(names, " | ") {
		left := len(all)
		for i := range all {
			if "'"+all[i].name+"'" == quoted {
				all = append(all[:i:i], all[i+1:]...)
				break
			}
		}
		if len(all) == left {
			return nil, d.errorf(at+1, "%s is not a member of %s", quoted, name)
		}
	}
	return all, nil
}

// readMembers reads the names of an enumeration.
func (d *document) readMembers(name string) ([]string, error) {
	from, indent, err := d.start(name)
	if err != nil {
		return nil, err
	}
	var out []string
	comment := false
	for i := from; i < len(d.lines); i++ {
		line := strings.TrimSpace(d.lines[i])
		comment = comment || strings.HasPrefix(line, "/*")
		m := enumMember.FindStringSubmatch(line)
		switch {
		case d.lines[i] == indent+"}":
			return out, nil
		case comment:
			comment = !strings.Contains(line, "*/")
		case line == "" || strings.HasPrefix(line, "//"):
		case m == nil:
			return nil, d.errorf(i+1, "%q is not a member", line)
		default:
			out = append(out, m[1])
		}
	}
	return nil, d.errorf(from, "the declaration of %s has no end", name)
}
