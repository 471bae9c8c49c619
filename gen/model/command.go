package model

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/specdrivers/onion/gen/load"
)

// Commands is what the emitters of package core/command and of the options of operations see.
type Commands struct {
	Commands  []Command
	Replies   []load.Reply
	Collation []CommandField // fields of options.Collation

	// What the columns of these names hold, each value once.
	Accesses, Retries, Accepted []string
}

// Command is one command. Go is its name as a Go identifier, File the base name of its table.
type Command struct {
	load.Command
	Go, File   string
	Structs    []load.Type // option structs that the file defines
	Deprecated bool        // one of the options is deprecated
	Operations []Operation
	Statements []Statement
}

// Operation is one way to send the command. Body holds the options that travel in the command, Statement the options
// that travel in a statement.
type Operation struct {
	load.Operation
	Body, Statement []CommandField
	Args            []CommandField
	Traced          string // the constant of package trace for its name, if there is one
}

// Statement is one element of the array or section that a command carries.
type Statement struct {
	load.Statement
	Head, Fields []CommandField
}

// CommandField is a field of a command: an option or an argument. As is its form. Wire is the wire version of Since.
type CommandField struct {
	Name, Go, Field, As string
	In                  string
	Option, Since, Old  string
	Omit                bool
	Wire                int32
	Doc                 string
}

// forms maps Go types to the form in which they travel, unless a row names another.
var forms = map[string]string{
	"*bool": "bool", "*int32": "int32", "*int64": "int64", "*float64": "double", "*string": "string", "*time.Duration": "millis",
	"any": "value", "[]any": "array", "*Collation": "collation", "[]string": "strings",
	"bson.Raw": "document", "bson.RawArray": "rawArray", "bson.RawValue": "rawValue",
	"string": "string", "int32": "int32", "int64": "int64",
	"time.Duration": "millis", "[]int64": "int64s", "[]IndexSpec": "statements", "bool": "bool", "[]bson.Raw": "documents",
	"[]options.WriteModel":          "none",
	"[]options.NamespaceWriteModel": "none", "int": "int32", "float64": "double",
}

// special are the forms that only a row can ask for.
var special = []string{"none", "maxTime", "limit", "batchSize", "cursorBatch", "cursorType", "after", "inverse", "ordered", "trueOnly"}

// NewCommands resolves and checks the tables of commands.
func NewCommands(t *load.Tables) *Commands {
	out := &Commands{Replies: t.Replies().Rows}
	b := commandBuilder{t: t, structs: map[string][]load.TypeField{}, wires: map[string]int32{}, traced: map[string]string{}}
	for _, v := range t.WireVersions().Rows {
		b.wires[v.Server] = v.Wire
	}
	for _, r := range t.TraceOperations().Rows {
		b.traced[r.Operation] = traceName(r.Operation)
	}
	for _, file := range t.OptionTypes() {
		for _, typ := range file.Types {
			b.structs[typ.Name] = typ.Fields
		}
	}
	options := newGoNames(t)
	for _, file := range t.OptionTypes() {
		for _, typ := range file.Types {
			options.add(typ.Name, typ.At)
		}
	}
	for _, c := range t.Commands() {
		for _, o := range c.Operations {
			if o.Options != "" && !o.Elsewhere {
				options.add(o.Options, o.At)
				b.structs[o.Options] = optionsOf(c, o.Options)
			}
		}
	}
	b.names = newGoNames(t)
	b.replies = newUnique[string](t)
	for _, r := range out.Replies {
		b.replies.add(r.Name, r.Name, r.At, "reply %s is defined twice", r.Name)
		checkSentence(t, r.At, r.Doc)
		for _, f := range r.Fields {
			checkSentence(t, f.At, f.Doc)
			b.checkOneOf(f.At, "go", f.Go, "bool", "int64", "[]byte", "bson.Raw", "bson.RawArray", "bson.RawValue", "bson.Timestamp")
			if strings.Count(f.Path, ".") > 1 {
				t.Problemf(f.At, "path %s has more than one dot", f.Path)
			}
		}
	}
	for _, c := range t.Commands() {
		if c.Command != "" {
			out.Commands = append(out.Commands, b.command(c))
		}
	}
	for _, f := range b.structs["Collation"] {
		out.Collation = append(out.Collation, b.option(f, ""))
	}
	out.Accesses, out.Retries, out.Accepted = commandColumns(out.Commands)
	return out
}

// commandColumns returns the values of the columns access, retry and accepts, in the order of the alphabet.
func commandColumns(commands []Command) (accesses, retries, accepted []string) {
	for _, c := range commands {
		accesses, accepted = append(accesses, c.Access), append(accepted, c.Accepts...)
		for _, o := range c.Operations {
			if o.Retry != "" {
				retries = append(retries, o.Retry)
			}
		}
	}
	once := func(values []string) []string { slices.Sort(values); return slices.Compact(values) }
	return once(accesses), once(retries), once(accepted)
}

type commandBuilder struct {
	t       *load.Tables
	structs map[string][]load.TypeField
	wires   map[string]int32
	traced  map[string]string
	names   goNames
	replies *unique[string]
}

func (b *commandBuilder) command(c *load.Command) Command {
	at := load.Pos{File: "specs/commands/" + c.Table + ".yaml", Line: 1}
	if len(c.Operations) > 0 {
		at.File = c.Operations[0].At.File
	}
	b.checkOneOf(at, "target", c.Target, "collection", "namespace", "one", "argument")
	b.checkOneOf(at, "access", c.Access, "read", "write")
	for _, a := range c.Accepts {
		b.checkOneOf(at, "accepts", a, "readConcern", "writeConcern", "readPreference", "afterClusterTime")
	}
	if _, known := b.replies.seen[c.Reply]; c.Reply != "" && !known {
		b.t.Problemf(at, "reply %s is not in the table of replies", c.Reply)
	}
	out := Command{Command: *c, Go: strings.ToUpper(c.Table[:1]) + c.Table[1:], File: strings.TrimSuffix(path.Base(at.File), ".yaml")}
	options := newUnique[string](b.t)
	for _, r := range c.Rows {
		options.add(r.Option, r.Field, r.At, "option %s is listed twice", r.Option)
		checkSentence(b.t, r.At, r.Doc)
		checkGoType(b.t, r.At, r.Go)
		out.Deprecated = out.Deprecated || r.TypeField.Deprecated != ""
		for _, name := range r.Of {
			if !slices.ContainsFunc(c.Operations, func(o load.Operation) bool { return o.Options == name }) {
				b.t.Problemf(r.At, "no operation of %s has the options %s", c.Command, name)
			}
		}
	}
	for _, o := range c.Operations {
		b.names.add(o.Name, o.At)
		checkSentence(b.t, o.At, o.Doc)
		b.checkOneOf(o.At, "retry", o.Retry, "", "read", "write")
		b.checkOneOf(o.At, "items", o.Items, "", "document", "documents", "one", "models", "ops")
		if o.Options != "" && !o.Elsewhere {
			out.Structs = append(out.Structs, b.options(c, o))
		}
		out.Operations = append(out.Operations, b.operation(c, o))
	}
	for _, s := range c.Statements {
		out.Statements = append(out.Statements, b.statement(s))
		out.Deprecated = out.Deprecated || slices.ContainsFunc(b.structs[cmp.Or(s.Options, s.Name)],
			func(f load.TypeField) bool { return f.Deprecated != "" })
	}
	return out
}

// checkOneOf checks a column that allows only a few values.
func (b *commandBuilder) checkOneOf(at load.Pos, column, value string, allowed ...string) {
	if !slices.Contains(allowed, value) {
		b.t.Problemf(at, "%s is %q, not one of %s", column, value,
			strings.Join(slices.DeleteFunc(allowed, func(s string) bool { return s == "" }), ", "))
	}
}

// options returns the struct that holds the options of an operation.
func (b *commandBuilder) options(c *load.Command, o load.Operation) load.Type {
	typ := load.Type{Row: o.Row, Name: o.Options, Upstream: o.Upstream}
	typ.Doc = o.Options + " holds the options of an operation that" + strings.TrimPrefix(o.Doc, o.Name)
	typ.Fields = optionsOf(c, o.Options)
	fields := newGoNames(b.t)
	for _, f := range typ.Fields {
		fields.add(f.Field, f.At)
	}
	if len(typ.Fields) == 0 {
		b.t.Problemf(o.At, "no row is an option of %s", o.Options)
	}
	return typ
}

// optionsOf returns the rows that belong to a struct, by field.
func optionsOf(c *load.Command, name string) []load.TypeField {
	var out []load.TypeField
	for _, r := range c.Rows {
		if len(r.Of) == 0 || slices.Contains(r.Of, name) {
			out = append(out, r.TypeField)
		}
	}
	slices.SortFunc(out, func(x, y load.TypeField) int { return strings.Compare(x.Field, y.Field) })
	return out
}

func (b *commandBuilder) operation(c *load.Command, o load.Operation) Operation {
	out := Operation{Operation: o, Traced: b.traced[o.Operation]}
	sent := newUnique[[2]string](b.t)
	for _, a := range o.Args {
		f := b.argument(a)
		out.Args = append(out.Args, f)
		sent.add([2]string{a.In, f.Field}, a.Name, a.At, "%s: field %s is sent twice", o.Name, f.Field)
	}
	if o.Options == "" {
		return out
	}
	for _, r := range c.Rows {
		named := slices.Contains(r.Of, o.Options)
		has := named || len(r.Of) == 0
		if o.Elsewhere && has {
			has = slices.ContainsFunc(b.structs[o.Options], func(f load.TypeField) bool { return f.Field == r.Field })
			if named && !has {
				b.t.Problemf(r.At, "options.%s has no field %s: declare it below specs/options/types", o.Options, r.Field)
			}
		}
		if !has {
			continue
		}
		f := b.option(r.TypeField, r.In)
		if f.As != "none" {
			sent.add([2]string{r.In, f.Field}, r.Field, r.At, "%s: field %s is sent twice", o.Name, f.Field)
		}
		if r.In == "statement" {
			out.Statement = append(out.Statement, f)
		} else {
			out.Body = append(out.Body, f)
		}
	}
	return out
}

func (b *commandBuilder) statement(s load.Statement) Statement {
	out := Statement{Statement: s}
	inHead := map[string]bool{}
	for _, a := range s.Head {
		out.Head = append(out.Head, b.argument(a))
		inHead[a.Name] = true
	}
	from := s.Name
	if s.Source == "spec" {
		b.names.add(s.Name, s.At)
		from = s.Options
	}
	fields, ok := b.structs[from]
	if !ok {
		b.t.Problemf(s.At, "%s is not a type of package options", from)
	}
	for _, f := range fields {
		if !inHead[f.Field] || s.Source == "spec" {
			out.Fields = append(out.Fields, b.option(f, ""))
		}
	}
	return out
}

func (b *commandBuilder) argument(a load.Argument) CommandField {
	if a.Doc != "" {
		checkSentence(b.t, a.At, a.Doc)
	}
	f := CommandField{Name: a.Name, Go: a.Go, Field: a.Field, As: a.As, In: a.In, Omit: a.Omit, Since: a.Since, Old: a.Old, Doc: a.Doc}
	return b.resolve(f, a.At)
}

func (b *commandBuilder) option(r load.TypeField, in string) CommandField {
	f := CommandField{Name: r.Field, Go: r.Go, Field: r.Command, As: r.As, In: in, Option: r.Option,
		Since: cmp.Or(r.From, r.Since), Old: r.Old, Omit: true}
	if f.Field == "" {
		f.Field = r.Option
	}
	return b.resolve(f, r.At)
}

// resolve finds the form and the wire version of a field.
func (b *commandBuilder) resolve(f CommandField, at load.Pos) CommandField {
	switch {
	case f.As == "" && f.Field == "":
		f.As = "none"
	case f.As == "":
		if f.As = forms[f.Go]; f.As == "" {
			b.t.Problemf(at, "%s: set as, which says how a %s is sent", f.Name, f.Go)
		}
	case f.As != "value" && !slices.Contains(special, f.As):
		b.t.Problemf(at, "%s: %s is not one of %s", f.Name, f.As, strings.Join(special, ", "))
	}
	if f.Old == "" {
		return f
	}
	wire, ok := b.wires[f.Since]
	if !ok {
		b.t.Problemf(at, "%s: %q is not a release in the table of wire versions", f.Name, f.Since)
	}
	f.Wire = wire
	if !slices.Contains([]string{"error", "unacknowledged", "omit"}, f.Old) {
		b.t.Problemf(at, "%s: old is %s, not error, unacknowledged or omit", f.Name, f.Old)
	}
	return f
}
