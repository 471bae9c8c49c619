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
		members = append(members, member{Name: a.Go, Doc: a.Doc + " " + traceLevelDoc(a.Operation, a.Command), Value: jen.Lit(a.Attribute)})
	}
	printConstants(f, "", members)
	return File{Path: traceDir + "/attribute.go", Table: table, Content: f}
}

// traceLevelDoc returns a sentence that says which spans have an attribute.
func traceLevelDoc(operation, command string) string {
	var spans []string
	for _, s := range []struct{ name, level string }{{"operation", operation}, {"command", command}} {
		switch s.level {
		case "":
		case "required":
			spans = append(spans, "on every span of a "+s.name)
		case "available":
			spans = append(spans, "on spans of a "+s.name+" when known")
		case "error":
			spans = append(spans, "on spans of a "+s.name+" after an error")
		default:
			spans = append(spans, "on spans of a "+s.name+" when asked for")
		}
	}
	text := strings.ReplaceAll(strings.Join(spans, " and "), "a operation", "an operation")
	return "It is set " + text + "."
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
