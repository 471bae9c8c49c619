package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

// authRegionTest prints
//
//	func TestRegion(t *testing.T) {
//		for _, test := range []struct{ name, host, region string }{
//			{"one label", "localhost", "us-east-1"},
//		} {
//			...
//		}
//	}
func authRegionTest(m *model.Auth) File {
	const table = "auth/regions.yaml"
	f := newFile(authDir, table)
	f.ImportName("testing", "testing")
	f.Func().Id("TestRegion").Params(jen.Id("t").Op("*").Qual("testing", "T")).Block(
		jen.For(jen.List(jen.Id("_"), jen.Id("test")).Op(":=").Range().Index().
			Struct(jen.List(jen.Id("name"), jen.Id("host"), jen.Id("region")).String()).Add(
			rowsOf(func(g *jen.Group) {
				for _, r := range m.Regions {
					host := jen.Lit(r.Host)
					if r.Times > 0 {
						host = jen.Qual("strings", "Repeat").Call(jen.Lit(r.Host), jen.Lit(r.Times))
					}
					g.Values(jen.Lit(r.Name), host, jen.Lit(r.Region))
				}
			}),
		)).Block(
			jen.Id("t").Dot("Run").Call(jen.Id("test").Dot("name"), jen.Func().Params(jen.Id("t").Op("*").Qual("testing", "T")).Block(
				jen.List(jen.Id("region"), jen.Err()).Op(":=").Id("Region").Call(jen.Id("test").Dot("host")),
				jen.If(jen.Id("region").Op("!=").Id("test").Dot("region").Op("||").Parens(jen.Err().Op("!=").Nil()).Op("!=").
					Parens(jen.Id("test").Dot("region").Op("==").Lit(""))).Block(
					jen.Id("t").Dot("Errorf").Call(jen.Lit("Region(%q) = %q, %v, want %q"), jen.Id("test").Dot("host"),
						jen.Id("region"), jen.Err(), jen.Id("test").Dot("region")),
				),
			)),
		),
	)
	return File{Path: authDir + "/region_test.go", Table: table, Content: f}
}

// authCredentialTest prints
//
//	func TestValidate(t *testing.T) {
//		for _, test := range []struct {
//			name   string
//			facts  uri.CredentialFacts
//			source string
//			err    string
//		}{
//			{"empty user", uri.CredentialFacts{Username: new("")}, "", "auth: a user name is needed"},
//		} {
//			...
//		}
//	}
func authCredentialTest(m *model.Auth) File {
	const table = "auth/credentials.yaml"
	f := newExternalTest(authDir, table)
	facts := func() *jen.Statement { return jen.Qual(pkg("runtime/uri"), "CredentialFacts") }
	f.ImportName("testing", "testing")
	test := func(name string) *jen.Statement { return jen.Id("test").Dot(name) }
	f.Func().Id("TestValidate").Params(jen.Id("t").Op("*").Qual("testing", "T")).Block(
		jen.For(jen.List(jen.Id("_"), jen.Id("test")).Op(":=").Range().Index().Struct(
			jen.Id("name").String(),
			jen.Id("facts").Add(facts()),
			jen.List(jen.Id("source"), jen.Id("err")).String(),
		).Add(rowsOf(func(g *jen.Group) {
			for _, r := range m.Credentials {
				g.Values(jen.Lit(r.Name), facts().ValuesFunc(func(v *jen.Group) {
					text := func(name, value string) {
						if value != "" {
							v.Id(name).Op(":").Lit(value)
						}
					}
					pointer := func(name string, value *string) {
						if value != nil {
							v.Id(name).Op(":").New(jen.Lit(*value))
						}
					}
					text("Mechanism", r.Mechanism)
					pointer("Username", r.Username)
					if r.Password != nil {
						v.Id("Proof").Op(":").True()
					}
					pointer("Source", r.AuthSource)
					text("Database", r.Database)
					if len(r.Properties) > 0 {
						v.Id("Properties").Op(":").Map(jen.String()).String().ValuesFunc(func(p *jen.Group) {
							for _, e := range r.Properties {
								p.Lit(e.Key).Op(":").Lit(e.Value)
							}
						})
					}
					if r.Values != nil {
						v.Id("Values").Op(":").Index().String().Values(stringLits(r.Values)...)
					}
				}), jen.Lit(r.Source), jen.Lit(r.Error))
			}
		}))).Block(
			jen.Id("t").Dot("Run").Call(test("name"), jen.Func().Params(jen.Id("t").Op("*").Qual("testing", "T")).Block(
				jen.Id("source").Op(",").Id("text").Op(":=").Lit("none").Op(",").Lit(""),
				jen.If(jen.Err().Op(":=").Add(test("facts")).Dot("Validate").Call(), jen.Err().Op("!=").Nil()).Block(
					jen.Id("source").Op(",").Id("text").Op("=").Lit("").Op(",").Err().Dot("Error").Call(),
				).Else().If(test("facts").Dot("AskForAuthentication").Call()).Block(
					jen.Id("source").Op("=").Add(test("facts")).Dot("ResolvedSource").Call(),
				),
				jen.If(jen.Id("source").Op("!=").Add(test("source")).Op("||").Id("text").Op("!=").Add(test("err"))).Block(
					jen.Id("t").Dot("Errorf").Call(jen.Lit("source %q, error %q, want %q, %q"), jen.Id("source"), jen.Id("text"),
						test("source"), test("err")),
				),
			)),
		),
	)
	return File{Path: authDir + "/facts_test.go", Table: table, Content: f}
}
