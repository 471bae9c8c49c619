package suite

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/suite/source"
)

// sdamEvent prints an event that a client must publish.
func (c *compiler) sdamEvent(n *source.Node) jen.Code {
	if n.Kind != source.Object || len(n.Members) != 1 || c.catalogue.topologyEvents[n.Members[0].Key] == "" {
		c.problemf(n, "is not an event")
		return jen.Nil()
	}
	name := c.catalogue.topologyEvents[n.Members[0].Key]
	f := c.object(n.Members[0].Value)
	defer f.reportUnread()
	f.need("topologyId") // any value matches the topology's one identifier
	var values []jen.Code
	switch name {
	case "ServerOpening", "ServerClosed", "ServerDescriptionChanged":
		values = append(values, field("Address", jen.Lit(f.str("address"))))
	}
	switch name {
	case "ServerDescriptionChanged":
		values = append(values,
			field("Previous", c.eventServer(f.need("previousDescription"), true)),
			field("New", c.eventServer(f.need("newDescription"), true)))
	case "TopologyDescriptionChanged":
		values = append(values,
			field("Previous", c.eventTopology(f.need("previousDescription"))),
			field("New", c.eventTopology(f.need("newDescription"))))
	}
	return helper("discovery", name).Values(values...)
}

func (c *compiler) eventTopology(n *source.Node) jen.Code {
	f := c.object(n)
	defer f.reportUnread()
	values := []jen.Code{field("Type", typeName(f, "topologyType", c.catalogue.topologyTypes))}
	values = append(values, f.eventString("setName", "SetName")...)
	var servers []jen.Code
	for _, s := range f.list("servers") {
		servers = append(servers, c.eventServer(s, false))
	}
	if len(servers) > 0 {
		list := jen.Index().Add(helper("discovery", "ServerDescription")).
			Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, servers...)
		values = append(values, field("Servers", list))
	}
	return helper("discovery", "TopologyDescription").Values(values...)
}

// eventServer prints a description of a server; inside a list it leaves out the type.
func (c *compiler) eventServer(n *source.Node, typed bool) jen.Code {
	f := c.object(n)
	defer f.reportUnread()
	values := []jen.Code{
		field("Address", jen.Lit(f.str("address"))),
		field("Type", typeName(f, "type", c.catalogue.serverTypes)),
	}
	for _, list := range []struct{ key, name string }{
		{"hosts", "Hosts"}, {"passives", "Passives"}, {"arbiters", "Arbiters"},
	} {
		items, ok := f.listOr(list.key)
		if !ok {
			continue
		}
		var hosts []jen.Code
		for _, item := range items {
			if c.kind(item, list.key, source.String) {
				hosts = append(hosts, jen.Lit(item.Text))
			}
		}
		values = append(values, field(list.name, jen.Index().String().Values(hosts...)))
	}
	values = append(values, f.eventString("primary", "Primary")...)
	values = append(values, f.eventString("setName", "SetName")...)
	if typed {
		return helper("discovery", "ServerDescription").Values(values...)
	}
	return jen.Values(values...)
}

// eventString prints a string that may be null, which means empty, or absent, which means any.
func (f *fields) eventString(key, name string) []jen.Code {
	switch n := f.get(key); {
	case n == nil:
		return nil
	case n.Kind == source.Null:
		return []jen.Code{field(name, jen.New(jen.Lit("")))}
	default:
		f.c.kind(n, key, source.String)
		return []jen.Code{field(name, jen.New(text(n.Text)))}
	}
}
