package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// rewriteEventField rewrites fields of events that version 1 spells otherwise, and the struct that its events embed.
func (f *file) rewriteEventField(n *ast.SelectorExpr, key string, o types.Object) bool {
	if !strings.HasPrefix(key, "event.") {
		return false
	}
	switch name := n.Sel.Name; {
	case key == "event.ServerDescription.Kind" || key == "event.TopologyDescription.Kind":
		f.replace(n, f.text(n.X)+".Type.String()")
	case name == "CommandFinishedEvent":
		if _, ok := f.parents[n].(*ast.SelectorExpr); ok {
			f.replace(n, f.text(n.X))
			return true
		}
		f.rewriteFinished(n, key)
	case (name == "DurationNanos" || name == "Failure" && typeText(o.Type()) == "string") && f.isAddressed(n):
		f.report(n, "%s is of type %s here, not %s", name, eventTypes[name], typeText(o.Type()))
	case name == "DurationNanos" && f.isAssigned(n):
		f.replace(n.Sel, "Duration")
	case name == "DurationNanos":
		f.replace(n, f.text(n.X)+".Duration.Nanoseconds()")
	case name == "ServerConnectionID64":
		f.replace(n.Sel, "ServerConnectionID")
	case name == "Failure" && typeText(o.Type()) == "string" && f.isAssigned(n):
	case name == "Failure" && typeText(o.Type()) == "string":
		f.replace(n, f.text(n.X)+".Failure.Error()")
	case strings.HasPrefix(key, "event.CommandFinishedEvent."): // the parent has taken the event itself
		return api["event.CommandSucceeded."+name] != "" && api["event.CommandFailed."+name] != "" && f.selectsFinished(n.X)
	default:
		return false
	}
	return true
}

// rewriteFinished rewrites the embedded struct where code uses it as a value, such as the argument of a function that takes both
// kinds of events. It becomes an event.CommandSucceeded, which has the same fields.
func (f *file) rewriteFinished(n *ast.SelectorExpr, key string) {
	outer, ok := f.parents[n].(*ast.UnaryExpr)
	address := ok && outer.Op == token.AND
	_, isPointer := types.Unalias(f.typeOf(n.X)).(*types.Pointer)
	text := f.text(n.X)
	switch failed := strings.HasPrefix(key, "event.CommandFailedEvent."); {
	case failed:
		text = f.qualify("event.CommandSucceeded") + "{\n" + strings.Join(finishedValues(f.text(n.X)), ",\n") + ",\n}"
		if address {
			text = "&" + text
		}
	case address && !isPointer:
		text = "&" + text
	case !address && isPointer:
		text = "*" + text
	}
	if address {
		f.replace(outer, text)
		return
	}
	f.replace(n, text)
}

// finishedFields lists the fields of the embedded struct, by their names in Onion.
var finishedFields = []string{
	"CommandName", "DatabaseName", "Duration", "RequestID", "ConnectionID", "ServerConnectionID", "ServiceID",
}

// rewriteEventLiteral rewrites the fields of a literal that version 1 spells otherwise, and moves those of the embedded struct into the
// event around it.
func (f *file) rewriteEventLiteral(kv *ast.KeyValueExpr, key, official string) bool {
	if !strings.HasPrefix(key, "event.") {
		return false
	}
	switch kv.Key.(*ast.Ident).Name {
	case "DurationNanos":
		f.replace(kv.Key, "Duration")
		f.convertEventValue(kv.Value, "DurationNanos")
	case "ServerConnectionID64":
		f.replace(kv.Key, "ServerConnectionID")
	case "Failure":
		if official != "string" {
			return false
		}
		f.convertEventValue(kv.Value, "Failure")
	case "CommandFinishedEvent":
		return f.moveFinishedFields(kv)
	default:
		return false
	}
	return true
}

// isAddressed reports whether the address of an expression is taken.
func (f *file) isAddressed(n ast.Expr) bool {
	u, ok := f.parents[n].(*ast.UnaryExpr)
	return ok && u.Op == token.AND
}

// rewriteEventAssignment rewrites what is assigned to such a field.
func (f *file) rewriteEventAssignment(n *ast.AssignStmt) {
	for i, l := range n.Lhs {
		s, ok := l.(*ast.SelectorExpr)
		if !ok {
			continue
		}
		key, o := f.keyOf(s)
		if !strings.HasPrefix(key, "event.") || s.Sel.Name == "Failure" && typeText(o.Type()) != "string" ||
			s.Sel.Name != "Failure" && s.Sel.Name != "DurationNanos" {
			continue
		}
		if len(n.Lhs) != len(n.Rhs) || n.Tok != token.ASSIGN && s.Sel.Name == "Failure" {
			f.report(s, "%s is of type %s here, not %s", s.Sel.Name, eventTypes[s.Sel.Name], typeText(o.Type()))
			continue
		}
		f.convertEventValue(n.Rhs[i], s.Sel.Name)
	}
}

// eventTypes are the types that such fields have here.
var eventTypes = map[string]string{"Failure": "error", "DurationNanos": "time.Duration"}

// convertEventValue converts the value of such a field.
func (f *file) convertEventValue(value ast.Expr, field string) {
	if field == "Failure" {
		f.extra["errors"] = true
		f.replace(value, "errors.New("+f.text(value)+")")
		return
	}
	if !f.isUntyped(value) {
		f.extra["time"] = true
		f.replace(value, "time.Duration("+f.text(value)+")")
	}
}

// moveFinishedFields moves the fields of the embedded struct into the literal of an event around it: those of a literal, or all of a
// variable's.
func (f *file) moveFinishedFields(kv *ast.KeyValueExpr) bool {
	switch value := kv.Value.(type) {
	case *ast.CompositeLit:
		if len(value.Elts) == 0 {
			return false
		}
		f.replace(kv, f.textBetween(value.Elts[0].Pos(), value.Elts[len(value.Elts)-1].End()))
		return true
	case *ast.Ident, *ast.SelectorExpr:
		f.replace(kv, strings.Join(finishedValues(f.text(value)), ",\n"))
		return true
	}
	return false
}

// finishedValues writes the fields of the embedded struct with their values in a variable.
func finishedValues(variable string) (fields []string) {
	for _, name := range finishedFields {
		fields = append(fields, name+": "+variable+"."+name)
	}
	return fields
}

// selectsFinished reports whether an expression selects the struct that events embed.
func (f *file) selectsFinished(e ast.Expr) bool {
	s, ok := e.(*ast.SelectorExpr)
	return ok && s.Sel.Name == "CommandFinishedEvent"
}
