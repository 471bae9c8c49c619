package emit

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

// printOperationItems prints, for a command with a section of kind 1,
//
//	func (c *InsertMany) Items() int { return len(c.Documents) }
//
//	func (c *InsertMany) AppendItem(dst []byte, i int, env *emitted.Env) ([]byte, error) {
//		return append(dst, c.Documents[i]...), nil
//	}
func printOperationItems(f *jen.File, c model.Command, o model.Operation) {
	if o.Items == "" {
		return
	}
	count := map[string]string{"document": "1", "one": "1", "documents": "len(c.Documents)", "models": "len(c.Models)",
		"ops": "len(c.Models)"}[o.Items]
	addSource(f, "// Items counts the documents of the section of kind 1.\nfunc (c *"+o.Name+") Items() int { return "+count+" }")
	switch o.Items {
	case "document":
		printItem(f, o, "", "return append(dst, c.Document...), nil")
	case "documents":
		printItem(f, o, "", "return append(dst, c.Documents[i]...), nil")
	case "one":
		printItem(f, o, "", oneItem(c, o))
	case "models":
		printItem(f, o, "", "switch m := c.Models[i].(type) {\n"+modelCases(c, "dst, m, env")+
			"}\nreturn dst, emitted.WrongModelError(c.Models[i], i)")
		printRetryable(f, c, o, "c.Models[i]")
	case "ops":
		printItem(f, o, ", namespace int32", "switch m := c.Models[i].Model.(type) {\n"+modelCases(c, "dst, m, namespace, env")+
			"}\nreturn dst, emitted.WrongModelError(c.Models[i].Model, i)")
		printRetryable(f, c, o, "c.Models[i].Model")
		addSource(f, "// AppendNamespace writes the element of nsInfo for the namespace of item i.\nfunc (c *"+o.Name+
			") AppendNamespace(dst []byte, i int) []byte {\ndst, start := bson.AppendDocumentStart(dst)\ndst = "+
			"bson.AppendStringElement(dst, \"ns\", c.Models[i].Namespace)\nreturn bson.AppendDocumentEnd(dst, start)\n}")
	}
}

func printItem(f *jen.File, o model.Operation, more, body string) {
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
	addSource(f, comment+"func (c *"+o.Name+") "+name+"(dst []byte, "+i+" int"+more+", "+env+
		" *emitted.Env) ([]byte, error) {\n"+body+"\n}")
}

// oneItem returns the body of AppendItem for an operation that has one statement.
func oneItem(c model.Command, o model.Operation) string {
	e := encoder{command: c.Command.Command}
	e.printLine("dst, start := bson.AppendDocumentStart(dst)")
	for _, a := range o.Args {
		if a.In == "statement" {
			e.printField("c.", a)
		}
	}
	for _, x := range o.Fixed {
		if x.In == "statement" {
			e.printFixedField(x)
		}
	}
	e.end = "return bson.AppendDocumentEnd(dst, start), nil"
	e.printOptions(o.Statement)
	return e.body() + e.end
}

func modelCases(c model.Command, args string) string {
	var b strings.Builder
	for _, s := range c.Statements {
		fmt.Fprintf(&b, "case *options.%s:\nreturn append%s%s(%s)\n", s.Name, c.Go, s.Name, args)
	}
	return b.String()
}

// printRetryable prints
//
//	func (c *BulkUpdate) Retryable(i int) bool {
//		switch c.Models[i].(type) {
//		case *options.UpdateOneModel:
//			return true
//		}
//		return false
//	}
func printRetryable(f *jen.File, c model.Command, o model.Operation, of string) {
	var names []string
	for _, s := range c.Statements {
		if s.Retry == "write" {
			names = append(names, "*options."+s.Name)
		}
	}
	addSource(f, "// Retryable reports whether item i changes at most one document, so that a batch of such items may be "+
		"retried.\nfunc (c *"+o.Name+") Retryable(i int) bool {\nswitch "+of+".(type) {\ncase "+strings.Join(names, ", ")+
		":\nreturn true\n}\nreturn false\n}")
}

// printStatementEncoder prints the encoder of a model, or of a type of its own.
//
//	func appendUpdateUpdateOneModel(dst []byte, o *options.UpdateOneModel, env *emitted.Env) ([]byte, error) {
//		dst, start := bson.AppendDocumentStart(dst)
//		...
//		return bson.AppendDocumentEnd(dst, start), nil
//	}
func printStatementEncoder(f *jen.File, c model.Command, s model.Statement) {
	e := encoder{command: c.Command.Command, end: "return bson.AppendDocumentEnd(dst, start), nil"}
	e.printLine("dst, start := bson.AppendDocumentStart(dst)")
	recv, params := "o.", "dst []byte, o *options."+s.Name
	if s.Source == "spec" {
		recv, params, e.recv = "s.", "dst []byte", "s"
	}
	if s.Op != "" {
		e.printLine("dst = bson.AppendInt32Element(dst, %q, namespace)", s.Op)
		params += ", namespace int32"
	}
	for _, h := range s.Head {
		e.printField(recv, h)
	}
	for _, x := range s.Fixed {
		e.printFixedField(x)
	}
	if s.Source == "spec" {
		e.printOptions(s.Fields)
		printSpecStruct(f, s)
		addSource(f, "func (s *"+s.Name+") append(dst []byte, env *emitted.Env) ([]byte, error) {\n"+e.body()+e.end+"\n}")
		addSource(f, strings.ReplaceAll(specArray, "Spec", s.Name))
		return
	}
	e.printRows(s.Fields)
	addSource(f, "func append"+c.Go+s.Name+"("+params+", "+e.env()+" *emitted.Env) ([]byte, error) {\n"+e.body()+e.end+"\n}")
}

// specArray encodes the elements of type Spec as an array.
const specArray = `
func appendSpecs(dst []byte, key string, list []Spec, env *emitted.Env) ([]byte, error) {
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

func printSpecStruct(f *jen.File, s model.Statement) {
	f.Line()
	addDoc(f, s.Name+" is one element of the command.")
	f.Type().Id(s.Name).StructFunc(func(g *jen.Group) {
		for _, h := range s.Head {
			g.Id(h.Name).Add(goType(h.Go)).Comment(strings.TrimSuffix(strings.TrimPrefix(h.Doc, h.Name+" "), "."))
		}
		g.Id("Options").Op("*").Qual(pkg("generated/options"), s.Options).Comment("may be nil")
	})
}
