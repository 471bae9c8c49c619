package model

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/specdrivers/onion/gen/load"
)

const lampMachine = `table: lamp
title: A lamp
doc: A lamp with one switch.
spec: none
package: core/lamp
terms:
  - {name: Bulb, place: state, given: true, doc: "Bulb is what gives light.", members: [{name: Whole, doc: "Whole gives light."}, {name: Broken, doc: "Broken gives none."}]}
  - {name: Light, place: state, doc: "Light is what one sees.", members: [{name: Dark, doc: "Dark is none."}, {name: Bright, doc: "Bright is some."}]}
  - {name: What, place: event, doc: "What happens.", members: [{name: Pressed, doc: "Pressed is the switch."}, {name: Cut, doc: "Cut is the power."}]}
  - {name: Sound, place: verdict, doc: "Sound is what one hears.", members: [{name: Silence, doc: "Silence is none."}, {name: Click, doc: "Click is short."}]}
steps:
  - {on: Pressed, asks: [light], doc: "The light changes."}
  - {on: Cut, asks: [light], doc: "The light goes."}
`

const lampDecision = `table: light
title: Is there light?
doc: light follows the switch.
spec: none
asks: [What, Bulb, Light]
gives: [Light, Sound]
rows:
  - {name: NoPower, when: {What: Cut}, then: {Light: Dark, Sound: Silence}, doc: "There is no power."}
  - {name: NoBulb, when: {Bulb: Broken}, then: {Light: Dark, Sound: Click}, doc: "The bulb is broken."}
  - {name: Off, when: {Light: Bright}, then: {Light: Dark, Sound: Click}, doc: "It was on."}
  - {name: On, when: {}, then: {Light: Bright, Sound: Click}, doc: "It was off."}
`

func lamp(machine, decision string) (*DecisionGroup, string) {
	return lampWith(machine, map[string]string{"light": decision})
}

func lampWith(machine string, decisions map[string]string) (*DecisionGroup, string) {
	files := fstest.MapFS{"lamp/machine.yaml": {Data: []byte(machine)}}
	for name, text := range decisions {
		files["lamp/decisions/"+name+".yaml"] = &fstest.MapFile{Data: []byte(text)}
	}
	tables := load.NewTables(files)
	m := NewDecisionGroup("lamp")(tables)
	var problems []string
	for _, p := range tables.Problems() {
		problems = append(problems, p.String())
	}
	return m, strings.Join(problems, "\n")
}

func TestEdgesShowWhichRowsAnEventReaches(t *testing.T) {
	m, problems := lamp(lampMachine, lampDecision)
	if problems != "" {
		t.Fatal(problems)
	}
	want := []DecisionEdge{
		{"Pressed", "NoBulb", "Click"}, {"Pressed", "Off", "Click"}, {"Pressed", "On", "Click"}, {"Cut", "NoPower", "Silence"},
	}
	if len(m.Edges) != len(want) {
		t.Fatalf("edges %v, want %v", m.Edges, want)
	}
	for i := range want {
		if m.Edges[i] != want[i] {
			t.Errorf("edge %v, want %v", m.Edges[i], want[i])
		}
	}
}

// Every mistake in a group of decisions is a problem with a file and line.
func TestMistakesInADecisionAreRefused(t *testing.T) {
	for _, tt := range []struct{ name, from, to, want string }{
		{"a situation without a row", "  - {name: On, when: {}", "  - {name: On, when: {Bulb: Broken}",
			"light.yaml:1: light: no row fits What Pressed, Bulb Whole, Light Dark"},
		{"a row that never decides", "{name: NoBulb, when: {Bulb: Broken}", "{name: NoBulb, when: {What: Cut, Bulb: Broken}",
			"light.yaml:9: NoBulb: the rows above it take every situation that it fits"},
		{"a column that no row looks at", "when: {Bulb: Broken}", "when: {Light: Bright}", "light: no row looks at Bulb"},
		{"a value that does not exist", "when: {Bulb: Broken}", "when: {Bulb: Burnt}", "light.yaml:9: NoBulb: Bulb has no member Burnt"},
		{"a value given twice", "when: {Bulb: Broken}", "when: {Bulb: [Broken, Broken]}", "NoBulb: Broken is given twice"},
		{"every value of a column", "when: {Bulb: Broken}", "when: {Bulb: [Broken, Whole]}", "NoBulb: leave Bulb out if it may have any value"},
		{"a column that is not asked", "when: {Bulb: Broken}", "when: {Sound: Click}", "NoBulb: Sound is not a column of light"},
		{"a result that is missing", "then: {Light: Dark, Sound: Silence}", "then: {Light: Dark}", "NoPower does not say Sound"},
		{"a result that is not given", "gives: [Light, Sound]", "gives: [Light]", "NoPower: light does not give Sound"},
		{"a result that does not exist", "Sound: Silence}, doc", "Sound: Bang}, doc", "NoPower: Sound has no member Bang"},
		{"a term that does not exist", "asks: [What, Bulb, Light]", "asks: [What, Bulb, Light, Heat]", "light.yaml:5: there is no term Heat"},
		{"an event that is given", "gives: [Light, Sound]", "gives: [Light, Sound, What]", "light: an event comes in, a decision cannot give What"},
		{"two rows of one name", "{name: Off,", "{name: NoBulb,", "name LightNoBulb is given twice"},
		{"another name than the file's", "table: light\n", "table: lights\n", "the file of a decision is named after its table, lights"},
		{"an event without a step", "  - {on: Cut, asks: [light], doc: \"The light goes.\"}\n", "", "Cut has no step"},
		{"a step of no event", "{on: Cut, asks", "{on: Dropped, asks", "What: there is not an event Dropped"},
		{"a step given twice", "{on: Cut, asks", "{on: Pressed, asks", "the step of Pressed is given twice"},
		{"a decision that does not exist", "{on: Cut, asks: [light]", "{on: Cut, asks: [light, heat]", "Cut: there is no decision heat"},
		{"a member that no row mentions", "{name: Click, doc: \"Click is short.\"}", "{name: Click, doc: \"Click is short.\"}, {name: Hum, doc: \"Hum is long.\"}",
			"machine.yaml:10: Sound: no row mentions Hum"},
		{"a place that does not exist", "place: verdict", "place: answer", "Sound: the place of a term must be state, event or verdict"},
		{"a verdict that is given", "place: verdict", "place: verdict, given: true", "Sound: only a term of the state is given"},
		{"a state that nothing sets", "place: state, given: true", "place: state", "Bulb: nothing sets it"},
		{"a column twice", "asks: [What, Bulb, Light]", "asks: [What, Bulb, Light, Bulb]", "light.yaml:5: column Bulb is given twice"},
		{"a state that no decision asks for", "  - {name: What, place", "  - {name: Heat, place: state, given: true, doc: \"Heat is felt.\", members: [{name: Cold, doc: \"Cold is none.\"}, {name: Hot, doc: \"Hot is some.\"}]}\n  - {name: What, place",
			"machine.yaml:9: Heat: no decision asks for it"},
		{"a verdict that no decision gives", "  - {name: What, place", "  - {name: Heat, place: verdict, doc: \"Heat is felt.\", members: [{name: Cold, doc: \"Cold is none.\"}, {name: Hot, doc: \"Hot is some.\"}]}\n  - {name: What, place",
			"machine.yaml:9: Heat: no decision gives it"},
		{"no event", "name: What, place: event", "name: What, place: state, given: true", "no term has the place event"},
		{"one member", ", {name: Cut, doc: \"Cut is the power.\"}", "", "What: a term needs at least two members"},
		{"no sentence", "The bulb is broken.", "The bulb is broken", "doc needs a sentence"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			machine := strings.Replace(lampMachine, tt.from, tt.to, 1)
			decision := strings.Replace(lampDecision, tt.from, tt.to, 1)
			if machine == lampMachine && decision == lampDecision {
				t.Fatalf("nothing to change: %s", tt.from)
			}
			if _, problems := lamp(machine, decision); !strings.Contains(problems, tt.want) {
				t.Errorf("it says\n%s\nand not %q", problems, tt.want)
			}
		})
	}
}

// A decision may ask only for what an earlier one gave, and must not have more situations than the generator can visit.
func TestDecisionsAskOnlyForEarlierResults(t *testing.T) {
	const noise = `table: noise
title: Is there noise?
doc: noise follows the click.
spec: none
asks: [Sound]
gives: [Noise]
rows:
  - {name: Quiet, when: {Sound: Silence}, then: {Noise: Off}, doc: "Nothing is heard."}
  - {name: Loud, when: {}, then: {Noise: On}, doc: "A click is heard."}
`
	machine := strings.Replace(lampMachine, "steps:", `  - {name: Noise, place: verdict, doc: "Noise is heard.", members: [{name: "Off", doc: "Off is none."}, {name: "On", doc: "On is some."}]}
steps:`, 1)
	many := func(name string) string {
		members := make([]string, 800)
		for i := range members {
			members[i] = fmt.Sprintf(`{name: %s%d, doc: "One of many."}`, name, i)
		}
		return fmt.Sprintf("  - {name: %s, place: state, given: true, doc: \"Many.\", members: [%s]}\n", name, strings.Join(members, ", "))
	}
	for _, tt := range []struct{ name, machine, noise, want string }{
		{"a decision that no step asks", machine, noise, "noise.yaml: no step asks noise"},
		{"a decision before what it asks for", strings.Replace(machine, "asks: [light]", "asks: [noise, light]", 1), noise,
			"Pressed: noise asks for Sound, which light gives too late"},
		{"too many situations", strings.Replace(machine, "steps:", many("Wide")+many("Long")+"steps:", 1),
			strings.Replace(noise, "[Sound]", "[Sound, Wide, Long]", 1), "noise: its columns have 1280000 combinations, which is too much for one decision"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, problems := lampWith(tt.machine, map[string]string{"light": lampDecision, "noise": tt.noise})
			if !strings.Contains(problems, tt.want) {
				t.Errorf("it says\n%s\nand not %q", problems, tt.want)
			}
		})
	}
}
