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

// rewriteContainerCall rewrites one call of testcontainers. It reports whether the call was one of them.
func (f *file) rewriteContainerCall(n *ast.CallExpr, s *ast.SelectorExpr) bool {
	o, ok := f.objectOf(s.Sel).(*types.Func)
	if !ok || o.Pkg() == nil || !f.mongotest {
		return false
	}
	switch o.Pkg().Path() + "." + o.Name() {
	case containersMongo + ".Run", containersMongo + ".RunContainer":
		f.rewriteRunContainer(n)
	case containersMongo + ".WithReplicaSet", containersMongo + ".WithUsername", containersMongo + ".WithPassword":
		return true // the list or the call around it takes the option
	case containersMongo + ".ConnectionString":
		f.replaceInfallible(n, f.text(s.X)+".URI()")
	case containersModule + ".Terminate":
		if !f.isContainer(s.X) {
			return false
		}
		f.rewriteTerminate(n, f.text(s.X))
	case containersModule + ".TerminateContainer":
		if !f.isContainer(n.Args[0]) {
			return false
		}
		f.rewriteTerminate(n, f.text(n.Args[0]))
	case containersModule + ".CleanupContainer":
		if !f.isContainer(n.Args[1]) {
			return false
		}
		f.rewriteCleanup(n)
	case containersModule + ".GenericContainer":
		f.report(n, "where the image is MongoDB's, start mongotest in its place: mongotest.New, and URI of what it returns")
		return true
	default:
		if f.isContainer(s.X) {
			f.report(n, "a deployment of mongotest has no %s", s.Sel.Name)
		}
		return false
	}
	return true
}

// rewriteRunContainer rewrites the start of a container. Options spread from a list come after the others.
func (f *file) rewriteRunContainer(n *ast.CallExpr) {
	args := n.Args[1:]
	if !n.Ellipsis.IsValid() {
		f.replace(n, f.qualify("mongotest.New")+"("+strings.Join(f.containerOptions(args), ", ")+")")
		return
	}
	last := f.text(args[len(args)-1])
	first := f.containerOptions(args[:len(args)-1])
	if len(first) > 0 {
		last = "append([]" + f.qualify("mongotest.Option") + "{" + strings.Join(first, ", ") + "}, " + last + "...)"
	}
	f.replace(n, f.qualify("mongotest.New")+"("+last+"...)")
}

// rewriteContainerList rewrites the elements of a list of options, or the elements that append adds to one.
func (f *file) rewriteContainerList(list types.Type, elements []ast.Expr) {
	s, ok := types.Unalias(list).Underlying().(*types.Slice)
	if !ok || !f.usesOnlyMongoContainers() || len(elements) == 0 || !isCustomizer(s.Elem()) {
		return
	}
	f.replaceRange(elements[0].Pos(), elements[len(elements)-1].End(), strings.Join(f.containerOptions(elements), ", "))
}

// usesOnlyMongoContainers reports whether the file uses only MongoDB containers. If so, every list of options is for them.
func (f *file) usesOnlyMongoContainers() bool {
	others := func(s *ast.ImportSpec) bool {
		return strings.HasPrefix(importPath(s), containersModule+"/modules/") && importPath(s) != containersMongo
	}
	return f.mongotest && importsContainers(f.tree) && !slices.ContainsFunc(f.tree.Imports, others)
}

// isCustomizer reports whether a type is the type of a container's options.
func isCustomizer(t types.Type) bool {
	named := namedOf(t)
	return named != nil && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == containersModule &&
		named.Obj().Name() == "ContainerCustomizer"
}

// rewriteCleanup rewrites CleanupContainer(t, container), which comes before the error of Run is looked at.
func (f *file) rewriteCleanup(n *ast.CallExpr) {
	name := f.text(n.Args[1])
	f.replace(n, f.text(n.Args[0])+".Cleanup(func() {\nif "+name+" != nil {\n"+name+".Close()\n}\n})")
}

func (f *file) isContainer(e ast.Expr) bool {
	t := f.typeOf(e)
	if t == nil {
		return false
	}
	named := namedOf(t)
	return named != nil && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == containersMongo
}

// rewriteTerminate closes the deployment, in place of a call that returns an error.
func (f *file) rewriteTerminate(n *ast.CallExpr, name string) {
	switch f.parents[n].(type) {
	case *ast.ExprStmt, *ast.DeferStmt:
		f.replace(n, name+".Close()")
	default: // the container is nil if its start has failed
		f.replace(n, "func() error {\nif "+name+" != nil {\n"+name+".Close()\n}\nreturn nil\n}()")
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
				out = append(out, f.qualify("mongotest.Version")+`("`+m[1]+minor+`")`)
			}
			continue
		}
		if b, ok := types.Unalias(f.typeOf(a)).Underlying().(*types.Basic); ok && b.Kind() == types.String {
			out = append(out, f.qualify("mongotest.Image")+"("+f.text(a)+")")
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
			out = append(out, f.qualify("mongotest.ReplicaSet")+"(1)", f.qualify("mongotest.SetName")+"("+f.text(call.Args[0])+")")
		case s != nil && (s.Sel.Name == "WithLogger" || strings.HasPrefix(s.Sel.Name, "WithWaitStrategy")):
			// a deployment is ready at once and writes no log
		default:
			f.report(a, "mongotest has no option for %s", f.text(a))
		}
	}
	if user == "" && password != "" || user != "" && password == "" {
		f.report(args[0], "mongotest.Auth takes a user name and a password together")
	}
	if user != "" {
		out = append(out, f.qualify("mongotest.Auth")+"("+user+", "+password+")")
	}
	return out
}

// rewriteContainerType rewrites the type of a container or of its options.
func (f *file) rewriteContainerType(n *ast.SelectorExpr) {
	if !f.mongotest {
		return
	}
	if o, ok := f.objectOf(n.Sel).(*types.TypeName); ok && f.usesOnlyMongoContainers() && isCustomizer(o.Type()) {
		f.replace(n, f.qualify("mongotest.Option"))
	}
	if o, ok := f.objectOf(n.Sel).(*types.TypeName); ok && o.Pkg() != nil && o.Pkg().Path() == containersMongo &&
		slices.Contains([]string{"MongoDBContainer", "Container"}, o.Name()) {
		f.replace(n, f.qualify("mongotest.Deployment"))
	}
}
