package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

const authDir = "generated/core/authtable"

// authRegion prints
//
//	func Region(host string) (string, error) {
//		labels := strings.Split(host, ".")
//		switch {
//		case host == "":
//			return "", errors.New("there is no host")
//		case len(labels) == 1:
//			return AWSDefaultRegion, nil
//		}
//		return labels[1], nil
//	}
func authRegion(m *model.Auth) File {
	const table = "auth/regions.yaml"
	f := newFile(authDir, table)
	conditions := map[string]string{
		"empty": `host == ""`, "long": "len(host) > AWSMaxHostLength", "emptyLabel": `slices.Contains(labels, "")`,
		"oneLabel": "len(labels) == 1", "global": "host == AWSDefaultHost",
	}
	regions := map[string]string{"default": "AWSDefaultRegion", "second": "labels[1]"}
	addDoc(f, "Region returns the region of the host of a security token service.")
	addCitation(f, `auth/auth.md, "Region Calculation"`)
	f.Func().Id("Region").Params(jen.Id("host").String()).Params(jen.String(), jen.Error()).BlockFunc(func(g *jen.Group) {
		g.Id("labels").Op(":=").Qual("strings", "Split").Call(jen.Id("host"), jen.Lit("."))
		last := jen.Null()
		g.Switch().BlockFunc(func(g *jen.Group) {
			for _, r := range m.RegionRules {
				result := jen.Return(jen.Lit(""), jen.Qual("errors", "New").Call(jen.Lit(r.Error)))
				if r.Region != "" {
					result = jen.Return(jen.Id(regions[r.Region]), jen.Nil())
				}
				if r.When == "any" {
					last = result
				} else {
					g.Case(sourceOf(conditions[r.When])).Block(result)
				}
			}
		})
		g.Add(last)
	})
	return File{Path: authDir + "/region.go", Table: table, Content: f}
}
