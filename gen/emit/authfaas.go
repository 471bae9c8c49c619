package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

// authFaaS prints the function-as-a-service environments and the code that recognises them.
func authFaaS(m *model.Auth) File {
	const table = "auth/faas.yaml"
	f := newFile(authDir, table)
	addDoc(f, "Names of environments that run functions as a service.")
	var members []member
	for _, r := range m.FaaS {
		members = append(members, member{Name: r.Go, Doc: r.Doc, Value: jen.Lit(r.Name)})
	}
	printConstants(f, "", members)
	printFaasName(f, m)
	printDetectFaaS(f, m)
	return File{Path: authDir + "/faas.go", Table: table, Content: f}
}

// printFaasName prints
//
//	func faasName(getenv func(string) string) string {
//		var names []string
//		if getenv("VERCEL") != "" {
//			names = append(names, FaaSVercel)
//		}
//		...
//	}
func printFaasName(f *jen.File, m *model.Auth) {
	f.Line()
	addDoc(f, "faasName is the one environment whose variables are set. Of two, only one that is preferred to the other counts.")
	f.Func().Id("faasName").Params(jen.Id("getenv").Func().Params(jen.String()).String()).String().BlockFunc(func(g *jen.Group) {
		g.Var().Id("names").Index().String()
		for _, r := range m.FaaS {
			condition := jen.Null()
			for i, v := range r.Variables {
				if i > 0 {
					condition.Op("||")
				}
				value := jen.Id("getenv").Call(jen.Lit(v))
				if prefix, ok := r.Prefixes.Get(v); ok {
					condition.Qual("strings", "HasPrefix").Call(value, jen.Lit(prefix))
				} else {
					condition.Add(value).Op("!=").Lit("")
				}
			}
			g.If(condition).Block(jen.Id("names").Op("=").Append(jen.Id("names"), jen.Id(r.Go)))
		}
		for _, r := range m.FaaS {
			if r.OverName != "" {
				g.If(jen.Qual("slices", "Contains").Call(jen.Id("names"), jen.Id(r.Go))).Block(
					jen.Id("names").Op("=").Qual("slices", "DeleteFunc").Call(jen.Id("names"), jen.Func().
						Params(jen.Id("name").String()).Bool().Block(
						jen.Return(jen.Id("name").Op("==").Id(r.OverName)),
					)),
				)
			}
		}
		g.If(jen.Len(jen.Id("names")).Op("!=").Lit(1)).Block(jen.Return(jen.Lit("")))
		g.Return(jen.Id("names").Index(jen.Lit(0)))
	})
}

// printDetectFaaS prints
//
//	func DetectFaaS(getenv func(string) string) FaaS {
//		switch name := faasName(getenv); name {
//		case FaaSVercel:
//			return FaaS{Name: name, Region: getenv("VERCEL_REGION")}
//		default:
//			return FaaS{Name: name}
//		}
//	}
func printDetectFaaS(f *jen.File, m *model.Auth) {
	f.Line()
	addDoc(f, "DetectFaaS recognises the environment by its variables.")
	addCitation(f, `mongodb-handshake/handshake.md, "FaaS"`)
	f.Func().Id("DetectFaaS").Params(jen.Id("getenv").Func().Params(jen.String()).String()).Id("FaaS").Block(
		jen.Switch(jen.Id("name").Op(":=").Id("faasName").Call(jen.Id("getenv")), jen.Id("name")).BlockFunc(func(g *jen.Group) {
			for _, r := range m.FaaS {
				if len(r.Fields) == 0 {
					continue
				}
				g.Case(jen.Id(r.Go)).Block(jen.Return(jen.Id("FaaS").ValuesFunc(func(g *jen.Group) {
					g.Id("Name").Op(":").Id("name")
					for _, field := range r.Fields {
						value := jen.Id("getenv").Call(jen.Lit(field.Variable))
						if field.Type == "int32" {
							value = jen.Qual(emittedPkg, "ParseInt32").Call(value)
						}
						g.Id(faasFieldName(field.Field)).Op(":").Add(value)
					}
				})))
			}
			g.Default().Block(jen.Return(jen.Id("FaaS").Values(jen.Id("Name").Op(":").Id("name"))))
		}),
	)
}

func faasFieldName(field string) string {
	switch field {
	case "memory_mb":
		return "MemoryMB"
	case "timeout_sec":
		return "TimeoutSec"
	}
	return "Region"
}
