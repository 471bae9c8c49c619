package emit

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

// Commands prints package core/command. It also prints the options of each command's operations, in package options.
func Commands(m *model.Commands) []File {
	out := []File{
		{Path: commandDir + "/collation.go", Table: "options/types/collation.yaml", Content: commandCollation(m)},
		{Path: commandDir + "/meta.go", Table: "commands", Content: commandMeta(m)},
		{Path: commandDir + "/reply.go", Table: "options/replies.yaml", Content: commandReplies(m.Replies)},
	}
	for _, c := range m.Commands {
		table := "commands/" + c.File + ".yaml"
		out = append(out, File{Path: commandDir + "/" + strings.ToLower(c.File) + ".go", Table: table, Content: commandFile(c, table)})
		if len(c.Structs) > 0 {
			path := optionsDir + "/" + strings.ToLower(c.File) + ".go"
			out = append(out, File{Path: path, Table: table, Content: commandOptions(c, table)})
		}
	}
	return out
}

// commandOptions prints the structs of a command's options.
func commandOptions(c model.Command, table string) *jen.File {
	f := newFile(optionsDir, table)
	for _, s := range c.Structs {
		f.Line()
		printStructType(f, s)
		printMergeMethod(f, s)
	}
	return f
}

// sendsDeprecated tells the linter that an encoder must read deprecated options, even though users should not set them.
const sendsDeprecated = "//lint:file-ignore SA1019 deprecated options are still sent"

// commandFile prints the operations of a command and what they share.
func commandFile(c model.Command, table string) *jen.File {
	f := newFile(commandDir, table)
	if c.Deprecated {
		f.HeaderComment(sendsDeprecated)
	}
	for _, o := range c.Operations {
		printOperationStruct(f, c, o)
		printOperationAppend(f, c, o)
		printOperationItems(f, c, o)
		printOperationMeta(f, c, o)
		printOperationTimeout(f, o)
		printOperationTarget(f, c, o)
	}
	for _, s := range c.Statements {
		printStatementEncoder(f, c, s)
	}
	return f
}

// printOperationStruct prints
//
//	// Find reads documents with a cursor.
//	type Find struct {
//		Collection string        // name of the collection
//		Filter     bson.Raw      // selects documents
//		Options    *options.Find // may be nil
//	}
func printOperationStruct(f *jen.File, c model.Command, o model.Operation) {
	f.Line()
	addDoc(f, o.Doc)
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

// printOperationAppend prints
//
//	func (c *Find) Append(dst []byte, env *emitted.Env) ([]byte, error) {
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
func printOperationAppend(f *jen.File, c model.Command, o model.Operation) {
	e := encoder{command: c.Command.Command, writes: hasArg(o, "Writes")}
	e.printLine("dst, _ = bson.AppendDocumentStart(dst)")
	switch c.Target {
	case "collection":
		e.printLine("dst = bson.AppendStringElement(dst, %q, c.Collection)", e.command)
	case "namespace":
		e.printLine("if c.Collection == \"\" {\ndst = bson.AppendInt32Element(dst, %q, 1)\n} else {\ndst = "+
			"bson.AppendStringElement(dst, %q, c.Collection)\n}", e.command, e.command)
	case "one":
		e.printLine("dst = bson.AppendInt32Element(dst, %q, 1)", e.command)
	}
	for _, a := range o.Args {
		if a.In == "" {
			e.printField("c.", a)
		}
	}
	for _, x := range o.Fixed {
		if x.In == "" {
			e.printFixedField(x)
		}
	}
	e.printOptions(o.Body)
	f.Line()
	addSource(f, "// Append writes the command and leaves its document open.\nfunc (c *"+o.Name+") Append(dst []byte, "+
		e.env()+" *emitted.Env) ([]byte, error) {\n"+e.body()+"return dst, nil\n}")
}

// printOperationMeta prints
//
//	func (c *Find) Meta() Meta {
//		return Meta{Command: "find", Operation: trace.OpFind, Access: Read, Retry: RetryRead, ReadConcern: true}
//	}
func printOperationMeta(f *jen.File, c model.Command, o model.Operation) {
	operation := strconv.Quote(o.Operation.Operation)
	if o.Traced != "" {
		operation = "trace." + o.Traced
	}
	fields := fmt.Sprintf("Command: %q, Operation: %s, Access: %s", c.Command.Command, operation, upperFirst(c.Access))
	if o.Retry != "" {
		fields += ", Retry: Retry" + upperFirst(o.Retry)
	}
	writes := hasArg(o, "Writes")
	for _, a := range c.Accepts {
		if a != "writeConcern" || c.Access == "write" {
			fields += ", " + upperFirst(a) + ": true"
		}
	}
	if o.Items != "" {
		fields += fmt.Sprintf(", Sequence: wire.SequenceIdentifier(%q)", c.Command.Command)
		if c.Overhead {
			fields += ", ItemOverhead: wire.CommandOverhead"
		}
	}
	body := "return Meta{" + fields + "}"
	recv := ""
	if writes {
		recv = "c "
		body = "m := Meta{" + fields + "}\nif c.Writes {\nm.Access, m.Retry, m.WriteConcern = Write, RetryNone, true\n}\nreturn m"
	}
	addSource(f, "// Meta describes the operation.\nfunc ("+recv+"*"+o.Name+") Meta() Meta {\n"+body+"\n}")
}

// printOperationTimeout prints
//
//	func (c *Find) Timeout() *time.Duration {
//		if c.Options == nil {
//			return nil
//		}
//		return c.Options.Timeout
//	}
func printOperationTimeout(f *jen.File, o model.Operation) {
	head := "// Timeout is the timeoutMS of the options, nil when it is unset.\nfunc ("
	tail := "*" + o.Name + ") Timeout() *time.Duration {\n"
	for _, field := range o.Body {
		if field.Option == "timeoutMS" {
			addSource(f, head+"c "+tail+"if c.Options == nil {\nreturn nil\n}\nreturn c.Options.Timeout\n}")
			return
		}
	}
	addSource(f, head+tail+"return nil\n}")
}

// printOperationTarget prints, for an operation on a collection,
//
//	func (c *Find) Target() string { return c.Collection }
func printOperationTarget(f *jen.File, c model.Command, o model.Operation) {
	if c.Target == "collection" || c.Target == "namespace" || hasArg(o, "Collection") {
		addSource(f, "// Target is the name of the collection, empty for a database.\n"+
			"func (c *"+o.Name+") Target() string { return c.Collection }")
	}
}

func hasArg(o model.Operation, name string) bool {
	for _, a := range o.Args {
		if a.Name == name {
			return true
		}
	}
	return false
}
