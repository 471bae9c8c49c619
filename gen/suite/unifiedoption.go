package suite

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/suite/source"
)

const optionsPackage = "generated/options"

// structValue prints a struct of package options from an object whose keys are its options.
func (c *compiler) structValue(n *source.Node, name string) jen.Code {
	if n.Kind != source.Object {
		c.problemf(n, "is %s where an object is expected", n.Kind)
		return jen.Nil()
	}
	var values []jen.Code
	for _, m := range n.Members {
		f := c.catalogue.option(name, m.Key)
		if f == nil {
			c.problemf(m.Value, "%s has no option %q", name, m.Key)
			continue
		}
		if m.Value.Kind == source.Null && f.Go != "any" {
			continue // an option that is null is not set
		}
		values = append(values, field(f.Field, c.fieldValue(m.Value, m.Key, f)))
	}
	return structLiteral(name, values)
}

// structLiteral prints a struct of package options. For an encrypting client it prints one field per line.
func structLiteral(name string, values []jen.Code) jen.Code {
	if name == "AutoEncryption" || name == "ClientEncryption" {
		return elementPerLine(jen.Op("&").Add(module(optionsPackage, name)), values)
	}
	return jen.Op("&").Add(module(optionsPackage, name)).Values(values...)
}

// fieldValue prints the value of a field in its Go type.
func (c *compiler) fieldValue(n *source.Node, key string, f *load.TypeField) jen.Code {
	typ := f.Go
	c.file.deprecated = c.file.deprecated || f.Deprecated != ""
	switch typ {
	case "any":
		return c.value(n)
	case "[]any":
		return jen.Index().Any().Values(c.values(n)...)
	case "bool":
		return jen.Lit(c.boolean(n))
	case "*bool":
		return jen.New(jen.Lit(c.boolean(n)))
	case "string":
		return text(c.str(n))
	case "*string":
		return jen.New(text(c.str(n)))
	case "[]string":
		for _, item := range n.Items {
			c.str(item)
		}
		return jen.Index().String().Values(c.values(n)...)
	case "[]byte":
		c.reportMismatch(n, key, "$binary")
		return jen.Add(c.value(n)).Dot("Data")
	case "*bson.UUID":
		return jen.New(c.uuid(n))
	case "map[string]any":
		return jen.Map(jen.String()).Any().Values(c.entries(n, c.value)...)
	case "map[string]map[string]any":
		return c.providers(n)
	case "int32":
		return jen.Lit(int(c.integer(n, key)))
	case "*int":
		return jen.New(jen.Lit(int(c.integer(n, key))))
	case "*float64":
		return jen.New(jen.Float64().Call(c.double(n, key)))
	case "*int32", "*int64":
		return jen.New(jen.Id(typ[1:]).Call(jen.Lit(int(c.integer(n, key)))))
	case "*time.Duration":
		unit := "Millisecond"
		if strings.HasSuffix(strings.ToLower(key), "seconds") {
			unit = "Second"
		}
		return jen.New(jen.Lit(int(c.integer(n, key))).Op("*").Qual("time", unit))
	case "[]TagSet":
		return c.tagSets(n)
	case "*bson.Timestamp":
		c.reportMismatch(n, key, "$timestamp")
		return jen.New(jen.Add(c.value(n)))
	}
	return c.namedValue(n, key, typ)
}

// reportMismatch records the problem that a value does not have the type that a key of extended JSON names.
func (c *compiler) reportMismatch(n *source.Node, name, key string) {
	if !n.Has(key) {
		c.problemf(n, "%q is no %s", name, key)
	}
}

// namedValue prints a value of an enumeration or a struct of the tables.
func (c *compiler) namedValue(n *source.Node, key, typ string) jen.Code {
	name := strings.TrimPrefix(typ, "*")
	if enum, ok := c.catalogue.enums[name]; ok {
		for _, v := range enum.Values {
			if strings.EqualFold(spelling(v.Text), spelling(c.str(n))) {
				constant := module(optionsPackage, v.Name)
				if name == typ {
					return constant
				}
				return jen.New(constant)
			}
		}
		c.problemf(n, "%q is no %s", n.Text, name)
		return jen.Nil()
	}
	if c.catalogue.structs[name] != nil {
		return c.structValue(n, name)
	}
	c.problemf(n, "%q: the compiler does not know how to write a %s", key, typ)
	return jen.Nil()
}

// spelling returns the form in which enumerations are compared: a file may write TAILABLE_AWAIT, as the CRUD
// specification does, for tailableAwait.
func spelling(enum string) string { return strings.ReplaceAll(enum, "_", "") }

// double prints a number of any type but Decimal128.
func (c *compiler) double(n *source.Node, key string) jen.Code {
	plain := n.Kind == source.Number || n.Kind == source.Object && len(n.Members) == 1 &&
		slices.Contains([]string{"$numberInt", "$numberLong", "$numberDouble"}, n.Members[0].Key)
	code, ok := literals{}.value(n)
	if !plain || !ok {
		c.problemf(n, "%q is not a number", key)
		return jen.Lit(0)
	}
	return code
}

// entries prints the members of an object as map entries.
func (c *compiler) entries(n *source.Node, value func(*source.Node) jen.Code) []jen.Code {
	if n.Kind != source.Object {
		c.problemf(n, "is %s where an object is expected", n.Kind)
	}
	var out []jen.Code
	for _, m := range n.Members {
		out = append(out, jen.Add(text(m.Key)).Op(":").Add(value(m.Value)))
	}
	return out
}

// providers prints the settings of key management services, which may contain placeholders.
func (c *compiler) providers(n *source.Node) jen.Code {
	provider := func(n *source.Node) jen.Code { return jen.Values(c.entries(n, c.placeholders)...) }
	return jen.Map(jen.String()).Map(jen.String()).Any().Values(c.entries(n, provider)...)
}

// uuid prints the identifier of a data key.
func (c *compiler) uuid(n *source.Node) jen.Code {
	encoded := ""
	if id := n.Get("$uuid"); id != nil {
		if data, err := hex.DecodeString(strings.ReplaceAll(id.Text, "-", "")); err == nil {
			encoded = base64.StdEncoding.EncodeToString(data)
		}
	}
	b := n.Get("$binary")
	if subtype := b.Get("subType"); subtype != nil && b.Has("base64") && strings.TrimPrefix(subtype.Text, "0") == "4" {
		encoded = b.Get("base64").Text
	}
	if data, err := base64.StdEncoding.DecodeString(encoded); err != nil || len(data) != 16 {
		c.problemf(n, "is not a UUID")
		return jen.Nil()
	}
	return module(helpers, "KeyID").Call(text(encoded))
}

// tagSets prints the tag sets of a read preference.
func (c *compiler) tagSets(n *source.Node) jen.Code {
	var sets []jen.Code
	for _, set := range n.Items {
		var tags []jen.Code
		for _, m := range set.Members {
			tags = append(tags, jen.Values(field("Name", text(m.Key)), field("Value", text(m.Value.Text))))
		}
		sets = append(sets, jen.Values(tags...))
	}
	return jen.Index().Add(module(optionsPackage, "TagSet")).Values(sets...)
}

func (c *compiler) values(n *source.Node) []jen.Code {
	if n.Kind != source.Array {
		c.problemf(n, "is %s where an array is expected", n.Kind)
	}
	var out []jen.Code
	for _, i := range n.Items {
		out = append(out, c.value(i))
	}
	return out
}

func (c *compiler) boolean(n *source.Node) bool {
	if n.Kind != source.Bool {
		c.problemf(n, "is %s where a boolean is expected", n.Kind)
	}
	return n.Text == "true"
}

func (c *compiler) str(n *source.Node) string {
	if n.Kind != source.String {
		c.problemf(n, "is %s where a string is expected", n.Kind)
	}
	return n.Text
}

// placeholders prints a value that may contain placeholders. Unified Test Format, "$$placeholder".
func (c *compiler) placeholders(n *source.Node) jen.Code {
	l := literals{operator: func(n *source.Node) (jen.Code, bool) {
		return sharedSymbol("Placeholder"), n.Members[0].Key == "$$placeholder"
	}}
	code, ok := l.value(n)
	if !ok {
		c.problemf(n, "is not extended JSON")
		return jen.Nil()
	}
	return code
}

// model prints a write model. Its object has one key, the kind of the model. Unified Test Format, "bulkWrite".
func (c *compiler) model(n *source.Node) (namespace string, code jen.Code) {
	if n.Kind != source.Object || len(n.Members) != 1 {
		c.problemf(n, "is not a write model")
		return "", jen.Nil()
	}
	m := n.Members[0]
	name := upperFirst(m.Key) + "Model"
	if c.catalogue.structs[name] == nil || m.Value.Kind != source.Object {
		c.problemf(n, "there is not a write model %q", m.Key)
		return "", jen.Nil()
	}
	rest := *m.Value
	rest.Members = nil
	for _, a := range m.Value.Members {
		if a.Key == "namespace" {
			namespace = c.str(a.Value)
			continue
		}
		rest.Members = append(rest.Members, a)
	}
	return namespace, c.structValue(&rest, name)
}

// models prints the write models of a bulk write.
func (c *compiler) models(n *source.Node, client bool) jen.Code {
	var items []jen.Code
	for _, i := range n.Items {
		namespace, code := c.model(i)
		if client {
			database, collection, _ := strings.Cut(namespace, ".")
			code = jen.Values(field("Database", text(database)), field("Collection", text(collection)), field("Model", code))
		}
		items = append(items, code)
	}
	if client {
		return elementPerLine(jen.Index().Add(sharedSymbol("Write")), items)
	}
	return elementPerLine(jen.Index().Add(module(optionsPackage, "WriteModel")), items)
}

// elementPerLine returns a composite literal with one element per line.
func elementPerLine(of *jen.Statement, items []jen.Code) jen.Code {
	if len(items) == 0 {
		return of.Values()
	}
	return of.Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, items...)
}

// namedModel prints an index model: the key that says what is indexed, and the options of the index, next to it or
// in an object of their own.
func (c *compiler) namedModel(n *source.Node, typed bool, model, key, options string) jen.Code {
	if n.Kind != source.Object {
		c.problemf(n, "is %s where an object is expected", n.Kind)
		return jen.Nil()
	}
	rest := *n
	rest.Members = nil
	var values []jen.Code
	for _, m := range n.Members {
		if m.Key == key {
			values = append(values, field(upperFirst(key), c.value(m.Value)))
			continue
		}
		own := []source.Member{m}
		if m.Key == "options" && m.Value.Kind == source.Object {
			own = m.Value.Members
		}
		for _, o := range own {
			if rest.Has(o.Key) {
				c.problemf(o.Value, "the option %q appears twice", o.Key)
				continue
			}
			rest.Members = append(rest.Members, o)
		}
	}
	if len(rest.Members) > 0 {
		values = append(values, field("Options", c.structValue(&rest, options)))
	}
	if typed {
		return module(optionsPackage, model).Values(values...)
	}
	return jen.Values(values...)
}

// namedModels prints a list of index models.
func (c *compiler) namedModels(n *source.Node, model, key, options string) jen.Code {
	var items []jen.Code
	for _, i := range n.Items {
		items = append(items, c.namedModel(i, false, model, key, options))
	}
	return jen.Index().Add(module(optionsPackage, model)).Values(items...)
}
