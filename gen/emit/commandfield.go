package emit

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/model"
)

// encoder collects the statements of an Append function.
type encoder struct {
	command string
	recv    string // receiver of the function; c when empty
	end     string // what follows the last field; "return dst, nil" when empty
	writes  bool   // the operation may write its results, and then has no batches
	code    strings.Builder
	needErr bool
	needEnv bool
}

func (e *encoder) printLine(format string, args ...any) { fmt.Fprintf(&e.code, format+"\n", args...) }

// body returns the code so far. It declares err first if the code needs it.
func (e *encoder) body() string {
	if e.needErr {
		return "var err error\n" + e.code.String()
	}
	return e.code.String()
}

// env returns the name of the parameter, or the blank identifier when no statement uses it.
func (e *encoder) env() string {
	if e.needEnv {
		return "env"
	}
	return "_"
}

// printOptions prints the options in o, which may be nil. The options that are always sent come first.
func (e *encoder) printOptions(fields []model.CommandField) {
	var always, others []model.CommandField
	for _, f := range fields {
		switch f.As {
		case "none":
		case "ordered", "inverse", "cursorBatch":
			always = append(always, f)
		default:
			others = append(others, f)
		}
	}
	if len(always)+len(others) == 0 {
		return
	}
	e.printLine("o := %s.Options", cmp.Or(e.recv, "c"))
	for _, f := range always {
		e.printSentAlways(f)
	}
	if len(others) == 0 {
		return
	}
	e.printLine("if o == nil {\n%s\n}", cmp.Or(e.end, "return dst, nil"))
	e.printRows(others)
}

// printRows prints the options in o, which is not nil.
func (e *encoder) printRows(fields []model.CommandField) {
	for _, f := range fields {
		if f.As != "none" {
			e.printField("o.", f)
		}
	}
}

// printSentAlways prints an option that is sent whether it is set or not.
func (e *encoder) printSentAlways(f model.CommandField) {
	v := "o." + f.Name
	switch f.As {
	case "ordered":
		e.printLine("dst = bson.AppendBooleanElement(dst, %q, o == nil || %s == nil || *%s)", f.Field, v, v)
	case "inverse":
		e.printLine("dst = bson.AppendBooleanElement(dst, %q, o == nil || %s == nil || !*%s)", f.Field, v, v)
	case "cursorBatch":
		unless := ""
		if e.writes {
			unless = " && !c.Writes"
		}
		e.printLine("dst, cursor := bson.AppendDocumentElementStart(dst, %q)", f.Field)
		e.printLine("if o != nil && %s != nil%s {\ndst = bson.AppendInt32Element(dst, \"batchSize\", *%s)\n}", v, unless, v)
		e.printLine("dst = bson.AppendDocumentEnd(dst, cursor)")
	}
}

// printFixedField prints the statement for a field that always has the same value.
func (e *encoder) printFixedField(x load.Fixed) {
	switch v := x.Value.(type) {
	case bool:
		e.printLine("dst = bson.AppendBooleanElement(dst, %q, %t)", x.Field, v)
	case int64:
		e.printLine("dst = bson.AppendInt32Element(dst, %q, %d)", x.Field, v)
	case string:
		if v == "{}" {
			e.printLine("dst = bson.AppendDocumentElement(dst, %q, bson.Raw{5, 0, 0, 0, 0})", x.Field)
			return
		}
		e.printLine("dst = bson.AppendStringElement(dst, %q, %q)", x.Field, v)
	}
}

// printField prints one option or argument. recv is the variable that has the field.
func (e *encoder) printField(recv string, f model.CommandField) {
	v := recv + f.Name
	switch f.As {
	case "none", "limit": // batchSize prints the limit
		return
	case "batchSize":
		e.code.WriteString(findLimits(v, f.Field))
		return
	}
	set := isSet(v, f)
	if f.Old == "error" || f.Old == "unacknowledged" {
		e.needEnv = true
		unless := ""
		if f.Old == "unacknowledged" {
			unless = "env.Unacknowledged && "
		}
		e.printLine("if %s && %senv.WireVersion < %d {\nreturn dst, emitted.NewUnsupportedOptionError(%q, %q, %q, env.WireVersion)\n}",
			set, unless, f.Wire, e.command, f.Option, f.Since)
	}
	var conditions []string
	if f.Omit || f.Old == "omit" {
		conditions = append(conditions, set)
	}
	if f.Old == "omit" {
		e.needEnv = true
		conditions = append(conditions, "env.WireVersion >= "+strconv.Itoa(int(f.Wire)))
	}
	switch f.As {
	case "maxTime":
		e.needEnv = true
		conditions = append(conditions, "!env.Timeout")
	case "trueOnly":
		conditions = append(conditions, "*"+v)
	}
	if len(conditions) == 0 {
		e.code.WriteString(e.encode(v, f))
		return
	}
	e.printLine("if %s {\n%s}", strings.Join(conditions, " && "), e.encode(v, f))
}

// isSet returns the condition that a field holds a value.
func isSet(v string, f model.CommandField) string {
	switch {
	case f.Go == "string":
		return v + ` != ""`
	case f.Go == "int32" || f.Go == "int64" || f.Go == "int" || f.Go == "time.Duration" || f.Go == "float64":
		return v + " != 0"
	case f.Go == "bool":
		return v
	case f.As == "document" || f.As == "rawArray":
		return "len(" + v + ") > 0"
	case f.As == "rawValue":
		return "!" + v + ".IsZero()"
	}
	return v + " != nil"
}

// encode returns the statement that appends a field that is set.
func (e *encoder) encode(v string, f model.CommandField) string {
	value := v
	if strings.HasPrefix(f.Go, "*") {
		value = "*" + v
	}
	call := func(name, value string) string {
		return fmt.Sprintf("dst = bson.Append%sElement(dst, %q, %s)\n", name, f.Field, value)
	}
	switch f.As {
	case "bool":
		return call("Boolean", value)
	case "trueOnly":
		return call("Boolean", "true")
	case "int32":
		return call("Int32", value)
	case "int64":
		return call("Int64", value)
	case "double":
		return call("Double", value)
	case "string":
		return call("String", value)
	case "maxTime":
		return e.encodeChecked(v, f) + "env.MaxTimeSent = true\n"
	case "document":
		return call("Document", v)
	case "rawArray":
		return call("Array", v)
	case "rawValue":
		return call("RawValue", v)
	case "collation":
		return fmt.Sprintf("dst = appendCollation(dst, %q, %s)\n", f.Field, v)
	case "int64s":
		return fmt.Sprintf("dst = emitted.AppendInt64s(dst, %q, %s)\n", f.Field, v)
	case "documents":
		return fmt.Sprintf("dst = emitted.AppendDocuments(dst, %q, %s)\n", f.Field, v)
	case "after":
		return call("Boolean", value+" == options.After")
	case "cursorType":
		return cursorTypeFields(v)
	}
	return e.encodeChecked(v, f)
}

// encodeChecked returns the statement for an append that can fail.
func (e *encoder) encodeChecked(v string, f model.CommandField) string {
	e.needErr, e.needEnv = true, true
	call := fmt.Sprintf("bson.AppendValueElement(dst, %q, %s, env.Marshal)", f.Field, v)
	switch f.As {
	case "maxTime", "millis":
		if strings.HasPrefix(f.Go, "*") {
			v = "*" + v
		}
		call = fmt.Sprintf("emitted.AppendMillis(dst, %q, %s)", f.Field, v)
	case "array":
		call = fmt.Sprintf("emitted.AppendArray(dst, %q, %s, env)", f.Field, v)
	case "statements":
		call = fmt.Sprintf("append%ss(dst, %q, %s, env)", strings.TrimPrefix(f.Go, "[]"), f.Field, v)
	}
	return "if dst, err = " + call + "; err != nil {\nreturn dst, err\n}\n"
}

// findLimits returns the statements that append the limit and the size of a batch, which depend on each other.
func findLimits(batchSize, field string) string {
	return "size, single, limit := emitted.Limits(o.Limit, " + batchSize + ")\n" +
		"if size != 0 {\ndst = bson.AppendInt32Element(dst, " + strconv.Quote(field) + ", size)\n}\n" +
		"if single {\ndst = bson.AppendBooleanElement(dst, \"singleBatch\", true)\n}\n" +
		"if limit != 0 {\ndst = bson.AppendInt64Element(dst, \"limit\", limit)\n}\n"
}

func cursorTypeFields(v string) string {
	return "if *" + v + " != options.NonTailable {\ndst = bson.AppendBooleanElement(dst, \"tailable\", true)\n}\n" +
		"if *" + v + " == options.TailableAwait {\ndst = bson.AppendBooleanElement(dst, \"awaitData\", true)\n}\n"
}
