package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

const wireDir = "generated/core/wire"

// Wire prints package core/wire.
func Wire(m *model.Wire) []File {
	return []File{wireProtocol(m), wireCompression(m), wireVersions(m)}
}

func wireProtocol(m *model.Wire) File {
	const table = "wire/protocol.yaml"
	f := newFile(wireDir, table)
	addDoc(f, "OpCode is the kind of a message.")
	f.Type().Id("OpCode").Int32().Line()
	printConstants(f, "OpCode", numberMembers(m.Opcodes))
	f.Line()
	printWireFlags(f, m)
	f.Line()
	addDoc(f, "Kinds of sections.")
	printConstants(f, "", numberMembers(m.Sections))
	f.Line()
	addDoc(f, "Sizes and counts.")
	printConstants(f, "", numberMembers(m.Limits))
	printWireSequences(f, m)
	return File{Path: wireDir + "/protocol.go", Table: table, Content: f}
}

func numberMembers(constants []model.Constant) []member {
	var out []member
	for _, c := range constants {
		out = append(out, member{Name: c.Name, Doc: c.Doc, Value: jen.Lit(c.Value)})
	}
	return out
}

// printWireFlags prints
//
//	type MsgFlag uint32
//
//	const (
//		// ChecksumPresent says ...
//		ChecksumPresent MsgFlag = 1 << 0
//	)
//
//	func (f MsgFlag) Unknown() MsgFlag { return f & 0xFFFF &^ (ChecksumPresent | MoreToCome) }
func printWireFlags(f *jen.File, m *model.Wire) {
	addDoc(f, "MsgFlag is the set of flags of an OP_MSG.")
	f.Type().Id("MsgFlag").Uint32().Line()
	var flags []member
	required := jen.Null()
	count := 0
	for _, flag := range m.Flags {
		flags = append(flags, member{Name: flag.Name, Doc: flag.Doc, Value: jen.Lit(1).Op("<<").Lit(flag.Bit)})
		if !flag.Required {
			continue
		}
		if count > 0 {
			required.Op("|")
		}
		required.Id(flag.Name)
		count++
	}
	printConstants(f, "MsgFlag", flags)
	f.Line()
	addDoc(f, "Unknown returns the required flags, bits 0 to 15, that have no meaning: a reader must fail on them.")
	f.Func().Params(jen.Id("f").Id("MsgFlag")).Id("Unknown").Params().Id("MsgFlag").Block(
		jen.Return(jen.Id("f").Op("&").Id("0xFFFF").Op("&^").Parens(required)),
	)
}

// printWireSequences prints SequenceIdentifier and CompanionIdentifier, switches over commands.
//
//	func SequenceIdentifier(command string) string {
//		switch command {
//		case "insert":
//			return "documents"
//		}
//		return ""
//	}
func printWireSequences(f *jen.File, m *model.Wire) {
	f.Line()
	addDoc(f, "SequenceIdentifier returns the argument of a command that is sent as a section of kind 1 and split into "+
		"batches, \"\" when the command has none.")
	f.Func().Id("SequenceIdentifier").Params(jen.Id("command").String()).String().Block(
		jen.Switch(jen.Id("command")).BlockFunc(func(g *jen.Group) {
			for _, s := range m.Sequences {
				g.Case(jen.Lit(s.Command)).Block(jen.Return(jen.Lit(s.Arguments[0])))
			}
		}),
		jen.Return(jen.Lit("")),
	)
	f.Line()
	addDoc(f, "CompanionIdentifier returns the argument of a command that goes with the batches of its other one "+
		"as a section of kind 1, \"\" when the command has none.")
	f.Func().Id("CompanionIdentifier").Params(jen.Id("command").String()).String().Block(
		jen.Switch(jen.Id("command")).BlockFunc(func(g *jen.Group) {
			for _, s := range m.Sequences {
				if len(s.Arguments) > 1 {
					g.Case(jen.Lit(s.Command)).Block(jen.Return(jen.Lit(s.Arguments[1])))
				}
			}
		}),
		jen.Return(jen.Lit("")),
	)
}

func wireCompression(m *model.Wire) File {
	const table = "wire/compression.yaml"
	f := newFile(wireDir, table)
	addDoc(f, "CompressorID is the number of a compressor in OP_COMPRESSED.")
	f.Type().Id("CompressorID").Uint8().Line()
	var ids []member
	for _, c := range m.Compressors {
		ids = append(ids, member{Name: "Compressor" + c.Name, Doc: c.Doc, Value: jen.Lit(c.ID), Text: c.Text})
	}
	printConstants(f, "CompressorID", ids)
	printStringer(f, "c", "CompressorID", "String returns the name that the handshake uses.", ids)
	printParser(f, "CompressorByName", "CompressorID", "CompressorByName returns the compressor with a name of the handshake.", ids)
	f.Line()
	addDoc(f, "Levels of zlib.")
	printConstants(f, "", numberMembers(m.Levels))
	f.Line()
	addDoc(f, "Uncompressible reports whether a command is never compressed, because it carries secrets or opens a connection.")
	f.Func().Id("Uncompressible").Params(jen.Id("command").String()).Bool().Block(
		jen.Switch(jen.Id("command")).Block(jen.Case(caseLines(m.Uncompressible)).Block(jen.Return(jen.True()))),
		jen.Return(jen.False()),
	)
	return File{Path: wireDir + "/compression.go", Table: table, Content: f}
}

// caseLines returns a case list with one string per line.
func caseLines(texts []string) *jen.Statement {
	s := jen.Null()
	for i, text := range texts {
		if i > 0 {
			s.Op(",").Line()
		}
		s.Lit(text)
	}
	return s
}

// serverName returns the name of the constant of a release's wire version.
func serverName(v model.WireVersion) string { return "Server" + strings.ReplaceAll(v.Server, ".", "") }

func wireVersions(m *model.Wire) File {
	const table = "wire/versions.yaml"
	f := newFile(wireDir, table)
	addDoc(f, "The range of wire versions that the driver speaks, and the oldest server release in it.")
	printConstants(f, "", []member{
		{Name: "MinSupportedWireVersion", Doc: "MinSupportedWireVersion is that of MongoDB " + m.Minimum.Server + ".",
			Value: jen.Lit(int(m.Minimum.Wire))},
		{Name: "MaxSupportedWireVersion", Doc: "MaxSupportedWireVersion is that of MongoDB " + m.Maximum.Server + ".",
			Value: jen.Lit(int(m.Maximum.Wire))},
		{Name: "MinSupportedVersion", Doc: "MinSupportedVersion is the oldest release supported.", Value: jen.Lit(m.Minimum.Server)},
	})
	printWireReleases(f, m)
	printWireVersionMaps(f, m)
	printWireFeatures(f, m)
	return File{Path: wireDir + "/version.go", Table: table, Content: f}
}

// printWireReleases prints
//
//	const (
//		// Server80 is the wire version of MongoDB 8.0.
//		Server80 int32 = 25
//	)
func printWireReleases(f *jen.File, m *model.Wire) {
	var releases []member
	for _, v := range m.Versions {
		name := serverName(v)
		releases = append(releases, member{Name: name, Doc: name + " is the wire version of MongoDB " + v.Server + ".",
			Value: jen.Lit(int(v.Wire))})
	}
	f.Line()
	addDoc(f, "The wire version of each server release that has one of its own.")
	printConstants(f, "int32", releases)
}

// printWireVersionMaps prints VersionFor and WireVersionOf, switches in both directions.
//
//	func VersionFor(wireVersion int32) string {
//		switch wireVersion {
//		case Server80:
//			return "8.0"
//		}
//		return ""
//	}
func printWireVersionMaps(f *jen.File, m *model.Wire) {
	f.Line()
	addDoc(f, "VersionFor returns the server release with a wire version, \"\" when there is none.")
	f.Func().Id("VersionFor").Params(jen.Id("wireVersion").Int32()).String().Block(
		jen.Switch(jen.Id("wireVersion")).BlockFunc(func(g *jen.Group) {
			for _, v := range m.Versions {
				g.Case(jen.Id(serverName(v))).Block(jen.Return(jen.Lit(v.Server)))
			}
		}),
		jen.Return(jen.Lit("")),
	)
	f.Line()
	addDoc(f, "WireVersionOf returns the wire version of a server release, as in \"8.0\".")
	f.Func().Id("WireVersionOf").Params(jen.Id("release").String()).Params(jen.Int32(), jen.Bool()).Block(
		jen.Switch(jen.Id("release")).BlockFunc(func(g *jen.Group) {
			for _, v := range m.Versions {
				g.Case(jen.Lit(v.Server)).Block(jen.Return(jen.Id(serverName(v)), jen.True()))
			}
		}),
		jen.Return(jen.Lit(0), jen.False()),
	)
}

// printWireFeatures prints
//
//	type Feature int32
//
//	const (
//		// BulkWrite is ... Since MongoDB 8.0.
//		BulkWrite Feature = 25
//	)
//
//	func (f Feature) In(wireVersion int32) bool { return wireVersion >= int32(f) }
func printWireFeatures(f *jen.File, m *model.Wire) {
	f.Line()
	addDoc(f, "Feature is something that servers have since a release; its number is the first wire version.")
	f.Type().Id("Feature").Int32().Line()
	var features []member
	for _, x := range m.Features {
		features = append(features, member{Name: x.Name, Doc: x.Doc + " Since MongoDB " + x.Since.Server + ".",
			Value: jen.Lit(int(x.Since.Wire))})
	}
	printConstants(f, "Feature", features)
	addSource(f, "// In reports whether a server with the wire version has the feature.\n"+
		"func (f Feature) In(wireVersion int32) bool { return wireVersion >= int32(f) }")
}
