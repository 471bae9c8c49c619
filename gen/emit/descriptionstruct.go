package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

// printDescriptionLookup prints the search for a server, whose row says that the servers are sorted by address.
func printDescriptionLookup(f *jen.File) {
	addSource(f, `// Server returns the description of the server at an address.
func (t *Topology) Server(address string) (*Server, bool) {
	if t == nil {
		return nil, false
	}
	// slices.BinarySearchFunc would copy each server that it looks at.
	i, found := sort.Find(len(t.Servers), func(i int) int { return strings.Compare(address, t.Servers[i].Address) })
	if !found {
		return nil, false
	}
	return &t.Servers[i], true
}`)
}

// printDescriptionVersion prints
//
//	type TopologyVersion struct {
//		ProcessID bson.ObjectID
//		Counter int64
//	}
//
//	func (v *TopologyVersion) Compare(o *TopologyVersion) int {
//		if v == nil || o == nil || v.ProcessID != o.ProcessID {
//			return -1
//		}
//		return cmp.Compare(v.Counter, o.Counter)
//	}
func printDescriptionVersion(f *jen.File, fields []model.DescriptionField) {
	f.Line()
	addDoc(f, "TopologyVersion orders the states that one server process reports.")
	printDescriptionStruct(f, "TopologyVersion", fields)
	differ, orders := "v == nil || o == nil", ""
	for _, field := range fields {
		if field.Equal {
			differ += " || v." + field.Name + " != o." + field.Name
			continue
		}
		if orders != "" {
			orders += ", "
		}
		orders += "cmp.Compare(v." + field.Name + ", o." + field.Name + ")"
	}
	if strings.Contains(orders, ", cmp") {
		orders = "cmp.Or(" + orders + ")"
	}
	addSource(f, `// Compare returns -1 when v is older than o, 0 when they are equal, and 1 when v is newer. Unknown versions and versions
// of different processes compare as -1, so the later report wins.
func (v *TopologyVersion) Compare(o *TopologyVersion) int {
	if `+differ+` {
		return -1
	}
	return `+orders+`
}`)
}

// printDescriptionStruct prints
//
//	type Server struct {
//		// Address is ...
//		Address string
//	}
func printDescriptionStruct(f *jen.File, name string, fields []model.DescriptionField) {
	f.Type().Id(name).StructFunc(func(g *jen.Group) {
		for _, field := range fields {
			addDocIn(g, field.Doc)
			g.Id(field.Name).Add(descriptionType(field.Type))
		}
	})
}

func descriptionType(name string) *jen.Statement {
	switch name {
	case "duration":
		return jen.Qual("time", "Duration")
	case "time":
		return jen.Qual("time", "Time")
	case "document":
		return jen.Qual(pkg("bson"), "Raw")
	case "addresses":
		return jen.Index().String()
	case "tags":
		return jen.Map(jen.String()).String()
	case "servers":
		return jen.Index().Id("Server")
	case "objectID":
		return jen.Qual(pkg("bson"), "ObjectID")
	case "*objectID":
		return jen.Op("*").Qual(pkg("bson"), "ObjectID")
	case "*topologyVersion":
		return jen.Op("*").Id("TopologyVersion")
	case "*int64":
		return jen.Op("*").Int64()
	}
	return jen.Id(name)
}
