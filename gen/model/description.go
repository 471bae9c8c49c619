package model

import (
	"slices"

	"github.com/specdrivers/onion/gen/load"
)

// Description is what the emitter of package description sees.
type Description struct {
	Servers    []ServerType
	Topologies []TopologyType
	Server     []DescriptionField
	Topology   []DescriptionField
	Version    []DescriptionField // of TopologyVersion; the fields that are not equal order two versions
}

// ServerType is one kind of server.
type ServerType struct {
	Name, Text, Doc        string
	DataBearing, Available bool
}

// TopologyType is one kind of deployment.
type TopologyType struct {
	Name, Text, Doc    string
	Readable, Writable string
}

// DescriptionField is one field of a description. Type is one of DescriptionTypes.
type DescriptionField struct {
	Name, Field, Doc, Type string
	Equal, Reply           bool
}

// DescriptionTypes are the types that a field of a description may have.
var DescriptionTypes = []string{
	"string", "bool", "int32", "error", "duration", "time", "document", "addresses", "tags", "servers",
	"ServerType", "TopologyType", "int64", "objectID", "*int64", "*objectID", "*topologyVersion",
}

// NewDescription resolves and checks the tables of types and descriptions.
func NewDescription(t *load.Tables) *Description {
	out := &Description{}
	in := t.ServerTypes()
	names, texts := newGoNames(t), newUnique[string](t)
	for _, r := range in.Servers {
		names.add(r.Name, r.At)
		checkSentence(t, r.At, r.Doc)
		texts.add(r.Text, r.Name, r.At, "server type %s is named twice", r.Text)
		out.Servers = append(out.Servers,
			ServerType{Name: r.Name, Text: r.Text, Doc: r.Doc, DataBearing: r.DataBearing, Available: r.Available})
	}
	texts = newUnique[string](t)
	rules := []string{"never", "always", "available", "preference"}
	for _, r := range in.Topologies {
		names.add(r.Name, r.At)
		checkSentence(t, r.At, r.Doc)
		texts.add(r.Text, r.Name, r.At, "topology type %s is named twice", r.Text)
		for _, rule := range []string{r.Readable, r.Writable} {
			if !slices.Contains(rules, rule) {
				t.Problemf(r.At, "%s: there is no rule %s", r.Name, rule)
			}
		}
		out.Topologies = append(out.Topologies,
			TopologyType{Name: r.Name, Text: r.Text, Doc: r.Doc, Readable: r.Readable, Writable: r.Writable})
	}
	d := t.Descriptions()
	out.Server = descriptionFields(t, d.Server)
	out.Topology = descriptionFields(t, d.Topology)
	out.Version = descriptionFields(t, d.Version)
	return out
}

func descriptionFields(t *load.Tables, rows []load.DescriptionField) []DescriptionField {
	var out []DescriptionField
	names, fields := newGoNames(t), newUnique[string](t)
	for _, r := range rows {
		names.add(r.Name, r.At)
		fields.add(r.Field, r.Name, r.At, "field %s is listed twice", r.Field)
		checkSentence(t, r.At, r.Doc)
		if !slices.Contains(DescriptionTypes, r.Type) {
			t.Problemf(r.At, "%s: a description cannot hold a %s", r.Name, r.Type)
		}
		out = append(out, DescriptionField{Name: r.Name, Doc: r.Doc, Type: r.Type, Equal: r.Equal, Reply: r.Reply, Field: r.Field})
	}
	return out
}
