package load

// WireProtocol is specs/wire/protocol.yaml.
type WireProtocol struct {
	Header
	Opcodes   []WireOpcode   `yaml:"opcodes"`
	Flags     []WireFlag     `yaml:"flags"`
	Sections  []WireSection  `yaml:"sections"`
	Sequences []WireSequence `yaml:"sequences"`
	Limits    []WireConstant `yaml:"limits"`
}

// WireOpcode is one kind of message.
type WireOpcode struct {
	Row
	Name string `yaml:"name"`
	Code int32  `yaml:"code"`
}

// WireFlag is one bit of OP_MSG.
type WireFlag struct {
	Row
	Name     string `yaml:"name"`
	Bit      int    `yaml:"bit"`
	Request  bool   `yaml:"request"`
	Response bool   `yaml:"response"`
}

// WireSection is one kind of section of OP_MSG.
type WireSection struct {
	Row
	Name string `yaml:"name"`
	Kind int    `yaml:"kind"`
}

// WireSequence names the arguments of a command that may be sections of kind 1.
type WireSequence struct {
	Row
	Command   string   `yaml:"command"`
	Arguments []string `yaml:"arguments"`
}

// WireConstant is a named number.
type WireConstant struct {
	Row
	Name  string `yaml:"name"`
	Value int    `yaml:"value"`
}

// WireCompression is specs/wire/compression.yaml.
type WireCompression struct {
	Header
	Compressors    []WireCompressor     `yaml:"compressors"`
	Levels         []WireConstant       `yaml:"levels"`
	Uncompressible []WireUncompressible `yaml:"uncompressible"`
}

// WireCompressor is one compressor.
type WireCompressor struct {
	Row
	Name string `yaml:"name"`
	ID   int    `yaml:"id"`
	Text string `yaml:"text"` // its name in the handshake
}

// WireUncompressible is a command that is never compressed.
type WireUncompressible struct {
	Row
	Command string `yaml:"command"`
}

// WireVersions is specs/wire/versions.yaml.
type WireVersions struct {
	Header
	Rows     []WireVersion `yaml:"rows"`
	Features []WireFeature `yaml:"features"`
}

// WireVersion is one server release.
type WireVersion struct {
	Row
	Server  string `yaml:"server"`
	Wire    int32  `yaml:"wire"`
	Minimum bool   `yaml:"minimum,optional"`
	Maximum bool   `yaml:"maximum,optional"`
}

// WireFeature is something that servers have had since a release.
type WireFeature struct {
	Row
	Name  string `yaml:"name"`
	Since string `yaml:"since"`
}

// WireProtocol reads the table of opcodes, flags and sections.
func (t *Tables) WireProtocol() *WireProtocol { return Read[WireProtocol](t, "wire/protocol.yaml") }

// WireCompression reads the table of compressors.
func (t *Tables) WireCompression() *WireCompression {
	return Read[WireCompression](t, "wire/compression.yaml")
}

// WireVersions reads the table of wire versions.
func (t *Tables) WireVersions() *WireVersions { return Read[WireVersions](t, "wire/versions.yaml") }
