package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/model"
)

// facts are the literals that tables hold, each with a description.
type facts struct {
	codes    map[int64]string
	texts    map[string]string
	names    map[string]string // of fields, commands and the like, which a server may use
	openings map[string]string // the first words of templates, if they are long
}

// alsoCommandFields are URI options that share their name with a field of commands, replies or documents. Hand-written
// code may need to name that field.
var alsoCommandFields = []string{
	"w", "journal", "appName", "compressors", "loadBalanced", "maxStalenessSeconds", "timeoutMS", "wtimeout",
}

// alsoWords are names that are also plain words, such as a field of every reply or the verb of a command.
var alsoWords = []string{"", "ok", "none", "n", "/", "type", "client", "error", "address", "find", "count", "update", "delete", "create", "drop", "compression", "tags", "unix", "tcp", "admin", "mongodb"}

func tabulateFacts(t *testing.T) facts {
	t.Helper()
	tables := load.NewTables(os.DirFS("../specs"))
	out := facts{codes: map[int64]string{}, texts: map[string]string{}, names: map[string]string{}, openings: map[string]string{}}
	errorTables := model.NewErrors(tables)
	for _, c := range errorTables.Codes {
		out.codes[int64(c.Code)] = "errcode." + c.Name
	}
	for _, l := range errorTables.Labels {
		out.texts[l.Name] = "an error label"
	}
	for _, m := range tables.LogMessages().Rows {
		out.texts[m.Message] = "a log message"
		out.addTemplate(m.Template, "{{", "a log template")
	}
	for _, file := range []string{"server", "pool", "transactions", "retry"} {
		for _, m := range tables.Messages(file + "/messages.yaml").Rows {
			out.addTemplate(m.Text, "{", "a text of specs/"+file+"/messages.yaml")
		}
	}
	for _, o := range tables.URI().Rows {
		if !slices.Contains(alsoCommandFields, o.Name) {
			out.texts[o.Name] = "a URI option"
		}
	}
	out.tabulateNames(tables)
	if problems := tables.Problems(); len(problems) > 0 {
		t.Fatal(problems)
	}
	return out
}

// addTemplate notes a text, and its beginning if that is long enough to recognize it.
func (f facts) addTemplate(text, parameter, what string) {
	opening, _, parameters := strings.Cut(text, parameter)
	if !parameters {
		f.texts[text] = what
	} else if len(opening) >= 20 {
		f.openings[opening] = what
	}
}

func (f facts) tabulateNames(tables *load.Tables) {
	add := func(what string, names ...string) {
		for _, name := range names {
			if !slices.Contains(alsoWords, name) {
				f.names[name] = what
			}
		}
	}
	for _, fact := range tables.Hello().Facts {
		add("a field of hello", fact.Fields...)
	}
	for _, field := range tables.Descriptions().Server {
		add("a field of hello", field.Field)
	}
	for _, v := range tables.Values("wire/values.yaml").Rows {
		if text, ok := v.Value.(string); ok && len(text) > 1 {
			add("a value of specs/wire/values.yaml", text)
		}
	}
	for _, c := range tables.Commands() {
		add("a command", c.Command)
	}
	for _, c := range tables.SensitiveCommands().Rows {
		add("a command", c.Command)
	}
	for _, m := range tables.Auth().Mechanisms.Rows {
		add("a mechanism", m.Mechanism)
	}
	for _, r := range tables.Auth().FaaS.Rows {
		add("a variable of the environment", r.Variables...)
		for _, field := range r.Fields {
			add("a variable of the environment", field.Variable)
		}
	}
	for _, a := range tables.TraceAttributes().Rows {
		add("an attribute of spans", a.Attribute)
	}
	for _, field := range tables.StableAPI().Rows {
		add("a field of the stable API", field.Command)
	}
	for _, s := range tables.ServerTypes().Servers {
		add("a server type", s.Text)
	}
}
