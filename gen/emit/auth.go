package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

// Auth prints the rules of each table of package auth, and the tests whose cases are rows.
func Auth(m *model.Auth) []File {
	return []File{
		authMechanisms(m), authProperties(m), authEnvironments(m), authCommands(m), authFaaS(m),
		authRegion(m), authRegionTest(m), authCredentialTest(m),
	}
}

// authMechanisms prints
//
//	func RulesFor(mechanism Mechanism) (Rules, bool) {
//		switch mechanism {
//		case X509:
//			return Rules{Mechanism: X509, Password: Forbidden, ...}, true
//		}
//		return Rules{}, false
//	}
func authMechanisms(m *model.Auth) File {
	const table = "auth/mechanisms.yaml"
	f := newFile(authDir, table)
	addDoc(f, "Mechanism is the name of an authentication mechanism.")
	f.Type().Id("Mechanism").String().Line()
	var members []member
	for _, r := range m.Mechanisms {
		members = append(members, member{Name: r.Go, Doc: r.Doc, Value: jen.Lit(r.Mechanism)})
	}
	printConstants(f, "Mechanism", members)
	f.Line()
	addDoc(f, "RulesFor returns what a credential for a mechanism must look like.")
	f.Func().Id("RulesFor").Params(jen.Id("mechanism").Id("Mechanism")).Params(jen.Id("Rules"), jen.Bool()).Block(
		jen.Switch(jen.Id("mechanism")).BlockFunc(func(g *jen.Group) {
			for _, r := range m.Mechanisms {
				g.Case(jen.Id(r.Go)).Block(jen.Return(jen.Id("Rules").Add(authRules(r)), jen.True()))
			}
		}),
		jen.Return(jen.Id("Rules").Values(), jen.False()),
	)
	return File{Path: authDir + "/mechanism.go", Table: table, Content: f}
}

func authRules(r model.AuthMechanism) *jen.Statement {
	return rowsOf(func(g *jen.Group) {
		g.Id("Mechanism").Op(":").Id(r.Go)
		g.Id("Username").Op(":").Add(authNeed(r.Username))
		g.Id("Password").Op(":").Add(authNeed(r.Password))
		g.Id("External").Op(":").Lit(r.Source == "external")
		g.Id("Fallback").Op(":").Lit(r.Fallback)
		if r.SpeculativeName != "" {
			g.Id("Speculative").Op(":").Id(r.SpeculativeName)
		}
	})
}

func authNeed(word string) *jen.Statement {
	switch word {
	case "required":
		return jen.Id("Required")
	case "forbidden":
		return jen.Id("Forbidden")
	}
	return jen.Id("Optional")
}

// authProperties prints the names, and
//
//	func PropertyRulesFor(name string) (PropertyRules, bool) {
//		switch strings.ToUpper(name) {
//		case ServiceName:
//			return PropertyRules{Name: ServiceName, ...}, true
//		}
//		return PropertyRules{}, false
//	}
func authProperties(m *model.Auth) File {
	const table = "auth/properties.yaml"
	f := newFile(authDir, table)
	addDoc(f, "Names of mechanism properties.")
	var members []member
	for _, p := range m.Properties {
		members = append(members, member{Name: p.Go, Doc: p.Doc, Value: jen.Lit(p.Property)})
	}
	printConstants(f, "", members)
	f.Line()
	addDoc(f, "PropertyRulesFor returns what is known about a property, in any letter case.")
	f.Func().Id("PropertyRulesFor").Params(jen.Id("name").String()).Params(jen.Id("PropertyRules"), jen.Bool()).Block(
		jen.Switch(jen.Qual("strings", "ToUpper").Call(jen.Id("name"))).BlockFunc(func(g *jen.Group) {
			for _, p := range m.Properties {
				g.Case(jen.Id(p.Go)).Block(jen.Return(jen.Id("PropertyRules").Add(authPropertyRules(p)), jen.True()))
			}
		}),
		jen.Return(jen.Id("PropertyRules").Values(), jen.False()),
	)
	for _, p := range m.Properties {
		if p.Hosts != nil {
			f.Line()
			addDoc(f, "Default"+p.Go+" is the default of "+p.Property+".")
			f.Func().Id("Default" + p.Go).Params().Index().String().Block(
				jen.Return(jen.Index().String().Values(stringLits(p.Hosts)...)),
			)
		}
	}
	return File{Path: authDir + "/property.go", Table: table, Content: f}
}

func authPropertyRules(p model.AuthProperty) *jen.Statement {
	return rowsOf(func(g *jen.Group) {
		g.Id("Name").Op(":").Id(p.Go)
		g.Id("Mechanisms").Op(":").Index().Id("Mechanism").ValuesFunc(func(v *jen.Group) {
			for _, name := range p.MechanismNames {
				v.Id(name)
			}
		})
		g.Id("Text").Op(":").Lit(p.Type == "string")
		if p.Values != nil {
			g.Id("Values").Op(":").Index().String().Values(stringLits(p.Values)...)
		}
		if p.Default != "" {
			g.Id("Default").Op(":").Lit(p.Default)
		}
	})
}

// authEnvironments prints
//
//	func EnvironmentRulesFor(name string) (EnvironmentRules, bool) {
//		switch name {
//		case EnvironmentK8s:
//			return EnvironmentRules{Username: Optional, ...}, true
//		}
//		return EnvironmentRules{}, false
//	}
func authEnvironments(m *model.Auth) File {
	const table = "auth/environments.yaml"
	f := newFile(authDir, table)
	addDoc(f, "Values of the property ENVIRONMENT.")
	var members []member
	for _, e := range m.Environments {
		members = append(members, member{Name: e.Go, Doc: e.Doc, Value: jen.Lit(e.Environment)})
	}
	printConstants(f, "", members)
	f.Line()
	addDoc(f, "EnvironmentRulesFor returns where the access tokens of an environment come from.")
	f.Func().Id("EnvironmentRulesFor").Params(jen.Id("name").String()).Params(jen.Id("EnvironmentRules"), jen.Bool()).Block(
		jen.Switch(jen.Id("name")).BlockFunc(func(g *jen.Group) {
			for _, e := range m.Environments {
				g.Case(jen.Id(e.Go)).Block(jen.Return(jen.Id("EnvironmentRules").Add(authEnvironmentRules(e)), jen.True()))
			}
		}),
		jen.Return(jen.Id("EnvironmentRules").Values(), jen.False()),
	)
	return File{Path: authDir + "/environment.go", Table: table, Content: f}
}

func authEnvironmentRules(e model.AuthEnvironment) *jen.Statement {
	return rowsOf(func(g *jen.Group) {
		g.Id("Username").Op(":").Add(authNeed(e.Username))
		g.Id("Resource").Op(":").Add(authNeed(e.Resource))
		text := func(name, value string) {
			if value != "" {
				g.Id(name).Op(":").Lit(value)
			}
		}
		text("URL", e.URL)
		text("AudienceParameter", e.Audience)
		text("ClientParameter", e.Client)
		if len(e.Headers) > 0 {
			g.Id("Headers").Op(":").Index().Id("Header").ValuesFunc(func(v *jen.Group) {
				for _, h := range e.Headers {
					v.Values(jen.Id("Name").Op(":").Lit(h.Key), jen.Id("Value").Op(":").Lit(h.Value))
				}
			})
		}
		text("TokenField", e.Field)
		if e.Files != nil {
			g.Id("FileVariables").Op(":").Index().String().Values(stringLits(e.Files)...)
		}
		text("DefaultFile", e.Path)
	})
}
