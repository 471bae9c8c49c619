package suite

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/suite/source"
)

// cmapCase emits CMAP Tests, "Unit Test Format" and "Integration Test Format".
func cmapCase(c *compiler, n *source.Node) []jen.Code {
	f := c.object(n)
	defer f.reportUnread()
	f.str("description")
	if v := f.integer("version"); v != 1 {
		c.problemf(f.need("version"), "version %d of the format is unknown", v)
	}
	style := oneOf(f, "style", map[string]string{"unit": "Unit", "integration": "Integration"})
	args := []jen.Code{jen.Id("t"), jen.Id("options")}
	code := []jen.Code{jen.Id("options").Op(":=").Add(c.poolOptions(f.value("poolOptions")))}
	runOn, hasRunOn := f.listOr("runOn")
	point := f.value("failPoint")
	if style == "Integration" {
		args = append(args, jen.Id("server"))
		code = append(code, jen.Id("server").Op(":=").Add(c.integration(runOn, point)))
	} else if hasRunOn || point != nil {
		c.problemf(n, "only an integration test has runOn and failPoint")
	}
	var body []jen.Code
	for _, op := range f.list("operations") {
		body = append(body, c.cmapOperation(op))
	}
	if e := f.value("error"); e != nil {
		body = append(body, c.cmapError(e))
	} else {
		body = append(body, call("p", "Succeeds"))
	}
	var ignored []jen.Code
	ignore, _ := f.listOr("ignore")
	for _, i := range ignore {
		ignored = append(ignored, c.cmapEventName(i))
	}
	var events []jen.Code
	expected, _ := f.listOr("events")
	for _, e := range expected {
		events = append(events, c.cmapEvent(e))
	}
	if len(events) > 0 {
		if len(ignored) > 0 {
			body = append(body, call("p", "Ignore", ignored...))
		}
		body = append(body, lines(jen.Id("p").Dot("Publishes"), events...))
	}
	script := jen.Func().Params(jen.Id("p").Op("*").Add(helper("checkout", "Pool"))).Block(body...)
	return append(code, helper("checkout", style).Call(append(args, script)...))
}

// poolOptions prints the options of a pool, including the options that only tests have.
func (c *compiler) poolOptions(n *source.Node) jen.Code {
	var values []jen.Code
	if n != nil {
		f := c.object(n)
		for _, o := range []struct {
			key, name string
			millis    bool
		}{
			{"maxPoolSize", "MaxPoolSize", false}, {"minPoolSize", "MinPoolSize", false}, {"maxConnecting", "MaxConnecting", false},
			{"maxIdleTimeMS", "MaxIdleTime", true}, {"waitQueueTimeoutMS", "WaitQueueTimeout", true},
			{"backgroundThreadIntervalMS", "BackgroundThreadInterval", true},
		} {
			v, ok := f.integerOr(o.key)
			if !ok {
				continue
			}
			code := jen.Lit(int(v))
			if o.millis {
				code = code.Op("*").Qual("time", "Millisecond")
			}
			values = append(values, field(o.name, jen.New(code)))
		}
		if name, ok := f.strOr("appName"); ok {
			values = append(values, field("AppName", text(name)))
		}
		f.reportUnread()
	}
	return helper("checkout", "Options").Values(values...)
}

// integration prints what an integration test needs from its server.
func (c *compiler) integration(runOn []*source.Node, point *source.Node) jen.Code {
	var values []jen.Code
	var versions []jen.Code
	for _, n := range runOn {
		f := c.object(n)
		low, _ := f.strOr("minServerVersion")
		high, _ := f.strOr("maxServerVersion")
		f.reportUnread()
		var bounds []jen.Code
		if low != "" {
			bounds = append(bounds, field("Min", jen.Lit(low)))
		}
		if high != "" {
			bounds = append(bounds, field("Max", jen.Lit(high)))
		}
		versions = append(versions, jen.Values(bounds...))
	}
	if len(versions) > 0 {
		values = append(values, field("Versions", jen.Index().Add(helper("checkout", "Versions")).Values(versions...)))
	}
	if point != nil {
		values = append(values, field("FailPoint", c.reply(point)))
	}
	return helper("checkout", "Server").Values(values...)
}

// cmapOperation prints an operation, on the main thread or on a named one.
func (c *compiler) cmapOperation(n *source.Node) jen.Code {
	f := c.object(n)
	defer f.reportUnread()
	on := jen.Id("p")
	if thread, ok := f.strOr("thread"); ok {
		on = on.Dot("On").Call(jen.Lit(thread))
	}
	name := f.str("name")
	switch name {
	case "ready", "close":
		return on.Dot(strings.ToUpper(name[:1]) + name[1:]).Call()
	case "start", "waitForThread":
		method := map[string]string{"start": "Start", "waitForThread": "WaitForThread"}[name]
		return on.Dot(method).Call(jen.Lit(f.str("target")))
	case "wait":
		return on.Dot("Wait").Call(jen.Lit(int(f.integer("ms"))).Op("*").Qual("time", "Millisecond"))
	case "waitForEvent":
		args := []jen.Code{c.cmapEventName(f.need("event")), jen.Lit(int(f.integer("count")))}
		if ms, ok := f.integerOr("timeout"); ok {
			args = append(args, jen.Lit(int(ms)).Op("*").Qual("time", "Millisecond"))
		}
		return on.Dot("WaitForEvent").Call(args...)
	case "checkOut":
		label, _ := f.strOr("label")
		return on.Dot("CheckOut").Call(jen.Lit(label))
	case "checkIn":
		return on.Dot("CheckIn").Call(jen.Lit(f.str("connection")))
	case "clear":
		if interrupt, _ := f.flagOr("interruptInUseConnections"); interrupt {
			return on.Dot("ClearAndInterrupt").Call()
		}
		return on.Dot("Clear").Call()
	}
	c.problemf(n, "unknown operation %q", name)
	return jen.Null()
}

func (c *compiler) cmapEventName(n *source.Node) jen.Code {
	name := c.catalogue.poolEvents[n.Text]
	if n.Kind != source.String || name == "" {
		c.problemf(n, "%q is not an event", n.Text)
	}
	return helper("checkout", name)
}

// dropAny42 leaves out the options whose value is 42: they may have any value, and a pool always has one.
func dropAny42(n *source.Node) *source.Node {
	rest := *n
	rest.Members = slices.DeleteFunc(slices.Clone(n.Members), func(m source.Member) bool { return is42(m.Value) })
	return &rest
}

// cmapEvent prints an event that the pool must publish: a subset of its fields.
func (c *compiler) cmapEvent(n *source.Node) jen.Code {
	f := c.object(n)
	defer f.reportUnread()
	values := []jen.Code{field("Kind", c.cmapEventName(f.need("type")))}
	if a := f.value("address"); a != nil {
		if is42(a) {
			values = append(values, field("HasAddress", jen.True()))
		} else {
			values = append(values, field("Address", text(f.str("address"))))
		}
	}
	if id := f.value("connectionId"); id != nil {
		if is42(id) {
			values = append(values, field("HasConnectionID", jen.True()))
		} else {
			values = append(values, field("ConnectionID", jen.Lit(int(f.integer("connectionId")))))
		}
	}
	if d := f.value("duration"); d != nil {
		if !is42(d) {
			c.problemf(d, "a duration cannot be predicted")
		}
		values = append(values, field("HasDuration", jen.True()))
	}
	if o := f.value("options"); o != nil {
		if is42(o) {
			values = append(values, field("HasOptions", jen.True()))
		} else {
			values = append(values, field("Options", jen.Op("&").Add(c.poolOptions(dropAny42(o)))))
		}
	}
	if r := f.value("reason"); r != nil {
		if is42(r) {
			values = append(values, field("HasReason", jen.True()))
		} else {
			values = append(values, field("Reason", text(f.str("reason"))))
		}
	}
	if i := f.value("interruptInUseConnections"); i != nil {
		if is42(i) {
			values = append(values, field("HasInterruption", jen.True()))
		} else {
			values = append(values, field("InterruptInUseConnections", jen.New(jen.Lit(f.flag("interruptInUseConnections")))))
		}
	}
	return helper("checkout", "Event").Values(values...)
}

// cmapErrors maps the error names of CMAP tests to the helper's kinds of errors.
var cmapErrors = map[string]string{
	"PoolClosedError": "PoolClosedError", "PoolClearedError": "PoolClearedError", "WaitQueueTimeoutError": "WaitQueueTimeoutError",
}

// cmapError prints the error that the main thread must get.
func (c *compiler) cmapError(n *source.Node) jen.Code {
	f := c.object(n)
	defer f.reportUnread()
	var values []jen.Code
	if t := f.value("type"); t != nil && !is42(t) {
		values = append(values, field("Kind", helper("checkout", oneOf(f, "type", cmapErrors))))
	}
	if m := f.value("message"); m != nil && !is42(m) {
		values = append(values, field("Message", text(f.str("message"))))
	}
	if a := f.value("address"); a != nil {
		if is42(a) {
			values = append(values, field("HasAddress", jen.True()))
		} else {
			values = append(values, field("Address", text(f.str("address"))))
		}
	}
	return call("p", "Fails", helper("checkout", "Error").Values(values...))
}
