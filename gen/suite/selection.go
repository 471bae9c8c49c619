package suite

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/suite/source"
)

// selectionCase emits Server Selection Tests, "Server Selection Logic Tests".
func selectionCase(c *compiler, n *source.Node) []jen.Code {
	f := c.object(n)
	defer f.reportUnread()
	f.strOr("description")
	operation := oneOf(f, "operation", map[string]string{"read": "Read", "write": "Write"})
	return f.selection(operation)
}

// stalenessCase emits Max Staleness Tests, "Test Format and Use".
func stalenessCase(c *compiler, n *source.Node) []jen.Code {
	f := c.object(n)
	defer f.reportUnread()
	f.strOr("description")
	return f.selection("Read")
}

// selection prints what both formats share.
func (f *fields) selection(operation string) []jen.Code {
	topology := f.need("topology_description")
	args := []jen.Code{jen.Id("t"), jen.Id("topology")}
	body := []jen.Code{jen.Id("topology").Op(":=").Add(f.c.topology(topology))}
	if p := f.value("read_preference"); p != nil {
		body = append(body, jen.Id("preference").Op(":=").Add(f.c.readPreference(p)))
		args = append(args, jen.Id("preference"))
	} else {
		args = append(args, jen.Nil())
	}
	body = append(body, jen.Id("s").Op(":=").Add(helper("election", operation)).Call(args...))
	if ms, ok := f.integerOr("heartbeatFrequencyMS"); ok {
		body = append(body, call("s", "Heartbeat", jen.Lit(int(ms)).Op("*").Qual("time", "Millisecond")))
	}
	if list, ok := f.listOr("deprioritized_servers"); ok {
		body = append(body, call("s", "Deprioritize", f.c.addresses(list, topology)...))
	}
	if bad, _ := f.flagOr("error"); bad {
		return append(body, call("s", "Fails"))
	}
	if list, ok := f.listOr("suitable_servers"); ok {
		body = append(body, call("s", "Suitable", f.c.addresses(list, topology)...))
	}
	return append(body, call("s", "InWindow", f.c.addresses(f.list("in_latency_window"), topology)...))
}

// windowCase emits Server Selection Tests, "Selection Within Latency Window YAML Tests".
func windowCase(c *compiler, n *source.Node) []jen.Code {
	f := c.object(n)
	defer f.reportUnread()
	f.strOr("description")
	topology := f.need("topology_description")
	body := []jen.Code{
		jen.Id("topology").Op(":=").Add(c.topology(topology)),
		jen.Id("w").Op(":=").Add(helper("election", "Window")).Call(jen.Id("t"), jen.Id("topology")),
	}
	for _, s := range f.list("mocked_topology_state") {
		state := c.object(s)
		body = append(body, call("w", "InFlight", jen.Lit(state.str("address")), jen.Lit(int(state.integer("operation_count")))))
		state.reportUnread()
	}
	outcome := c.object(f.need("outcome"))
	defer outcome.reportUnread()
	body = append(body, call("w", "Run", jen.Lit(int(f.integer("iterations")))))
	tolerance := outcome.need("tolerance")
	c.kind(tolerance, "tolerance", source.Number)
	for _, m := range c.object(outcome.need("expected_frequencies")).n.Members {
		if c.kind(m.Value, m.Key, source.Number) {
			body = append(body, call("w", "Share", jen.Lit(m.Key), jen.Id(m.Value.Text), jen.Id(tolerance.Text)))
		}
	}
	return body
}

// rttCase emits Server Selection Tests, "RTT Calculation Tests".
func rttCase(c *compiler, n *source.Node) []jen.Code {
	f := c.object(n)
	defer f.reportUnread()
	f.strOr("description")
	var constructor *jen.Statement
	if old := f.need("avg_rtt_ms"); old.Kind == source.String && old.Text == "NULL" || old.Kind == source.Null {
		constructor = helper("election", "FirstAverage").Call(jen.Id("t"), millis(f.number("new_rtt_ms")))
	} else {
		constructor = helper("election", "Average").Call(jen.Id("t"), millis(f.number("avg_rtt_ms")), millis(f.number("new_rtt_ms")))
	}
	return []jen.Code{constructor.Dot("Is").Call(millis(f.number("new_avg_rtt")))}
}

// number returns the spelling of a required number.
func (f *fields) number(key string) string {
	if n := f.need(key); f.n.Has(key) && f.c.kind(n, key, source.Number) {
		return n.Text
	}
	return "0"
}
