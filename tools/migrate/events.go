package main

import (
	"go/ast"
	"go/types"
	"strings"
)

// eventField rewrites fields of events that version 1 spells otherwise, and the struct that its events embed.
func (f *file) eventField(n *ast.SelectorExpr, key string, o types.Object) bool {
	if !strings.HasPrefix(key, "event.") {
		return false
	}
	switch name := n.Sel.Name; {
	case name == "CommandFinishedEvent":
		if _, ok := f.parents[n].(*ast.SelectorExpr); !ok {
			return false
		}
		f.replace(n, f.text(n.X))
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

// embedded reports whether an expression selects the struct that events embed.
func (f *file) embedded(e ast.Expr) bool {
	s, ok := e.(*ast.SelectorExpr)
	return ok && s.Sel.Name == "CommandFinishedEvent"
}
