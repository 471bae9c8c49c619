package suite

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/suite/source"
)

// connectionStringCase emits Connection String Tests, "Format", which the URI options tests share. A null asserts
// nothing.
func connectionStringCase(c *compiler, n *source.Node) []jen.Code {
	f := c.object(n)
	defer f.reportUnread()
	f.str("description")
	uri := text(f.str("uri"))
	hosts, hasHosts := f.listOr("hosts")
	auth, options := f.value("auth"), f.value("options")
	warning, hasWarning := f.flagOr("warning")
	var checks []jen.Code
	if hasWarning {
		checks = append(checks, call("c", map[bool]string{true: "Warns", false: "DoesNotWarn"}[warning]))
	}
	if hasHosts {
		checks = append(checks, lines(jen.Id("c").Dot("Hosts"), c.hosts(hosts)...))
	}
	if auth != nil {
		checks = append(checks, c.userInfo(auth)...)
	}
	if options != nil {
		checks = append(checks, c.options("c", options)...)
	}
	if valid := f.flag("valid"); !valid {
		return []jen.Code{helper("connstring", "Invalid").Call(jen.Id("t"), uri)}
	}
	return checkConstructor(helper("connstring", "Valid").Call(jen.Id("t"), uri), checks)
}

// checkConstructor prints a call of a constructor and the checks of its result. Without checks, the constructor's own ones are the
// case.
func checkConstructor(constructor *jen.Statement, checks []jen.Code) []jen.Code {
	if len(checks) == 0 {
		return []jen.Code{constructor}
	}
	return append([]jen.Code{jen.Id("c").Op(":=").Add(constructor)}, checks...)
}

func (c *compiler) hosts(list []*source.Node) []jen.Code {
	var out []jen.Code
	for _, n := range list {
		f := c.object(n)
		var values []jen.Code
		if kind, ok := f.strOr("type"); ok {
			if !slices.Contains([]string{"ipv4", "ip_literal", "hostname", "unix"}, kind) {
				c.problemf(n, "unknown type of host %q", kind)
			}
			values = append(values, field("Type", jen.Lit(kind)))
		}
		values = append(values, field("Name", text(f.str("host"))))
		if port, ok := f.integerOr("port"); ok {
			values = append(values, field("Port", jen.Lit(int(port))))
		}
		f.reportUnread()
		out = append(out, helper("connstring", "Host").Values(values...))
	}
	return out
}

func (c *compiler) userInfo(n *source.Node) []jen.Code {
	f := c.object(n)
	defer f.reportUnread()
	var body []jen.Code
	for _, part := range []struct{ key, method string }{{"username", "Username"}, {"password", "Password"}, {"db", "AuthDB"}} {
		if s, ok := f.strOr(part.key); ok {
			body = append(body, call("c", part.method, text(s)))
		}
	}
	return body
}

// options prints the check of each option, as calls on a variable.
func (c *compiler) options(on string, n *source.Node) []jen.Code {
	var body []jen.Code
	for _, m := range c.object(n).n.Members {
		value, ok := literals{}.value(m.Value)
		if !ok {
			c.problemf(m.Value, "the value of %s is not extended JSON", m.Key)
			continue
		}
		body = append(body, call(on, "Option", jen.Lit(m.Key), value))
	}
	return body
}

// authCase emits Auth Tests, "Format". In that format, a null asserts that the value is not set.
func authCase(c *compiler, n *source.Node) []jen.Code {
	f := c.object(n)
	defer f.reportUnread()
	f.str("description")
	uri := text(f.str("uri"))
	credential := f.get("credential")
	if valid := f.flag("valid"); !valid {
		return []jen.Code{helper("connstring", "InvalidCredential").Call(jen.Id("t"), uri)}
	}
	body := []jen.Code{jen.Id("c").Op(":=").Add(helper("connstring", "Valid")).Call(jen.Id("t"), uri)}
	switch {
	case credential == nil:
		return []jen.Code{helper("connstring", "Valid").Call(jen.Id("t"), uri)}
	case credential.Kind == source.Null:
		return append(body, call("c", "NoCredential"))
	}
	body = append(body, call("c", "HasCredential"))
	cred := c.object(credential)
	defer cred.reportUnread()
	for _, part := range []struct{ key, method string }{
		{"username", "Username"}, {"password", "Password"}, {"source", "Source"}, {"mechanism", "Mechanism"},
	} {
		switch v := cred.get(part.key); {
		case v == nil:
		case v.Kind == source.Null:
			body = append(body, call("c", "No"+part.method))
		default:
			c.kind(v, part.key, source.String)
			body = append(body, call("c", part.method, text(v.Text)))
		}
	}
	switch v := cred.get("mechanism_properties"); {
	case v == nil:
	case v.Kind == source.Null:
		body = append(body, call("c", "NoMechanismProperties"))
	default:
		for _, m := range c.object(v).n.Members {
			value, ok := literals{}.value(m.Value)
			if !ok {
				c.problemf(m.Value, "%q is not a property", m.Key)
				continue
			}
			body = append(body, call("c", "MechanismProperty", jen.Lit(m.Key), value))
		}
	}
	return body
}

// concernURICase emits Read and Write Concern Tests, "Connection String".
func concernURICase(c *compiler, n *source.Node) []jen.Code {
	f := c.object(n)
	defer f.reportUnread()
	f.str("description")
	uri := text(f.str("uri"))
	warning, hasWarning := f.flagOr("warning")
	var checks []jen.Code
	if hasWarning {
		checks = append(checks, call("c", map[bool]string{true: "Warns", false: "DoesNotWarn"}[warning]))
	}
	if read := f.value("readConcern"); read != nil {
		checks = append(checks, call("c", "ReadConcern", c.readConcern(read)))
	}
	if write := f.value("writeConcern"); write != nil {
		checks = append(checks, call("c", "WriteConcern", c.writeConcern(write)))
	}
	if valid := f.flag("valid"); !valid {
		// The URI options tests demand a warning for the values that these tests call invalid.
		return []jen.Code{helper("connstring", "Refused").Call(jen.Id("t"), uri)}
	}
	return checkConstructor(helper("connstring", "Valid").Call(jen.Id("t"), uri), checks)
}

// concernDocumentCase emits Read and Write Concern Tests, "Document".
func concernDocumentCase(c *compiler, n *source.Node) []jen.Code {
	f := c.object(n)
	defer f.reportUnread()
	f.str("description")
	valid := f.flag("valid")
	isDefault, hasDefault := f.flagOr("isServerDefault")
	isAcknowledged, hasAcknowledged := f.flagOr("isAcknowledged")
	readDoc, writeDoc := f.value("readConcernDocument"), f.value("writeConcernDocument")
	kind, concern, document := "Write", jen.Code(jen.Null()), writeDoc
	switch read, write := f.value("readConcern"), f.value("writeConcern"); {
	case read != nil && write == nil:
		kind, concern, document = "Read", c.readConcern(read), readDoc
	case write != nil && read == nil:
		concern = c.writeConcern(write)
	default:
		c.problemf(n, "a case needs either readConcern or writeConcern")
	}
	if !valid {
		return []jen.Code{helper("concern", "Invalid"+kind).Call(jen.Id("t"), concern)}
	}
	var checks []jen.Code
	if document != nil {
		checks = append(checks, call("c", "Sends", c.reply(document)))
	}
	if hasDefault {
		checks = append(checks, call("c", "IsServerDefault", jen.Lit(isDefault)))
	}
	if hasAcknowledged {
		checks = append(checks, call("c", "IsAcknowledged", jen.Lit(isAcknowledged)))
	}
	return checkConstructor(helper("concern", kind).Call(jen.Id("t"), concern), checks)
}

func (c *compiler) readConcern(n *source.Node) jen.Code {
	f := c.object(n)
	defer f.reportUnread()
	var values []jen.Code
	if level, ok := f.strOr("level"); ok {
		values = append(values, field("Level", jen.Lit(level)))
	}
	return jen.Op("&").Add(module("generated/options", "ReadConcern")).Values(values...)
}

func (c *compiler) writeConcern(n *source.Node) jen.Code {
	f := c.object(n)
	defer f.reportUnread()
	var values []jen.Code
	if w := f.value("w"); w != nil {
		switch {
		case w.Kind == source.String:
			values = append(values, field("W", text(w.Text)))
		case w.Kind == source.Number && w.IsInteger():
			values = append(values, field("W", jen.Id(w.Text)))
		default:
			c.problemf(w, "w is neither a number nor a string")
		}
	}
	if j, ok := f.flagOr("journal"); ok {
		values = append(values, field("Journal", jen.New(jen.Lit(j))))
	}
	if ms, ok := f.integerOr("wtimeoutMS"); ok {
		values = append(values, field("WTimeout", jen.New(jen.Lit(int(ms)).Op("*").Qual("time", "Millisecond"))))
	}
	return jen.Op("&").Add(module("generated/options", "WriteConcern")).Values(values...)
}
