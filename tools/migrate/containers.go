package main

import (
	"go/ast"
	"go/constant"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// With -mongotest, tests that start MongoDB in a container start mongotest in its place: no daemon, no image, and a
// deployment in a millisecond.

const (
	containersModule = "github.com/testcontainers/testcontainers-go"
	containersMongo  = containersModule + "/modules/mongodb"
)

// containerCall rewrites one call of testcontainers. It reports whether the call was one of them.
func (f *file) containerCall(n *ast.CallExpr, s *ast.SelectorExpr) bool {
	o, ok := f.objectOf(s.Sel).(*types.Func)
	if !ok || o.Pkg() == nil || !f.mongotest {
		return false
	}
	switch o.Pkg().Path() + "." + o.Name() {
	case containersMongo + ".Run", containersMongo + ".RunContainer":
		f.replace(n, f.qualified("mongotest.New")+"("+strings.Join(f.containerOptions(n.Args[1:]), ", ")+")")
	case containersMongo + ".ConnectionString":
		f.replace(n, f.text(s.X)+".URI(), error(nil)")
	case containersModule + ".Terminate":
		if !f.isContainer(s.X) {
			return false
		}
		f.terminated(n, f.text(s.X))
	case containersModule + ".TerminateContainer":
		if !f.isContainer(n.Args[0]) {
			return false
		}
		f.terminated(n, f.text(n.Args[0]))
	case containersModule + ".CleanupContainer":
		if !f.isContainer(n.Args[1]) {
			return false
		}
		f.cleanup(n)
	default:
		return false
	}
	return true
}

// cleanup rewrites CleanupContainer(t, container), which comes before the error of Run is looked at.
func (f *file) cleanup(n *ast.CallExpr) {
	name := f.text(n.Args[1])
	f.replace(n, f.text(n.Args[0])+".Cleanup(func() {\nif "+name+" != nil {\n"+name+".Close()\n}\n})")
}

func (f *file) isContainer(e ast.Expr) bool {
	named := namedOf(f.typeOf(e))
	return named != nil && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == containersMongo
}

// terminated closes the deployment, in place of a call that returns an error.
func (f *file) terminated(n *ast.CallExpr, name string) {
	switch f.parents[n].(type) {
	case *ast.ExprStmt, *ast.DeferStmt:
		f.replace(n, name+".Close()")
	default:
		f.replace(n, "func() error { "+name+".Close(); return nil }()")
	}
}

var imageVersion = regexp.MustCompile(`:(\d+)(\.\d+)?`)

// containerOptions turns the image and the options of a container into the options of a deployment.
func (f *file) containerOptions(args []ast.Expr) []string {
	var out []string
	var user, password string
	for _, a := range args {
		if v := f.pkg.TypesInfo.Types[a].Value; v != nil && v.Kind() == constant.String {
			if m := imageVersion.FindStringSubmatch(constant.StringVal(v)); m != nil {
				minor := m[2]
				if minor == "" {
					minor = ".0"
				}
				out = append(out, f.qualified("mongotest.Version")+`("`+m[1]+minor+`")`)
			}
			continue
		}
		call, ok := a.(*ast.CallExpr)
		if !ok {
			f.report(a, "mongotest has no option for %s", f.text(a))
			continue
		}
		s, _ := call.Fun.(*ast.SelectorExpr)
		switch {
		case s != nil && s.Sel.Name == "WithUsername":
			user = f.text(call.Args[0])
		case s != nil && s.Sel.Name == "WithPassword":
			password = f.text(call.Args[0])
		case s != nil && s.Sel.Name == "WithReplicaSet":
			out = append(out, f.qualified("mongotest.ReplicaSet")+"(1)", f.qualified("mongotest.SetName")+"("+f.text(call.Args[0])+")")
		default:
			f.report(a, "mongotest has no option for %s", f.text(a))
		}
	}
	if user != "" {
		out = append(out, f.qualified("mongotest.Auth")+"("+user+", "+password+")")
	}
	return out
}

// containerType rewrites the type of a container.
func (f *file) containerType(n *ast.SelectorExpr) {
	if !f.mongotest {
		return
	}
	if o, ok := f.objectOf(n.Sel).(*types.TypeName); ok && o.Pkg() != nil && o.Pkg().Path() == containersMongo &&
		slices.Contains([]string{"MongoDBContainer", "Container"}, o.Name()) {
		f.replace(n, f.qualified("mongotest.Deployment"))
	}
}
