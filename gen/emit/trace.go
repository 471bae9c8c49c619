package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

const traceDir = "generated/core/trace"

// Trace prints the names of attributes and operations.
func Trace(m *model.Trace) []File {
	return []File{traceAttributes(m), traceOperations(m)}
}

func traceAttributes(m *model.Trace) File {
	const table = "trace/attributes.yaml"
	f := newFile(traceDir, table)
	addDoc(f, "Names of the attributes of spans.")
	var members []member
	for _, a := range m.Attributes {
		members = append(members, member{Name: a.Go, Doc: a.Doc + " " + traceLevel(a.Operation, a.Command), Value: jen.Lit(a.Attribute)})
	}
	printConstants(f, "", members)
	return File{Path: traceDir + "/attribute.go", Table: table, Content: f}
}

// traceLevel says which spans have an attribute.
func traceLevel(operation, command string) string {
	var spans []string
	for _, s := range []struct{ name, level string }{{"operation", operation}, {"command", command}} {
		switch s.level {
		case "":
		case "required":
			spans = append(spans, "always on spans of an "+s.name)
		case "available":
			spans = append(spans, "when known on spans of an "+s.name)
		case "error":
			spans = append(spans, "after an error on spans of an "+s.name)
		default:
			spans = append(spans, "when asked for on spans of an "+s.name)
		}
	}
	text := strings.ReplaceAll(strings.Join(spans, ", "), "an command", "a command")
	return "It stands " + text + "."
}

// traceOperations prints the names of operations.
func traceOperations(m *model.Trace) File {
	const table = "trace/operations.yaml"
	f := newFile(traceDir, table)
	addDoc(f, "Names of operations. The comment names the methods that are the operation.")
	var members []member
	for _, o := range m.Operations {
		text := o.Name + " is " + strings.ToLower(o.Doc[:1]) + o.Doc[1:]
		if len(o.Methods) > 0 {
			text += " " + strings.Join(o.Methods, ", ") + "."
		}
		members = append(members, member{Name: o.Name, Doc: text, Value: jen.Lit(o.Text)})
	}
	printConstants(f, "", members)
	return File{Path: traceDir + "/operation.go", Table: table, Content: f}
}
