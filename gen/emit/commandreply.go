package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/load"
)

// commandReplies prints a struct and a parser for each shape of replies.
func commandReplies(replies []load.Reply) *jen.File {
	f := newFile(commandDir, "options/replies.yaml")
	for _, r := range replies {
		printReplyStruct(f, r)
		printReplyParser(f, r)
	}
	return f
}

// printReplyStruct prints
//
//	// CountReply is the reply of count.
//	type CountReply struct {
//		// N is the number of documents.
//		N int64
//	}
func printReplyStruct(f *jen.File, r load.Reply) {
	f.Line()
	addDoc(f, r.Doc+"\n\nWhat it refers to belongs to the reply that it was parsed from.")
	f.Type().Id(r.Name + "Reply").StructFunc(func(g *jen.Group) {
		seen := map[string]bool{}
		for _, field := range r.Fields {
			if seen[field.Field] {
				continue
			}
			seen[field.Field] = true
			addDocIn(g, field.Doc)
			g.Id(field.Field).Add(goType(field.Go))
		}
	})
}

// printReplyParser prints
//
//	func ParseCountReply(body bson.Raw) (CountReply, error) {
//		var r CountReply
//		var hasN bool
//		for key, v := range body.All() {
//			switch key {
//			case "n":
//				x, ok := v.AsInt64OK()
//				if !ok {
//					return r, emitted.FieldTypeError("n", v)
//				}
//				r.N, hasN = x, true
//			}
//		}
//		if !hasN {
//			return r, emitted.MissingFieldError("n")
//		}
//		return r, nil
//	}
func printReplyParser(f *jen.File, r load.Reply) {
	var b strings.Builder
	fmt.Fprintf(&b, "// Parse%sReply reads the fields that the driver needs and checks their types.\n", r.Name)
	fmt.Fprintf(&b, "func Parse%sReply(body bson.Raw) (%sReply, error) {\nvar r %sReply\n", r.Name, r.Name, r.Name)
	required := requiredFields(r)
	for _, field := range required {
		fmt.Fprintf(&b, "var has%s bool\n", field.name)
	}
	b.WriteString("for key, v := range body.All() {\nif v.Type == bsontype.Null {\ncontinue\n}\nswitch key {\n")
	for _, group := range replyGroups(r) {
		if group.outer == "" {
			b.WriteString(replyCase(group.fields[0], group.fields[0].Path))
			continue
		}
		fmt.Fprintf(&b, "case %q:\ndoc, ok := v.DocumentOK()\nif !ok {\nreturn r, emitted.FieldTypeError(%q, v)\n}\n",
			group.outer, group.outer)
		b.WriteString("for key, v := range doc.All() {\nif v.Type == bsontype.Null {\ncontinue\n}\nswitch key {\n")
		for _, field := range group.fields {
			_, inner, _ := strings.Cut(field.Path, ".")
			b.WriteString(replyCase(field, inner))
		}
		b.WriteString("}\n}\n")
	}
	b.WriteString("}\n}\n")
	for _, field := range required {
		fmt.Fprintf(&b, "if !has%s {\nreturn r, emitted.MissingFieldError(%q)\n}\n", field.name, strings.Join(field.paths, " or "))
	}
	b.WriteString("return r, nil\n}")
	addSource(f, b.String())
}

type requiredField struct {
	name  string
	paths []string
}

// requiredFields returns the fields that a reply must have. Each has its paths, and the reply must have one of them.
func requiredFields(r load.Reply) []requiredField {
	var out []requiredField
	for _, field := range r.Fields {
		if !field.Required {
			continue
		}
		i := slices.IndexFunc(out, func(o requiredField) bool { return o.name == field.Field })
		if i < 0 {
			i = len(out)
			out = append(out, requiredField{name: field.Field})
		}
		out[i].paths = append(out[i].paths, field.Path)
	}
	return out
}

type replyGroup struct {
	outer  string
	fields []load.ReplyField
}

// replyGroups joins the fields of one embedded document, in the order of the table.
func replyGroups(r load.Reply) []replyGroup {
	var out []replyGroup
	for _, field := range r.Fields {
		outer, _, nested := strings.Cut(field.Path, ".")
		if !nested {
			out = append(out, replyGroup{fields: []load.ReplyField{field}})
			continue
		}
		if n := len(out); n > 0 && out[n-1].outer == outer {
			out[n-1].fields = append(out[n-1].fields, field)
			continue
		}
		out = append(out, replyGroup{outer: outer, fields: []load.ReplyField{field}})
	}
	return out
}

// replyCase stores one field.
func replyCase(f load.ReplyField, key string) string {
	has := ""
	if f.Required {
		has = "has" + f.Field + " = true\n"
	}
	head := fmt.Sprintf("case %q:\n", key)
	fail := fmt.Sprintf("if !ok {\nreturn r, emitted.FieldTypeError(%q, v)\n}\n", f.Path)
	switch f.Go {
	case "bson.RawValue":
		return head + "r." + f.Field + " = v\n" + has
	case "bson.Timestamp":
		return head + "t, i, ok := v.TimestampOK()\n" + fail + "r." + f.Field + " = bson.Timestamp{T: t, I: i}\n" + has
	}
	read := map[string]string{"int64": "v.AsInt64OK()", "[]byte": "emitted.Text(v)", "bool": "v.AsBoolOK()", "bson.RawArray": "v.ArrayOK()",
		"bson.Raw": "v.DocumentOK()"}[f.Go]
	return head + "x, ok := " + read + "\n" + fail + "r." + f.Field + " = x\n" + has
}
