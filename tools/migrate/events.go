package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// eventField rewrites fields of events that version 1 spells otherwise, and the struct that its events embed.
func (f *file) eventField(n *ast.SelectorExpr, key string, o types.Object) bool {
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
		f.finished(n, key)
	case name == "DurationNanos":
		f.replace(n, f.text(n.X)+".Duration.Nanoseconds()")
	case name == "ServerConnectionID64":
		f.replace(n.Sel, "ServerConnectionID")
	case name == "Failure" && typeText(o.Type()) == "string" && !f.assigned(n):
		f.replace(n, f.text(n.X)+".Failure.Error()")
	case strings.HasPrefix(key, "event.CommandFinishedEvent."): // the parent has taken the event itself
		return api["event.CommandSucceeded."+name] != "" && api["event.CommandFailed."+name] != "" && f.embedded(n.X)
	default:
		return false
	}
	return true
}

// finished rewrites the embedded struct where code uses it as a value, such as the argument of a function that takes both
// kinds of events. It becomes an event.CommandSucceeded, which has the same fields.
func (f *file) finished(n *ast.SelectorExpr, key string) {
	outer, ok := f.parents[n].(*ast.UnaryExpr)
	address := ok && outer.Op == token.AND
	_, isPointer := types.Unalias(f.typeOf(n.X)).(*types.Pointer)
	text := f.text(n.X)
	switch failed := strings.HasPrefix(key, "event.CommandFailedEvent."); {
	case failed:
		var fields []string
		for _, name := range finishedFields {
			fields = append(fields, name+": "+f.text(n.X)+"."+name)
		}
		text = f.qualified("event.CommandSucceeded") + "{\n" + strings.Join(fields, ",\n") + ",\n}"
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

// finishedLiteral moves the fields of the embedded struct into the literal of an event around it.
func (f *file) finishedLiteral(kv *ast.KeyValueExpr, key string) bool {
	lit, ok := kv.Value.(*ast.CompositeLit)
	if !ok || !strings.HasPrefix(key, "event.Command") || !strings.HasSuffix(key, ".CommandFinishedEvent") || len(lit.Elts) == 0 {
		return false
	}
	f.replace(kv, f.between(lit.Elts[0].Pos(), lit.Elts[len(lit.Elts)-1].End()))
	return true
}

// embedded reports whether an expression selects the struct that events embed.
func (f *file) embedded(e ast.Expr) bool {
	s, ok := e.(*ast.SelectorExpr)
	return ok && s.Sel.Name == "CommandFinishedEvent"
}
