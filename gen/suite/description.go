package suite

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/suite/source"
)

// typeName prints the constant of a server or topology type.
func typeName(f *fields, key string, names map[string]string) jen.Code {
	return module("generated/description", oneOf(f, key, names))
}

// topology prints a mocked topology of a selection test.
func (c *compiler) topology(n *source.Node) jen.Code {
	f := c.object(n)
	defer f.reportUnread()
	kind := typeName(f, "type", c.catalogue.topologyTypes)
	var servers []jen.Code
	for _, s := range f.list("servers") {
		servers = append(servers, c.server(s))
	}
	list := jen.Index().Add(module("generated/description", "Server")).
		Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, servers...)
	return jen.Op("&").Add(module("generated/description", "Topology")).Values(field("Type", kind), field("Servers", list))
}

// server prints a server of a mocked topology. It leaves out the type because the list names it.
func (c *compiler) server(n *source.Node) jen.Code {
	f := c.object(n)
	defer f.reportUnread()
	values := []jen.Code{
		field("Address", jen.Lit(f.str("address"))),
		field("Type", typeName(f, "type", c.catalogue.serverTypes)),
	}
	if rtt := f.value("avg_rtt_ms"); rtt != nil && c.kind(rtt, "avg_rtt_ms", source.Number) {
		values = append(values, field("RTT", millis(rtt.Text)))
	}
	if tags := f.value("tags"); tags != nil {
		if pairs := c.strings(tags); len(pairs) > 0 {
			values = append(values, field("Tags", jen.Map(jen.String()).String().Values(pairs...)))
		}
	}
	for _, wire := range []struct{ key, name string }{{"minWireVersion", "MinWireVersion"}, {"maxWireVersion", "MaxWireVersion"}} {
		if v, ok := f.integerOr(wire.key); ok {
			values = append(values, field(wire.name, jen.Lit(int(v))))
		}
	}
	if at, ok := f.integerOr("lastUpdateTime"); ok {
		values = append(values, field("LastUpdateTime", unixMilli(at)))
	}
	if last := f.value("lastWrite"); last != nil {
		w := c.object(last)
		values = append(values, field("LastWriteDate", unixMilli(w.integer("lastWriteDate"))))
		w.reportUnread()
	}
	return jen.Values(values...)
}

func unixMilli(ms int64) jen.Code { return jen.Qual("time", "UnixMilli").Call(jen.Lit(int(ms))) }

// strings prints the pairs of an object of strings, for a map literal.
func (c *compiler) strings(n *source.Node) []jen.Code {
	var pairs []jen.Code
	for _, m := range c.object(n).n.Members {
		if c.kind(m.Value, m.Key, source.String) {
			pairs = append(pairs, text(m.Key).(*jen.Statement).Op(":").Add(text(m.Value.Text)))
		}
	}
	return pairs
}

// readPreference prints a read preference document.
func (c *compiler) readPreference(n *source.Node) jen.Code {
	f := c.object(n)
	defer f.reportUnread()
	var values []jen.Code
	if f.value("mode") != nil {
		mode := oneOf(f, "mode", c.catalogue.modes)
		values = append(values, field("Mode", module("generated/options", mode)))
	}
	sets, ok := f.listOr("tag_sets")
	if one := f.value("tags"); one != nil { // Server Selection Tests, "Random Selection Within Latency Window"
		sets, ok = append(sets, one), true
	}
	if ok {
		var list []jen.Code
		for _, set := range sets {
			var tags []jen.Code
			for _, m := range c.object(set).n.Members {
				if c.kind(m.Value, m.Key, source.String) {
					tags = append(tags, jen.Values(field("Name", text(m.Key)), field("Value", text(m.Value.Text))))
				}
			}
			list = append(list, jen.Values(tags...))
		}
		values = append(values, field("TagSets", jen.Index().Add(module("generated/options", "TagSet")).Values(list...)))
	}
	if s, ok := f.integerOr("maxStalenessSeconds"); ok {
		values = append(values, field("MaxStaleness", jen.New(jen.Lit(int(s)).Op("*").Qual("time", "Second"))))
	}
	if hedge := f.value("hedge"); hedge != nil {
		h := c.object(hedge)
		var enabled []jen.Code
		if on, ok := h.flagOr("enabled"); ok {
			enabled = append(enabled, field("Enabled", jen.New(jen.Lit(on))))
		}
		h.reportUnread()
		values = append(values, field("Hedge", jen.Op("&").Add(module("generated/options", "Hedge")).Values(enabled...)))
	}
	return jen.Op("&").Add(module("generated/options", "ReadPreference")).Values(values...)
}

// addresses prints the addresses of servers that a test lists, and checks that the test describes them as the topology
// does.
func (c *compiler) addresses(list []*source.Node, topology *source.Node) []jen.Code {
	var out []jen.Code
	for _, n := range list {
		f := c.object(n)
		address := f.str("address")
		c.server(n)
		servers := topology.Get("servers")
		if servers != nil && !slices.ContainsFunc(servers.Items, func(s *source.Node) bool {
			a := s.Get("address")
			return a != nil && a.Text == address
		}) {
			c.problemf(n, "the topology has no server %s", address)
		}
		out = append(out, jen.Lit(address))
	}
	return out
}
