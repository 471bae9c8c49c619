package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

const eventDir, eventTable = "generated/event", "events/events.yaml"

// Events prints package event: a file of events per monitor, the monitors, and the reasons.
func Events(m *model.Events) []File {
	var out []File
	for _, mon := range m.Monitors {
		f := newFile(eventDir, eventTable)
		for _, e := range mon.Events {
			printEventStruct(f, e)
		}
		for _, s := range mon.Structs {
			printEventStruct(f, s)
		}
		out = append(out, File{Path: eventDir + "/" + mon.Key + ".go", Table: eventTable, Content: f})
	}
	return append(out, eventMonitors(m), eventReasons(m))
}

// printEventStruct prints
//
//	// PoolReady is ...
//	type PoolReady struct {
//		// The server that the pool connects to.
//		Address string
//	}
func printEventStruct(f *jen.File, e model.EventStruct) {
	f.Line()
	addDoc(f, e.Doc)
	addCitation(f, e.Spec)
	f.Type().Id(e.Name).StructFunc(func(g *jen.Group) {
		for _, field := range e.Fields {
			addDocIn(g, field.Doc)
			g.Id(field.Name).Add(eventType(field.Kind))
		}
	})
}

// eventType returns the Go type of a kind.
func eventType(word string) *jen.Statement {
	switch word {
	case "address", "connection", "string":
		return jen.String()
	case "bool":
		return jen.Bool()
	case "document":
		return jen.Qual(pkg("bson"), "Raw")
	case "duration":
		return jen.Qual("time", "Duration")
	case "duration?":
		return jen.Op("*").Qual("time", "Duration")
	case "error":
		return jen.Error()
	case "int":
		return jen.Int()
	case "int?":
		return jen.Op("*").Int()
	case "int64":
		return jen.Int64()
	case "int64?":
		return jen.Op("*").Int64()
	case "objectid":
		return jen.Qual(pkg("bson"), "ObjectID")
	case "objectid?":
		return jen.Op("*").Qual(pkg("bson"), "ObjectID")
	case "server":
		return jen.Op("*").Qual(pkg("generated/description"), "Server")
	case "topology":
		return jen.Op("*").Qual(pkg("generated/description"), "Topology")
	case "ClosedReason", "CheckOutFailedReason":
		return jen.Qual(pkg("generated/event"), word)
	}
	return jen.Id(word) // a struct
}

// eventMonitors prints
//
//	// PoolMonitor hears ...
//	type PoolMonitor struct {
//		PoolReady func(*PoolReady)
//	}
func eventMonitors(m *model.Events) File {
	const table = "events/monitors.yaml"
	f := newFile(eventDir, table)
	for _, mon := range m.Monitors {
		f.Line()
		addDoc(f, mon.Doc)
		addCitation(f, mon.Spec)
		f.Type().Id(mon.Name).StructFunc(func(g *jen.Group) {
			for _, e := range mon.Events {
				g.Id(e.Func).Func().ParamsFunc(func(p *jen.Group) {
					if mon.Context {
						p.Qual("context", "Context")
					}
					p.Op("*").Id(e.Name)
				})
			}
		})
	}
	return File{Path: eventDir + "/monitor.go", Table: table, Content: f}
}

// eventReasons prints
//
//	// ClosedReason says ...
//	type ClosedReason string
//
//	const (
//		// ClosedStale marks ...
//		ClosedStale ClosedReason = "stale"
//	)
func eventReasons(m *model.Events) File {
	const table = "events/reasons.yaml"
	f := newFile(eventDir, table)
	for _, r := range m.Reasons {
		f.Line()
		addDoc(f, r.Doc)
		addCitation(f, r.Spec)
		f.Type().Id(r.Name).String()
		f.Line()
		var members []member
		for _, v := range r.Values {
			members = append(members, member{Name: v.Name, Doc: v.Doc, Value: jen.Lit(v.Value)})
		}
		printConstants(f, r.Name, members)
		printEventReasonText(f, r)
	}
	return File{Path: eventDir + "/reason.go", Table: table, Content: f}
}

// printEventReasonText prints
//
//	func (r ClosedReason) Text() string {
//		switch r {
//		case ClosedStale:
//			return "Connection became stale because the pool was cleared"
//		}
//		return string(r)
//	}
func printEventReasonText(f *jen.File, r model.EventReason) {
	f.Line()
	addDoc(f, "Text is the sentence that log messages have for the reason.")
	f.Func().Params(jen.Id("r").Id(r.Name)).Id("Text").Params().String().Block(
		jen.Switch(jen.Id("r")).BlockFunc(func(g *jen.Group) {
			for _, v := range r.Values {
				g.Case(jen.Id(v.Name)).Block(jen.Return(jen.Lit(v.Text)))
			}
		}),
		jen.Return(jen.String().Call(jen.Id("r"))),
	)
}
