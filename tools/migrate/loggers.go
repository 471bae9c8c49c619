package main

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// options.LoggerOptions hold a sink and a level for each component. Onion has them as two fields of a client's options, Logger and
// LogLevels.

const sinkLoggerSource = `
// sinkLogger hands what the driver logs to a sink: 0 is for information, 1 for debugging.
type sinkLogger struct {
	sink interface {
		Info(level int, message string, keysAndValues ...any)
		Error(err error, message string, keysAndValues ...any)
	}
}

// Enabled leaves the choice to the levels of the components.
func (sinkLogger) Enabled(context.Context, slog.Level) bool { return true }

// LogAttrs calls the sink.
func (l sinkLogger) LogAttrs(_ context.Context, level slog.Level, message string, attrs ...slog.Attr) {
	verbosity, pairs := 0, []any{"message", message}
	if level < slog.LevelInfo {
		verbosity = 1
	}
	for _, a := range attrs {
		pairs = append(pairs, a.Key, a.Value.Any())
	}
	l.sink.Info(verbosity, message, pairs...)
}
`

// loggerFields returns the fields of a client's options for options of a logger that are made in one expression, or nil.
func (f *file) loggerFields(e ast.Expr) [][2]string {
	made := e
	if id, ok := e.(*ast.Ident); ok {
		if made = f.declaredAs(f.objectOf(id)); made == nil || len(f.usesOf(f.objectOf(id))) != 1 {
			return nil
		}
	}
	sink, length, levels, ok := f.loggerParts(made)
	if !ok || len(levels) == 0 {
		return nil // without a level nothing is logged there
	}
	f.unreportIn(f.takeDefinition(e))
	f.extra["log/slog"] = true
	fields := [][2]string{{"LogLevels", "&" + f.qualify("options.LogLevels") + "{" + strings.Join(levels, ", ") + "}"}}
	if sink != nil {
		f.useHelper("sinkLogger")
		fields = append(fields, [2]string{"Logger", "sinkLogger{" + f.text(sink) + "}"})
	}
	if length != nil {
		fields = append(fields, [2]string{"MaxLogDocumentLength", newCall + "(" + f.convertText(length, f.text(length), "int") + ")"})
	}
	return fields
}

// loggerParts takes options of a logger apart: a chain of setters, or a literal. A part that is nil or 0 counts as unset, as it does
// in the official driver.
func (f *file) loggerParts(e ast.Expr) (sink, length ast.Expr, levels []string, ok bool) {
	sink, length, levels, ok = f.writtenLoggerParts(e)
	if sink != nil && f.pkg.TypesInfo.Types[sink].IsNil() {
		sink = nil
	}
	if length != nil && f.isUnset(length) {
		length = nil
	}
	return sink, length, levels, ok
}

func (f *file) writtenLoggerParts(e ast.Expr) (sink, length ast.Expr, levels []string, ok bool) {
	if u, isPointer := ast.Unparen(e).(*ast.UnaryExpr); isPointer && u.Op == token.AND {
		e = u.X
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		c := f.chainOf(e)
		root, isCall := c.root.(*ast.CallExpr)
		if !isCall {
			return nil, nil, nil, false
		}
		if owner, _ := f.isConstructor(root); owner != "options.LoggerOptions" {
			return nil, nil, nil, false
		}
		for _, s := range c.steps {
			switch args := s.call.Args; {
			case s.name == "SetSink":
				sink = args[0]
			case s.name == "SetMaxDocumentLength":
				length = args[0]
			case s.name == "SetComponentLevel":
				component, level := f.componentLevel(args[0], args[1])
				if component == "" {
					return nil, nil, nil, false
				}
				levels = append(slices.DeleteFunc(levels, func(l string) bool { return strings.HasPrefix(l, component) }), component+level)
			}
		}
		return sink, length, levels, true
	case *ast.CompositeLit:
		return f.loggerLiteral(e)
	}
	return nil, nil, nil, false
}

func (f *file) loggerLiteral(n *ast.CompositeLit) (sink, length ast.Expr, levels []string, ok bool) {
	for _, e := range n.Elts {
		kv, keyed := e.(*ast.KeyValueExpr)
		if !keyed {
			return nil, nil, nil, false
		}
		switch kv.Key.(*ast.Ident).Name {
		case "Sink":
			sink = kv.Value
		case "MaxDocumentLength":
			length = kv.Value
		default:
			components, isLiteral := kv.Value.(*ast.CompositeLit)
			if !isLiteral {
				return nil, nil, nil, false
			}
			for _, c := range components.Elts {
				component, level := f.componentLevel(c.(*ast.KeyValueExpr).Key, c.(*ast.KeyValueExpr).Value)
				if component == "" {
					return nil, nil, nil, false
				}
				levels = append(levels, component+level)
			}
		}
	}
	return sink, length, levels, true
}

// componentLevel writes the field of one component and its value. Both must be named as constants of the official driver.
func (f *file) componentLevel(component, level ast.Expr) (field, value string) {
	name := func(e ast.Expr, prefix string) string {
		s, ok := ast.Unparen(e).(*ast.SelectorExpr)
		if !ok {
			return ""
		}
		key, _ := f.keyOf(s)
		name, ok := strings.CutPrefix(key, prefix)
		if !ok {
			return ""
		}
		return name
	}
	c, l := name(component, "options.LogComponent"), name(level, "options.LogLevel")
	if api["options.LogLevels."+c] == "" || l == "" {
		return "", ""
	}
	return c + ": ", newCall + "(slog.Level" + l + ")"
}
