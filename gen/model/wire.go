package model

import "github.com/specdrivers/onion/gen/load"

// Wire is what the emitter of package wire sees.
type Wire struct {
	Opcodes, Sections, Limits, Levels []Constant
	Flags                             []WireFlag
	Sequences                         []WireSequence
	Compressors                       []WireCompressor
	Uncompressible                    []string
	Versions                          []WireVersion
	Features                          []WireFeature
	Minimum, Maximum                  WireVersion
}

// Constant is a named number with its comment.
type Constant struct {
	Name, Doc string
	Value     int
}

// WireFlag is one bit of OP_MSG. A reader that does not know a required bit must report an error.
type WireFlag struct {
	Name, Doc string
	Bit       int
	Required  bool
}

// WireSequence names the arguments of a command that may be sections of kind 1, starting with the one to split.
type WireSequence struct {
	Command   string
	Arguments []string
}

// WireCompressor is one compressor.
type WireCompressor struct {
	Name, Text, Doc string
	ID              int
}

// WireVersion is one server release.
type WireVersion struct {
	Server, Doc string
	Wire        int32
}

// WireFeature is something that servers have since a release.
type WireFeature struct {
	Name, Doc string
	Since     WireVersion
}

// NewWire resolves and checks the tables of the wire protocol.
func NewWire(t *load.Tables) *Wire {
	out := &Wire{}
	names := newGoNames(t)
	addWireProtocol(t, out, names)
	addWireCompression(t, out, names)
	addWireVersions(t, out, names)
	return out
}

func addWireProtocol(t *load.Tables, out *Wire, names goNames) {
	p := t.WireProtocol()
	codes, bits, kinds := newUnique[int32](t), newUnique[int](t), newUnique[int](t)
	for _, r := range p.Opcodes {
		codes.add(r.Code, r.Name, r.At, "opcode %d is named twice", r.Code)
		if r.Code < 0 {
			t.Problemf(r.At, "%s: the opcode %d is negative", r.Name, r.Code)
		}
		out.Opcodes = append(out.Opcodes, constant(t, names, r.Row, r.Name, int(r.Code)))
	}
	for _, r := range p.Flags {
		names.add(r.Name, r.At)
		checkSentence(t, r.At, r.Doc)
		bits.add(r.Bit, r.Name, r.At, "bit %d is named twice", r.Bit)
		if r.Bit < 0 || r.Bit > 31 {
			t.Problemf(r.At, "bit %d is not in 0 to 31", r.Bit)
		}
		out.Flags = append(out.Flags, WireFlag{Name: r.Name, Doc: r.Doc, Bit: r.Bit, Required: r.Bit < 16})
	}
	for _, r := range p.Sections {
		kinds.add(r.Kind, r.Name, r.At, "section kind %d is named twice", r.Kind)
		out.Sections = append(out.Sections, constant(t, names, r.Row, r.Name, r.Kind))
	}
	commands := newUnique[string](t)
	for _, r := range p.Sequences {
		commands.add(r.Command, r.Command, r.At, "command %s is listed twice", r.Command)
		if len(r.Arguments) == 0 {
			t.Problemf(r.At, "%s has no arguments", r.Command)
		}
		out.Sequences = append(out.Sequences, WireSequence{Command: r.Command, Arguments: r.Arguments})
	}
	for _, r := range p.Limits {
		if r.Value < 0 {
			t.Problemf(r.At, "%s: the limit %d is negative", r.Name, r.Value)
		}
		out.Limits = append(out.Limits, constant(t, names, r.Row, r.Name, r.Value))
	}
}

func constant(t *load.Tables, names goNames, r load.Row, name string, value int) Constant {
	names.add(name, r.At)
	checkSentence(t, r.At, r.Doc)
	return Constant{Name: name, Doc: r.Doc, Value: value}
}

func addWireCompression(t *load.Tables, out *Wire, names goNames) {
	c := t.WireCompression()
	ids, texts, commands := newUnique[int](t), newUnique[string](t), newUnique[string](t)
	for _, r := range c.Compressors {
		names.add("Compressor"+r.Name, r.At)
		checkSentence(t, r.At, r.Doc)
		checkByteCode(t, r.At, r.ID)
		ids.add(r.ID, r.Name, r.At, "compressor %d is named twice", r.ID)
		texts.add(r.Text, r.Name, r.At, "compressor name %s is used twice", r.Text)
		out.Compressors = append(out.Compressors, WireCompressor{Name: r.Name, Text: r.Text, Doc: r.Doc, ID: r.ID})
	}
	for _, r := range c.Levels {
		out.Levels = append(out.Levels, constant(t, names, r.Row, r.Name, r.Value))
	}
	for _, r := range c.Uncompressible {
		commands.add(r.Command, r.Command, r.At, "command %s is listed twice", r.Command)
		out.Uncompressible = append(out.Uncompressible, r.Command)
	}
}

// addWireVersions checks that releases and wire versions rise together and that exactly one row is the minimum and exactly
// one the maximum that the driver speaks.
func addWireVersions(t *load.Tables, out *Wire, names goNames) {
	v := t.WireVersions()
	releases := map[string]WireVersion{}
	marks := newUnique[string](t)
	last := int32(-1)
	servers := newUnique[string](t)
	for _, r := range v.Rows {
		servers.add(r.Server, r.Server, r.At, "release %s is listed twice", r.Server)
		checkSentence(t, r.At, r.Doc)
		if r.Wire <= last {
			t.Problemf(r.At, "wire version %d of %s does not follow %d", r.Wire, r.Server, last)
		}
		last = r.Wire
		release := WireVersion{Server: r.Server, Doc: r.Doc, Wire: r.Wire}
		releases[r.Server] = release
		out.Versions = append(out.Versions, release)
		if r.Minimum {
			marks.add("minimum", r.Server, r.At, "the minimum is marked twice")
			out.Minimum = release
		}
		if r.Maximum {
			marks.add("maximum", r.Server, r.At, "the maximum is marked twice")
			out.Maximum = release
		}
	}
	if out.Minimum.Server == "" {
		t.Problemf(load.Pos{File: "specs/wire/versions.yaml", Line: 1}, "no row is the minimum")
	}
	if out.Maximum.Server == "" {
		t.Problemf(load.Pos{File: "specs/wire/versions.yaml", Line: 1}, "no row is the maximum")
	}
	for _, r := range v.Features {
		names.add(r.Name, r.At)
		checkSentence(t, r.At, r.Doc)
		since, ok := releases[r.Since]
		if !ok {
			t.Problemf(r.At, "%s: there is no release %s", r.Name, r.Since)
		}
		out.Features = append(out.Features, WireFeature{Name: r.Name, Doc: r.Doc, Since: since})
	}
}
