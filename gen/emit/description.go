package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

const descriptionDir = "generated/description"

// Description prints package description.
func Description(m *model.Description) []File {
	return []File{descriptionTypes(m), descriptionStructs(m)}
}

func descriptionTypes(m *model.Description) File {
	const table = "server/types.yaml"
	f := newFile(descriptionDir, table)
	addDoc(f, "ServerType is the kind of a server.")
	f.Type().Id("ServerType").Uint8().Line()
	servers := serverMembers(m.Servers)
	printConstants(f, "ServerType", servers)
	printStringer(f, "t", "ServerType", "String returns the name that events and logs use.", servers)
	printParser(f, "ParseServerType", "ServerType", "ParseServerType is the inverse of String.", servers)
	printServerSet(f, "IsDataBearing", "IsDataBearing reports whether servers of the type take operations.", m.Servers,
		func(s model.ServerType) bool { return s.DataBearing })
	printServerSet(f, "IsAvailable", "IsAvailable reports whether the type was found by a check that succeeded.", m.Servers,
		func(s model.ServerType) bool { return s.Available })

	f.Line()
	addDoc(f, "TopologyType is the kind of a deployment.")
	f.Type().Id("TopologyType").Uint8().Line()
	topologies := topologyMembers(m.Topologies)
	printConstants(f, "TopologyType", topologies)
	printStringer(f, "t", "TopologyType", "String returns the name that events and logs use.", topologies)
	printParser(f, "ParseTopologyType", "TopologyType", "ParseTopologyType is the inverse of String.", topologies)
	return File{Path: descriptionDir + "/type.go", Table: table, Content: f}
}

func serverMembers(types []model.ServerType) []member {
	var out []member
	for _, t := range types {
		out = append(out, member{Name: t.Name, Doc: t.Doc, Text: t.Text})
	}
	return out
}

func topologyMembers(types []model.TopologyType) []member {
	var out []member
	for _, t := range types {
		out = append(out, member{Name: t.Name, Doc: t.Doc, Text: t.Text})
	}
	return out
}

// printServerSet prints
//
//	func (t ServerType) IsDataBearing() bool {
//		switch t {
//		case Standalone, Mongos:
//			return true
//		}
//		return false
//	}
func printServerSet(f *jen.File, name, comment string, types []model.ServerType, keep func(model.ServerType) bool) {
	var names []jen.Code
	for _, t := range types {
		if keep(t) {
			names = append(names, jen.Id(t.Name))
		}
	}
	f.Line()
	addDoc(f, comment)
	f.Func().Params(jen.Id("t").Id("ServerType")).Id(name).Params().Bool().Block(
		jen.Switch(jen.Id("t")).Block(jen.Case(names...).Block(jen.Return(jen.True()))),
		jen.Return(jen.False()),
	)
}

func descriptionStructs(m *model.Description) File {
	const table = "server/description.yaml"
	f := newFile(descriptionDir, table)
	addDoc(f, "Server is a client's view of a server, from its last check. It is never changed after publication.")
	printDescriptionStruct(f, "Server", m.Server)
	f.Line()
	addDoc(f, "Equal reports whether two descriptions of a server say the same, by the fields that server description equality compares.")
	f.Comment("//")
	addDoc(f, "Specification: SDAM, \"Server Description Equality\".")
	printDescriptionEqual(f, "s", "Server", m.Server)
	f.Line()
	addDoc(f, "Topology is a client's view of the whole deployment. It is never changed after publication.")
	printDescriptionStruct(f, "Topology", m.Topology)
	f.Line()
	addDoc(f, "Equal reports whether two descriptions of a topology say the same.")
	printDescriptionEqual(f, "t", "Topology", m.Topology)
	printDescriptionLookup(f)
	printDescriptionVersion(f, m.Version)
	f.ImportName("maps", "maps")
	return File{Path: descriptionDir + "/description.go", Table: table, Content: f}
}

// printDescriptionEqual prints
//
//	func (s *Server) Equal(o *Server) bool {
//		if s == nil || o == nil {
//			return s == o
//		}
//		return s.Type == o.Type &&
//			emitted.SameValue(s.SetVersion, o.SetVersion)
//	}
func printDescriptionEqual(f *jen.File, recv, name string, fields []model.DescriptionField) {
	expr := jen.Null()
	first := true
	for _, field := range fields {
		if !field.Equal {
			continue
		}
		if !first {
			expr.Op("&&").Line()
		}
		first = false
		a, b := jen.Id(recv).Dot(field.Name), jen.Id("o").Dot(field.Name)
		switch field.Type {
		case "error":
			expr.Qual(emittedPkg, "SameError").Call(a, b)
		case "time":
			expr.Add(a).Dot("Equal").Call(b)
		case "document":
			expr.Qual("bytes", "Equal").Call(a, b)
		case "addresses":
			expr.Qual(emittedPkg, "SameSet").Call(a, b)
		case "tags":
			expr.Qual("maps", "Equal").Call(a, b)
		case "servers":
			expr.Qual("slices", "EqualFunc").Call(a, b, jen.Func().Params(jen.Id("a"), jen.Id("b").Id("Server")).Bool().Block(
				jen.Return(jen.Id("a").Dot("Address").Op("==").Id("b").Dot("Address").Op("&&").
					Id("a").Dot("Equal").Call(jen.Op("&").Id("b")))))
		case "*int64", "*objectID", "*topologyVersion":
			expr.Qual(emittedPkg, "SameValue").Call(a, b)
		default:
			expr.Add(a).Op("==").Add(b)
		}
	}
	f.Func().Params(jen.Id(recv).Op("*").Id(name)).Id("Equal").Params(jen.Id("o").Op("*").Id(name)).Bool().Block(
		jen.If(jen.Id(recv).Op("==").Nil().Op("||").Id("o").Op("==").Nil()).Block(jen.Return(jen.Id(recv).Op("==").Id("o"))),
		jen.Return(expr),
	)
}
