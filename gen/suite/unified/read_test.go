package unified

import (
	"testing"
)

func TestReadKeepsWhatTheFileSays(t *testing.T) {
	f := load(t)
	file, found := f.Read(parse(t, whole))
	if len(found) > 0 {
		t.Fatal(found)
	}
	if file.SchemaVersion != "1.28" || len(file.RunOn) != 1 || file.RunOn[0].Topologies[1] != "load-balanced" {
		t.Errorf("head: %+v", file)
	}
	if e := file.Entities[1]; e.Kind != "database" || e.ID != "d" || e.Owner != "c" || e.Name != "n" {
		t.Errorf("entity: %+v", e)
	}
	test := file.Tests[0]
	if o := test.Operations[0]; o.Name != "find" || o.Object != "d" || o.Error == nil || *o.Error.Code != 1 || o.Result != nil {
		t.Errorf("operation: %+v", o)
	}
	if e := test.Events; e[0].Kind != "command" || e[1].Kind != "cmap" || e[1].List[0].Fields[0].Match.Value.Text != "true" {
		t.Errorf("events: %+v", e)
	}
	if l := test.Logs[0].List[0]; l.Level != "debug" || l.Component != "topology" || l.Data == nil {
		t.Errorf("log: %+v", l)
	}
	if s := test.Spans[0].List[0]; s.Name != "find" || s.Nested[0].Name != "x" {
		t.Errorf("span: %+v", s)
	}
}

func TestReadMatches(t *testing.T) {
	const text = `
description: d
schemaVersion: "1.0"
tests:
  - description: t
    operations:
      - name: n
        object: o
        expectResult:
          a: {$$unsetOrMatches: {b: {$$exists: false}}}
          c: [1, {$$type: [int, long]}]
          d: {$set: {}}
          e: {}
`
	file, found := load(t).Read(parse(t, text))
	if len(found) > 0 {
		t.Fatal(found)
	}
	m := file.Tests[0].Operations[0].Result
	unset := m.Fields[0].Match
	if unset.Operator != "$$unsetOrMatches" || unset.Inner.Fields[0].Match.Operator != "$$exists" ||
		unset.Inner.Fields[0].Match.Argument.Text != "false" {
		t.Errorf("a: %+v", unset)
	}
	list := m.Fields[1].Match
	if list.Items[0].Value.Text != "1" || len(list.Items[1].Argument.Items) != 2 {
		t.Errorf("c: %+v", list)
	}
	if d := m.Fields[2].Match; d.Operator != "" || d.Fields[0].Key != "$set" {
		t.Errorf("d: %+v", d)
	}
	if e := m.Fields[3].Match; e.Fields == nil || len(e.Fields) != 0 {
		t.Errorf("e: %+v", e)
	}
}

func TestReadRejectsUnknownOperators(t *testing.T) {
	const text = `
description: d
schemaVersion: "1.0"
tests:
  - description: t
    operations: [{name: n, object: o, expectResult: {$$perhaps: 1}}]
`
	_, found := load(t).Read(parse(t, text))
	if len(found) != 1 || found[0].String() != "tests[0]: no operator is called $$perhaps" {
		t.Errorf("got %v", found)
	}
}
