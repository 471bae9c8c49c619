package suite

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/suite/source"
)

// sdamCase emits Server Discovery And Monitoring Tests, "Format": a conversation with servers, phase by phase.
func sdamCase(c *compiler, n *source.Node) []jen.Code {
	f := c.object(n)
	defer f.reportUnread()
	f.strOr("description")
	s := &sdamScript{c: c}
	s.add(jen.Id("c").Op(":=").Add(helper("discovery", "Client")).Call(jen.Id("t"), text(f.str("uri"))))
	for _, phase := range f.list("phases") {
		s.addPhase(phase)
	}
	return s.body
}

type sdamScript struct {
	c        *compiler
	body     []jen.Code
	topology bool // whether the variable topology exists already; server likewise
	server   bool
}

func (s *sdamScript) add(code ...jen.Code) { s.body = append(s.body, code...) }

func (s *sdamScript) addPhase(n *source.Node) {
	f := s.c.object(n)
	defer f.reportUnread()
	s.add(jen.Line())
	if d, ok := f.strOr("description"); ok {
		for _, line := range wrap(d) {
			s.add(jen.Comment("// " + line))
		}
	}
	responses, _ := f.listOr("responses")
	for _, r := range responses {
		s.addResponse(r)
	}
	errors, _ := f.listOr("applicationErrors")
	for _, e := range errors {
		s.addApplicationError(e)
	}
	s.assertOutcome(f.need("outcome"))
}

// addResponse adds a pair of an address and a reply to hello. An empty reply is a network error.
func (s *sdamScript) addResponse(n *source.Node) {
	if n.Kind != source.Array || len(n.Items) != 2 || n.Items[0].Kind != source.String || n.Items[1].Kind != source.Object {
		s.c.problemf(n, "a response is a pair of an address and a reply")
		return
	}
	address := jen.Lit(n.Items[0].Text)
	if len(n.Items[1].Members) == 0 {
		s.add(call("c", "HelloFails", address))
		return
	}
	s.add(call("c", "HelloReply", address, s.c.reply(n.Items[1])))
}

// reply prints a document that a server sends.
func (c *compiler) reply(n *source.Node) jen.Code {
	code, ok := literals{}.document(n)
	if !ok {
		c.problemf(n, "is not extended JSON")
		return jen.Nil()
	}
	return code
}

func (s *sdamScript) addApplicationError(n *source.Node) {
	f := s.c.object(n)
	defer f.reportUnread()
	when := oneOf(f, "when", map[string]string{
		"beforeHandshakeCompletes": "BeforeHandshake", "afterHandshakeCompletes": "AfterHandshake",
	})
	method := oneOf(f, "type", map[string]string{
		"command": "CommandError", "network": "NetworkError", "timeout": "Timeout",
	})
	args := []jen.Code{jen.Lit(f.str("address")), helper("discovery", when)}
	switch response := f.value("response"); {
	case method == "CommandError" && response == nil:
		s.c.problemf(n, "a command error has no response")
	case method == "CommandError":
		args = append(args, s.c.reply(response))
	case response != nil:
		s.c.problemf(response, "only a command error has a response")
	}
	if v, ok := f.integerOr("maxWireVersion"); ok {
		args = append(args, helper("discovery", "WireVersion").Call(jen.Lit(int(v))))
	}
	if g, ok := f.integerOr("generation"); ok {
		args = append(args, helper("discovery", "Generation").Call(jen.Lit(int(g))))
	}
	s.add(call("c", method, args...))
}

// assertOutcome asserts the topology, or the events that were published, or both.
func (s *sdamScript) assertOutcome(n *source.Node) {
	f := s.c.object(n)
	defer f.reportUnread()
	if events, ok := f.listOr("events"); ok {
		var list []jen.Code
		for _, e := range events {
			list = append(list, s.c.sdamEvent(e))
		}
		s.add(lines(jen.Id("c").Dot("Publishes"), list...))
		if !f.n.Has("topologyType") {
			return
		}
	}
	op := ":="
	if s.topology {
		op = "="
	}
	s.topology = true
	s.add(jen.Id("top").Op(op).Id("c").Dot("Topology").Call(typeName(f, "topologyType", s.c.catalogue.topologyTypes)))
	s.assertOptional(f, "top", "setName", "SetName", stringArg)
	s.assertOptional(f, "top", "logicalSessionTimeoutMinutes", "LogicalSessionTimeoutMinutes", integerArg)
	s.assertOptional(f, "top", "maxSetVersion", "MaxSetVersion", integerArg)
	s.assertOptional(f, "top", "maxElectionId", "MaxElectionID", valueArg)
	if compatible, ok := f.flagOr("compatible"); ok {
		s.add(call("top", "Compatible", jen.Lit(compatible)))
	}
	servers := s.c.object(f.need("servers"))
	var names []jen.Code
	for _, m := range servers.n.Members {
		names = append(names, jen.Lit(m.Key))
	}
	s.add(call("top", "Servers", names...))
	for _, m := range servers.n.Members {
		s.assertServerOutcome(m.Key, m.Value)
	}
}

func (s *sdamScript) assertServerOutcome(address string, n *source.Node) {
	f := s.c.object(n)
	defer f.reportUnread()
	server := jen.Id("top").Dot("Server").Call(jen.Lit(address), typeName(f, "type", s.c.catalogue.serverTypes))
	before := len(s.body)
	s.add(server)
	if e, ok := f.strOr("error"); ok {
		s.add(call("s", "ErrorContains", text(e)))
	}
	s.assertOptional(f, "s", "setName", "SetName", stringArg)
	s.assertOptional(f, "s", "setVersion", "SetVersion", integerArg)
	s.assertOptional(f, "s", "electionId", "ElectionID", valueArg)
	s.assertOptional(f, "s", "logicalSessionTimeoutMinutes", "LogicalSessionTimeoutMinutes", integerArg)
	s.assertOptional(f, "s", "minWireVersion", "MinWireVersion", integerArg)
	s.assertOptional(f, "s", "maxWireVersion", "MaxWireVersion", integerArg)
	s.assertOptional(f, "s", "topologyVersion", "TopologyVersion", valueArg)
	if pool := f.value("pool"); pool != nil {
		p := s.c.object(pool)
		s.add(call("s", "PoolGeneration", jen.Lit(int(p.integer("generation")))))
		p.reportUnread()
	}
	if len(s.body) > before+1 {
		op := ":="
		if s.server {
			op = "="
		}
		s.server = true
		s.body[before] = jen.Id("s").Op(op).Add(server)
	}
}

// assertOptional asserts the value of a key that is present. For null it calls the method with the opposite name, which
// asserts that there is no value.
func (s *sdamScript) assertOptional(f *fields, on, key, method string, arg func(*compiler, *source.Node, string) jen.Code) {
	switch n := f.get(key); {
	case n == nil:
	case n.Kind == source.Null:
		s.add(call(on, "No"+method))
	default:
		s.add(call(on, method, arg(s.c, n, key)))
	}
}

func stringArg(c *compiler, n *source.Node, key string) jen.Code {
	c.kind(n, key, source.String)
	return text(n.Text)
}

func integerArg(c *compiler, n *source.Node, key string) jen.Code {
	return jen.Lit(int(c.integer(n, key)))
}

func valueArg(c *compiler, n *source.Node, key string) jen.Code {
	code, ok := literals{}.value(n)
	if !ok {
		c.problemf(n, "%q is not extended JSON", key)
		return jen.Nil()
	}
	return code
}
