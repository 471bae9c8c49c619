package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/model"
)

const kmsDir = "generated/core/kmstable"

// KMS prints the providers of key management services.
//
//	const (
//		FieldKey = "key"
//	)
//
//	// ByName finds a provider.
//	func ByName(name string) (Provider, bool) {
//		switch name {
//		// A master key that the program itself holds.
//		case "local":
//			return Provider{Name: "local", Settings: []Field{{Name: "key", Type: Bytes, Size: 96}}}, true
//		}
//		return Provider{}, false
//	}
func KMS(m *model.KMS) []File {
	const table = "encryption/kms.yaml"
	f := newFile(kmsDir, table)
	addDoc(f, "The names of settings and of the parts of master keys.")
	var members []member
	for _, x := range m.Fields {
		members = append(members, member{Name: x.Name, Value: jen.Lit(x.Text)})
	}
	printConstants(f, "", members)
	f.Line()
	addDoc(f, "ByName finds a provider.")
	f.Func().Id("ByName").Params(jen.Id("name").String()).Params(jen.Id("Provider"), jen.Bool()).Block(
		jen.Switch(jen.Id("name")).BlockFunc(func(g *jen.Group) {
			for _, p := range m.Providers {
				addDocIn(g, p.Doc)
				g.Case(jen.Lit(p.Name)).Block(jen.Return(jen.Id("Provider").Values(kmsProvider(p)), jen.True()))
			}
		}),
		jen.Return(jen.Id("Provider").Values(), jen.False()),
	)
	return []File{{Path: kmsDir + "/provider.go", Table: table, Content: f}}
}

func kmsProvider(p load.KMSProvider) jen.Dict {
	d := jen.Dict{jen.Id("Name"): jen.Lit(p.Name), jen.Id("Settings"): kmsFields(p.Settings)}
	for name, set := range map[string]bool{"OnDemand": p.OnDemand, "Token": p.Token, "AnyHost": p.AnyHost} {
		if set {
			d[jen.Id(name)] = jen.True()
		}
	}
	if p.MasterKey != nil {
		d[jen.Id("MasterKey")] = kmsFields(p.MasterKey)
	}
	if p.Port != 0 {
		d[jen.Id("Port")] = jen.Lit(p.Port)
	}
	if p.Retry != nil {
		d[jen.Id("Retry")] = jen.Index().Int().ValuesFunc(func(g *jen.Group) {
			for _, status := range p.Retry {
				g.Lit(status)
			}
		})
	}
	if p.RetryFrom != 0 {
		d[jen.Id("RetryFrom")] = jen.Lit(p.RetryFrom)
	}
	return d
}

func kmsFields(fields []load.KMSField) *jen.Statement {
	return jen.Index().Id("Field").ValuesFunc(func(g *jen.Group) {
		for _, f := range fields {
			d := jen.Dict{jen.Id("Name"): jen.Lit(f.Name)}
			if f.Type != "text" {
				d[jen.Id("Type")] = jen.Id(strings.ToUpper(f.Type[:1]) + f.Type[1:])
			}
			if f.Optional {
				d[jen.Id("Optional")] = jen.True()
			}
			if f.Size != 0 {
				d[jen.Id("Size")] = jen.Lit(f.Size)
			}
			g.Values(d)
		}
	})
}
