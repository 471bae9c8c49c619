package emit

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/model"
)

const commandDir = "generated/core/command"

// Commands prints package core/command and, beside it in package options, the options of each command's operations.
func Commands(m *model.Commands) []File {
	out := []File{
		{Path: commandDir + "/command.go", Table: "commands", Content: commandTypes()},
		{Path: commandDir + "/concern.go", Table: "commands", Content: commandConcerns()},
		{Path: commandDir + "/value.go", Table: "options/types/collation.yaml", Content: commandValues(m)},
		{Path: commandDir + "/reply.go", Table: "options/replies.yaml", Content: commandReplies(m.Replies)},
	}
	for _, c := range m.Commands {
		table := "commands/" + c.File + ".yaml"
		out = append(out, File{Path: commandDir + "/" + strings.ToLower(c.File) + ".go", Table: table, Content: commandFile(c, table)})
		if len(c.Structs) > 0 {
			out = append(out, File{Path: optionsDir + "/" + strings.ToLower(c.File) + ".go", Table: table, Content: commandOptions(c, table)})
		}
	}
	return out
}

// commandOptions prints the structs of a command's options.
func commandOptions(c model.Command, table string) *jen.File {
	f := newFile(optionsDir, table)
	for _, s := range c.Structs {
		f.Line()
		structType(f, s)
	}
	return f
}

// commandFile prints the operations of a command and what they share.
func commandFile(c model.Command, table string) *jen.File {
	f := newFile(commandDir, table)
	for _, o := range c.Operations {
		operationStruct(f, c, o)
		operationAppend(f, c, o)
		operationItems(f, c, o)
		operationMeta(f, c, o)
	}
	for _, s := range c.Statements {
		statementEncoder(f, c, s)
	}
	return f
}

// operationStruct prints
//
//	// Find reads documents with a cursor.
//	type Find struct {
//		Collection string        // name of the collection
//		Filter     bson.Raw      // selects documents
//		Options    *options.Find // may be nil
//	}
func operationStruct(f *jen.File, c model.Command, o model.Operation) {
	f.Line()
	doc(f, o.Doc)
	f.Type().Id(o.Name).StructFunc(func(g *jen.Group) {
		switch c.Target {
		case "collection":
			g.Id("Collection").String().Comment("name of the collection")
		case "namespace":
			g.Id("Collection").String().Comment("name of the collection; empty for the database")
		}
		for _, a := range o.Args {
			g.Id(a.Name).Add(goType(a.Go)).Comment(strings.TrimSuffix(strings.TrimPrefix(a.Doc, a.Name+" "), "."))
		}
		if o.Options != "" {
			g.Id("Options").Op("*").Qual(pkg("generated/options"), o.Options).Comment("may be nil")
		}
	})
}

// operationAppend prints
//
//	func (c *Find) Append(dst []byte, env *Env) ([]byte, error) {
//		dst, _ = bson.AppendDocumentStart(dst)
//		dst = bson.AppendStringElement(dst, "find", c.Collection)
//		dst = bson.AppendDocumentElement(dst, "filter", c.Filter)
//		o := c.Options
//		if o == nil {
//			return dst, nil
//		}
//		...
//		return dst, nil
//	}
func operationAppend(f *jen.File, c model.Command, o model.Operation) {
	e := encoder{command: c.Command.Command, writes: hasArg(o, "Writes")}
	e.line("dst, _ = bson.AppendDocumentStart(dst)")
	switch c.Target {
	case "collection":
		e.line("dst = bson.AppendStringElement(dst, %q, c.Collection)", e.command)
	case "namespace":
		e.line("if c.Collection == \"\" {\ndst = bson.AppendInt32Element(dst, %q, 1)\n} else {\ndst = bson.AppendStringElement(dst, %q, c.Collection)\n}", e.command, e.command)
	case "one":
		e.line("dst = bson.AppendInt32Element(dst, %q, 1)", e.command)
	}
	for _, a := range o.Args {
		if a.In == "" {
			e.field("c.", a)
		}
	}
	for _, x := range o.Fixed {
		if x.In == "" {
			e.fixed(x)
		}
	}
	e.options(o.Body)
	f.Line()
	source(f, "// Append writes the command and leaves its document open.\nfunc (c *"+o.Name+") Append(dst []byte, "+e.env()+" *Env) ([]byte, error) {\n"+e.body()+"return dst, nil\n}")
}

// operationItems prints, for a command with a section of kind 1,
//
//	func (c *InsertMany) Items() int { return len(c.Documents) }
//
//	func (c *InsertMany) AppendItem(dst []byte, i int, env *Env) ([]byte, error) {
//		return append(dst, c.Documents[i]...), nil
//	}
func operationItems(f *jen.File, c model.Command, o model.Operation) {
	if o.Items == "" {
		return
	}
	count := map[string]string{"document": "1", "one": "1", "documents": "len(c.Documents)", "models": "len(c.Models)", "ops": "len(c.Models)"}[o.Items]
	source(f, "// Items counts the documents of the section of kind 1.\nfunc (c *"+o.Name+") Items() int { return "+count+" }")
	switch o.Items {
	case "document":
		item(f, o, "", "return append(dst, c.Document...), nil")
	case "documents":
		item(f, o, "", "return append(dst, c.Documents[i]...), nil")
	case "one":
		item(f, o, "", oneItem(c, o))
	case "models":
		item(f, o, "", "switch m := c.Models[i].(type) {\n"+modelCases(c, "dst, m, env")+"}\nreturn dst, wrongModel(c.Models[i], i)")
		retryable(f, c, o, "c.Models[i]")
	case "ops":
		item(f, o, ", namespace int32", "switch m := c.Models[i].Model.(type) {\n"+modelCases(c, "dst, m, namespace, env")+"}\nreturn dst, wrongModel(c.Models[i].Model, i)")
		retryable(f, c, o, "c.Models[i].Model")
		source(f, "// AppendNamespace writes the element of nsInfo for the namespace of item i.\nfunc (c *"+o.Name+") AppendNamespace(dst []byte, i int) []byte {\ndst, start := bson.AppendDocumentStart(dst)\ndst = bson.AppendStringElement(dst, \"ns\", c.Models[i].Namespace)\nreturn bson.AppendDocumentEnd(dst, start)\n}")
	}
}

func item(f *jen.File, o model.Operation, more, body string) {
	name, comment := "AppendItem", "// AppendItem writes document i of the section.\n"
	if more != "" {
		name, comment = "AppendOp", "// AppendOp writes item i of ops; namespace is the index of its namespace in nsInfo.\n"
	}
	env, i := "_", "_"
	if strings.Contains(body, "env") {
		env = "env"
	}
	if strings.Contains(body, "[i]") {
		i = "i"
	}
	source(f, comment+"func (c *"+o.Name+") "+name+"(dst []byte, "+i+" int"+more+", "+env+" *Env) ([]byte, error) {\n"+body+"\n}")
}

// oneItem is the body of AppendItem for an operation that has one statement.
func oneItem(c model.Command, o model.Operation) string {
	e := encoder{command: c.Command.Command}
	e.line("dst, start := bson.AppendDocumentStart(dst)")
	for _, a := range o.Args {
		if a.In == "statement" {
			e.field("c.", a)
		}
	}
	for _, x := range o.Fixed {
		if x.In == "statement" {
			e.fixed(x)
		}
	}
	e.end = "return bson.AppendDocumentEnd(dst, start), nil"
	e.options(o.Statement)
	return e.body() + e.end
}

func modelCases(c model.Command, args string) string {
	var b strings.Builder
	for _, s := range c.Statements {
		fmt.Fprintf(&b, "case *options.%s:\nreturn append%s%s(%s)\n", s.Name, c.Go, s.Name, args)
	}
	return b.String()
}

// retryable prints
//
//	func (c *BulkUpdate) Retryable(i int) bool {
//		switch c.Models[i].(type) {
//		case *options.UpdateOneModel:
//			return true
//		}
//		return false
//	}
func retryable(f *jen.File, c model.Command, o model.Operation, of string) {
	var names []string
	for _, s := range c.Statements {
		if s.Retry == "write" {
			names = append(names, "*options."+s.Name)
		}
	}
	source(f, "// Retryable reports whether item i changes at most one document, so that a batch of such items may be retried.\nfunc (c *"+o.Name+") Retryable(i int) bool {\nswitch "+of+".(type) {\ncase "+strings.Join(names, ", ")+":\nreturn true\n}\nreturn false\n}")
}

// operationMeta prints
//
//	func (c *Find) Meta() Meta {
//		return Meta{Command: "find", Operation: "find", Access: Read, Retry: RetryRead, ReadConcern: true}
//	}
func operationMeta(f *jen.File, c model.Command, o model.Operation) {
	access := map[string]string{"read": "Read", "write": "Write"}[c.Access]
	fields := fmt.Sprintf("Command: %q, Operation: %q, Access: %s", c.Command.Command, o.Operation.Operation, access)
	if o.Retry != "" {
		fields += ", Retry: Retry" + strings.ToUpper(o.Retry[:1]) + o.Retry[1:]
	}
	writes := hasArg(o, "Writes")
	for _, a := range c.Accepts {
		if a != "writeConcern" || c.Access == "write" {
			fields += ", " + strings.ToUpper(a[:1]) + a[1:] + ": true"
		}
	}
	if c.Cursor {
		fields += ", Cursor: true"
	}
	if o.Items != "" {
		fields += fmt.Sprintf(", Sequence: wire.SequenceIdentifier(%q)", c.Command.Command)
	}
	body := "return Meta{" + fields + "}"
	recv := ""
	if writes {
		recv = "c "
		body = "m := Meta{" + fields + "}\nif c.Writes {\nm.Access, m.Retry, m.WriteConcern = Write, RetryNone, true\n}\nreturn m"
	}
	source(f, "// Meta describes the operation.\nfunc ("+recv+"*"+o.Name+") Meta() Meta {\n"+body+"\n}")
}

func hasArg(o model.Operation, name string) bool {
	for _, a := range o.Args {
		if a.Name == name {
			return true
		}
	}
	return false
}

// statementEncoder prints the encoder of a model, or of a type of its own.
//
//	func appendUpdateUpdateOneModel(dst []byte, o *options.UpdateOneModel, env *Env) ([]byte, error) {
//		dst, start := bson.AppendDocumentStart(dst)
//		...
//		return bson.AppendDocumentEnd(dst, start), nil
//	}
func statementEncoder(f *jen.File, c model.Command, s model.Statement) {
	e := encoder{command: c.Command.Command, end: "return bson.AppendDocumentEnd(dst, start), nil"}
	e.line("dst, start := bson.AppendDocumentStart(dst)")
	recv, params := "o.", "dst []byte, o *options."+s.Name
	if s.Source == "spec" {
		recv, params, e.recv = "s.", "dst []byte", "s"
	}
	if s.Op != "" {
		e.line("dst = bson.AppendInt32Element(dst, %q, namespace)", s.Op)
		params += ", namespace int32"
	}
	for _, h := range s.Head {
		e.field(recv, h)
	}
	for _, x := range s.Fixed {
		e.fixed(x)
	}
	if s.Source == "spec" {
		e.options(s.Fields)
		specStruct(f, s)
		source(f, "func (s *"+s.Name+") append(dst []byte, env *Env) ([]byte, error) {\n"+e.body()+e.end+"\n}")
		source(f, strings.ReplaceAll(specArray, "Spec", s.Name))
		return
	}
	e.rows(s.Fields)
	source(f, "func append"+c.Go+s.Name+"("+params+", "+e.env()+" *Env) ([]byte, error) {\n"+e.body()+e.end+"\n}")
}

// specArray encodes the elements of type Spec as an array.
const specArray = `
func appendSpecs(dst []byte, key string, list []Spec, env *Env) ([]byte, error) {
	dst, start := bson.AppendArrayElementStart(dst, key)
	for i := range list {
		var err error
		dst = bson.AppendArrayIndexHeader(dst, bsontype.EmbeddedDocument, i)
		if dst, err = list[i].append(dst, env); err != nil {
			return dst, err
		}
	}
	return bson.AppendDocumentEnd(dst, start), nil
}`

func specStruct(f *jen.File, s model.Statement) {
	f.Line()
	doc(f, s.Name+" is one element of the command.")
	f.Type().Id(s.Name).StructFunc(func(g *jen.Group) {
		for _, h := range s.Head {
			g.Id(h.Name).Add(goType(h.Go)).Comment(strings.TrimSuffix(strings.TrimPrefix(h.Doc, h.Name+" "), "."))
		}
		g.Id("Options").Op("*").Qual(pkg("generated/options"), s.Options).Comment("may be nil")
	})
}

// commandReplies prints a struct and a parser for each shape of replies.
func commandReplies(replies []load.Reply) *jen.File {
	f := newFile(commandDir, "options/replies.yaml")
	for _, r := range replies {
		replyStruct(f, r)
		replyParser(f, r)
	}
	source(f, `
func badField(path string, v bson.RawValue) error {
	return fmt.Errorf("reply: field %s is a %s", path, v.Type)
}

func noField(path string) error { return fmt.Errorf("reply: field %s is missing", path) }`)
	return f
}
