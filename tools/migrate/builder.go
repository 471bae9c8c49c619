package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// setterNames are the setters whose field has another name than their own without Set.
var setterNames = map[string]string{
	"ApplyURI":                             "ConnectionString",
	"SetRegistry":                          "Codecs",
	"SetMonitor":                           "CommandMonitor",
	"SetDirect":                            "DirectConnection",
	"SetHeartbeatInterval":                 "HeartbeatFrequency",
	"SetMaxConnIdleTime":                   "MaxIdleTime",
	"SetServerAPIOptions":                  "ServerAPI",
	"SetDisableOCSPEndpointCheck":          "TLSDisableOCSPEndpointCheck",
	"SetDisableCertificateRevocationCheck": "TLSDisableCertificateRevocationCheck",
	"SetSphereVersion":                     "Sphere2DVersion",
	"SetCommitQuorumString":                "CommitQuorum",
	"SetCommitQuorumInt":                   "CommitQuorum",
	"SetCommitQuorumMajority":              "CommitQuorum",
	"SetCommitQuorumVotingMembers":         "CommitQuorum",
	"SetSizeInBytes":                       "Size",
	"SetMaxDocuments":                      "Max",
	"SetTimeSeriesOptions":                 "TimeSeries",
	"SetDefaultTransactionOptions":         "DefaultTransaction",
	"SetKmsProviders":                      "KMSProviders",
	"SetAutoEncryptionOptions":             "AutoEncryption",
	"SetChunkSizeBytes":                    "ChunkSize",
}

// setterValues are the values that setters without an argument set.
var setterValues = map[string]string{
	"SetCommitQuorumMajority":      `"majority"`,
	"SetCommitQuorumVotingMembers": `"votingMembers"`,
}

// A chain is a run of setters, options.Find().SetLimit(5).SetSkip(1), and what it begins with.
type chain struct {
	root  ast.Expr
	steps []step
}

type step struct {
	name string
	call *ast.CallExpr
}

// isSetter reports whether a call sets one option, and returns the key of the type that holds the option.
func (f *file) isSetter(call *ast.CallExpr) (owner string, ok bool) {
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	key, o := f.keyOf(s)
	fn, isFunc := o.(*types.Func)
	if !isFunc || f.pkg.TypesInfo.Selections[s] == nil {
		return "", false
	}
	owner = key[:strings.LastIndexByte(key, '.')]
	holds := strings.HasPrefix(owner, "options.") || strings.HasPrefix(owner, "mongo.") && strings.HasSuffix(owner, "Model")
	name := s.Sel.Name
	if !holds || !strings.HasPrefix(name, "Set") && name != "ApplyURI" {
		return "", false
	}
	results := fn.Type().(*types.Signature).Results()
	return owner, results.Len() == 1 && namedOf(results.At(0).Type()) != nil
}

// isConstructor reports whether a call makes options or a model, such as options.Find().
func (f *file) isConstructor(call *ast.CallExpr) (owner string, ok bool) {
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || f.pkg.TypesInfo.Selections[s] != nil {
		return "", false
	}
	key, o := f.keyOf(s)
	fn, isFunc := o.(*types.Func)
	model := strings.HasPrefix(key, "mongo.New") && strings.HasSuffix(key, "Model")
	if !isFunc || !strings.HasPrefix(key, "options.") && !model || strings.HasPrefix(key, "options.Merge") {
		return "", false
	}
	results := fn.Type().(*types.Signature).Results()
	if results.Len() != 1 || len(call.Args) > 0 && key != "options.ServerAPI" {
		return "", false
	}
	named := namedOf(results.At(0).Type())
	if named == nil || !isOfficial(named.Obj()) {
		return "", false
	}
	return shortName(named.Obj().Pkg().Path()) + "." + named.Obj().Name(), true
}

func (f *file) chainOf(call *ast.CallExpr) chain {
	var c chain
	for {
		if _, ok := f.isSetter(call); !ok {
			c.root = call
			break
		}
		s := call.Fun.(*ast.SelectorExpr)
		c.steps = append(c.steps, step{s.Sel.Name, call})
		next, ok := ast.Unparen(s.X).(*ast.CallExpr)
		if !ok {
			c.root = s.X
			break
		}
		call = next
	}
	slices.Reverse(c.steps)
	return c
}

// rewriteChain rewrites a whole chain, once its outermost call is reached.
func (f *file) rewriteChain(call *ast.CallExpr, owner string) {
	if s, ok := f.parents[call].(*ast.SelectorExpr); ok {
		if outer, ok := f.parents[s].(*ast.CallExpr); ok {
			if _, ok := f.isSetter(outer); ok {
				return
			}
		}
	}
	c := f.chainOf(call)
	target := f.optionsStruct(owner, call)
	if api[target] == "" {
		f.report(call, "%s has no counterpart%s", owner, advice(owner))
		return
	}
	if owner == "options.ClientOptions" {
		f.reportPrecedence(call)
	}
	if root, ok := c.root.(*ast.CallExpr); ok {
		if _, ok := f.isConstructor(root); ok {
			f.replace(call, f.structText(call, target, c, root))
			return
		}
	}
	if f.rewriteSetterStatement(call, target, c) {
		return
	}
	f.replace(call, f.changedText(target, c))
}

// optionsStruct names the struct of Onion for a type of options. Some types serve two methods, as convertManyOptions says, so the
// call that takes the options decides.
func (f *file) optionsStruct(owner string, n ast.Node) string {
	to := counterpart(owner)
	shared := owner == "options.UpdateOptions" || owner == "options.DeleteOptions" || to == "options.RunCommand"
	switch {
	case !shared || !f.isConsumedByMany(n):
		return to
	case to == "options.RunCommand":
		return "options.RunCursorCommand"
	default:
		return strings.TrimSuffix(to, "One") + "Many"
	}
}

// assignedTo returns the variable that an expression is assigned to alone.
func (f *file) assignedTo(n ast.Node) *ast.Ident {
	switch p := f.parents[n].(type) {
	case *ast.AssignStmt:
		if len(p.Lhs) == len(p.Rhs) {
			for i, r := range p.Rhs {
				if r == n {
					id, _ := p.Lhs[i].(*ast.Ident)
					return id
				}
			}
		}
	case *ast.ValueSpec:
		if len(p.Names) == 1 {
			return p.Names[0]
		}
	}
	return nil
}

// structText writes a chain as a struct literal.
func (f *file) structText(call *ast.CallExpr, target string, c chain, root *ast.CallExpr) string {
	var fields []string
	set := map[string]int{}
	if len(root.Args) == 1 { // options.ServerAPI(version)
		fields = append(fields, "Version: "+f.text(root.Args[0]))
	}
	for _, s := range c.steps {
		if f.takeConnectionString(call, s) {
			continue
		}
		for _, field := range f.fieldsOf(target, s) {
			name, value := field[0], field[1]
			if at, ok := set[name]; ok {
				fields[at] = name + ": " + value
				continue
			}
			set[name] = len(fields)
			fields = append(fields, name+": "+value)
		}
	}
	fields = f.nestTransactionDefaults(fields)
	head := "&" + f.qualify(target) + "{"
	line := head + strings.Join(fields, ", ") + "}"
	start, end := f.pkg.Fset.Position(call.Pos()).Line, f.pkg.Fset.Position(call.End()).Line
	if len(fields) == 0 || start == end && len(line)-strings.Count(line, "\x00") < 100 {
		return line
	}
	return head + "\n" + strings.Join(fields, ",\n") + ",\n}"
}

// nestTransactionDefaults moves the defaults for transactions of a version 1 session into the struct that holds them in Onion.
func (f *file) nestTransactionDefaults(fields []string) []string {
	var inner, out []string
	for _, field := range fields {
		if rest, ok := strings.CutPrefix(field, "DefaultTransaction."); ok {
			inner = append(inner, rest)
			continue
		}
		out = append(out, field)
	}
	if len(inner) > 0 {
		out = append(out, "DefaultTransaction: &"+f.qualify("options.Transaction")+"{"+strings.Join(inner, ", ")+"}")
	}
	return out
}

// rewriteSetterStatement rewrites setters on a variable, opts.SetLimit(5) or opts = opts.SetLimit(5), as assignments.
func (f *file) rewriteSetterStatement(call *ast.CallExpr, target string, c chain) bool {
	root, ok := c.root.(*ast.Ident)
	if !ok {
		if _, ok = c.root.(*ast.SelectorExpr); !ok {
			return false
		}
	}
	statement, ok := f.parents[call].(ast.Stmt)
	if !ok {
		return false
	}
	if assign, ok := statement.(*ast.AssignStmt); ok {
		if len(assign.Lhs) != 1 || assign.Tok != token.ASSIGN || root == nil {
			return false
		}
		id, ok := assign.Lhs[0].(*ast.Ident)
		if !ok || f.objectOf(id) != f.objectOf(root) {
			return false
		}
	} else if _, ok := statement.(*ast.ExprStmt); !ok {
		return false
	}
	var lines []string
	for _, s := range c.steps {
		if s.name == "ApplyURI" && root != nil {
			if line, ok := f.applyURI(root, s); ok {
				lines = append(lines, line)
				continue
			}
		}
		for _, field := range f.fieldsOf(target, s) {
			if strings.HasPrefix(field[0], "DefaultTransaction.") {
				f.report(s.call, "options.Session has no field for %s: set it in DefaultTransaction, an *options.Transaction", s.name)
			}
			lines = append(lines, f.text(c.root)+"."+field[0]+" = "+field[1])
		}
	}
	f.replace(statement, strings.Join(slices.DeleteFunc(lines, func(s string) bool { return s == "" }), "\n"))
	return true
}

// fieldsOf returns the fields that a setter sets, each with the value that it gets.
func (f *file) fieldsOf(target string, s step) [][2]string {
	if s.name == "SetBSONOptions" && len(s.call.Args) == 1 {
		if marshal, unmarshal, ok := f.splitCodecOptions(f.takeDefinition(s.call.Args[0])); ok {
			var fields [][2]string
			if marshal != "" {
				fields = append(fields, [2]string{"Marshal", marshal})
			}
			if unmarshal != "" {
				fields = append(fields, [2]string{"Unmarshal", unmarshal})
			}
			return fields
		}
	}
	if s.name == "SetLoggerOptions" && len(s.call.Args) == 1 {
		if fields := f.loggerFields(s.call.Args[0]); fields != nil {
			return fields
		}
	}
	if s.name == "SetZstdLevel" {
		f.report(f.outermostCall(s.call), "the level of SetZstdLevel is left out: the specification has no such option")
		return nil
	}
	if name, ok := strings.CutPrefix(s.name, "SetDefault"); ok && target == "options.Session" && api["options.Transaction."+name] != "" {
		name, value := f.fieldAs("options.Transaction", name, s)
		return [][2]string{{"DefaultTransaction." + name, value}}
	}
	if s.name == "SetRegistry" && len(s.call.Args) == 1 && f.isDefaultRegistry(s.call.Args[0]) {
		return nil
	}
	if name := s.name + "Seconds"; api[target+"."+strings.TrimPrefix(name, "Set")] == "field int32" && len(s.call.Args) == 1 {
		f.extra["time"] = true
		span := f.text(s.call.Args[0])
		if _, ok := s.call.Args[0].(*ast.BinaryExpr); ok {
			span = "(" + span + ")"
		}
		return [][2]string{{strings.TrimPrefix(name, "Set"), "int32(" + span + " / time.Second)"}}
	}
	name, value := f.fieldOf(target, s)
	return [][2]string{{name, value}}
}

// takeDefinition returns the value in the declaration of a variable, and removes the declaration, if this is the variable's
// only use. It returns any other expression as it is.
func (f *file) takeDefinition(e ast.Expr) ast.Expr {
	id, ok := e.(*ast.Ident)
	if !ok {
		return e
	}
	o := f.objectOf(id)
	if o == nil || len(f.usesOf(o)) != 1 {
		return e
	}
	for def, defined := range f.pkg.TypesInfo.Defs {
		assign, ok := f.parents[def].(*ast.AssignStmt)
		if defined != o || !ok || len(assign.Lhs) != 1 {
			continue
		}
		if _, ok := f.parents[assign].(*ast.BlockStmt); ok {
			f.dropped = append(f.dropped, assign)
			return assign.Rhs[0]
		}
	}
	return e
}

// fieldOf returns the field that a setter sets and the value that it gets. A setter without a field keeps its name, so
// the compiler refuses it, and is reported.
func (f *file) fieldOf(target string, s step) (name, value string) {
	return f.fieldAs(target, strings.TrimPrefix(s.name, "Set"), s)
}

func (f *file) fieldAs(target, name string, s step) (field, value string) {
	if other, ok := setterNames[s.name]; ok && api[target+"."+name] == "" {
		name = other
	}
	declared, ok := strings.CutPrefix(api[target+"."+name], "field ")
	if value := setterValues[s.name]; value != "" && len(s.call.Args) == 0 && ok {
		return name, value
	}
	if len(s.call.Args) != 1 { // the name keeps the code from compiling
		f.report(s.call, "%s has no field for %s%s", target, s.name, advice(f.setterKey(s)))
		return s.name, "[]any{" + strings.Join(f.texts(s.call.Args), ", ") + "}"
	}
	arg := s.call.Args[0]
	if s.name == "SetHosts" && !f.hasURIAndHosts(f.outermostCall(s.call)) {
		return "ConnectionString", newCall + "(" + f.joinHosts(arg) + ")"
	}
	if !ok {
		f.report(s.call, "%s has no field for %s%s", target, s.name, advice(f.setterKey(s)))
		return strings.TrimPrefix(s.name, "Set"), f.text(arg)
	}
	fn := f.typeOf(s.call.Fun).(*types.Signature)
	from := typeText(fn.Params().At(0).Type())
	if fn.Variadic() {
		if declared == from && !s.call.Ellipsis.IsValid() {
			return name, f.spell(from) + "{" + f.text(arg) + "}"
		}
	}
	text, ok := f.wrap(arg, from, declared)
	if !ok {
		f.report(s.call, "%s.%s is of type %s, not %s%s", target, name, declared, from, advice(f.setterKey(s)))
	}
	return name, text
}

func (f *file) setterKey(s step) string {
	key, _ := f.keyOf(s.call.Fun.(*ast.SelectorExpr))
	return key
}
