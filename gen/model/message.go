package model

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/gen/load"
)

// Message is a text with parameters. Parts alternate: text, the name of a parameter, text, and so on.
type Message struct {
	Name, Doc, Spec string
	Parts           []string
	Parameters      []Parameter
}

// Parameter is one argument of a message.
type Parameter struct {
	Name, Type string
}

// Messages is a table of texts of one package.
type Messages struct {
	File, Package string
	Rows          []Message
}

// NewMessages returns the function that resolves and checks one table of texts. pkg is the package below generated/.
func NewMessages(file, pkg string) func(*load.Tables) *Messages {
	return func(t *load.Tables) *Messages {
		return &Messages{File: file, Package: pkg, Rows: newMessages(t, t.Messages(file).Rows)}
	}
}

// parameterTypes are the types that a message can fill in.
var parameterTypes = []string{"string", "int32", "int64", "int", "time.Duration"}

// newMessages checks that every text uses exactly the parameters that its row declares.
func newMessages(t *load.Tables, rows []load.Message) []Message {
	var out []Message
	names := newGoNames(t)
	for _, r := range rows {
		names.add(r.Name, r.At)
		checkSentence(t, r.At, r.Doc)
		m := Message{Name: r.Name, Doc: r.Doc, Spec: r.Spec, Parts: messageParts(t, r)}
		for _, p := range r.Parameters {
			if !slices.Contains(parameterTypes, p.Value) {
				t.Problemf(p.At, "parameter %s: a text cannot hold a %s", p.Key, p.Value)
			}
			checkParameter(t, p.At, r.Name, p.Key)
			used := false
			for i := 1; i < len(m.Parts); i += 2 {
				used = used || m.Parts[i] == p.Key
			}
			if !used {
				t.Problemf(p.At, "%s: the text does not use %s", r.Name, p.Key)
			}
			m.Parameters = append(m.Parameters, Parameter{Name: p.Key, Type: p.Value})
		}
		out = append(out, m)
	}
	return out
}

func messageParts(t *load.Tables, r load.Message) []string {
	var parts []string
	rest := r.Text
	for {
		before, after, found := strings.Cut(rest, "{")
		parts = append(parts, before)
		if !found {
			return parts
		}
		name, tail, closed := strings.Cut(after, "}")
		if _, ok := r.Parameters.Get(name); !closed || !ok {
			t.Problemf(r.At, "%s: there is no parameter {%s}", r.Name, name)
		}
		if !closed {
			return parts
		}
		parts = append(parts, name)
		rest = tail
	}
}
