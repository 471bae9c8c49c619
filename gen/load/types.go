package load

// Types is a file in specs/options/types or specs/types: structs, enumerations and other types of package options, or of the
// package that the file names.
type Types struct {
	Header
	Package string `yaml:"package,optional"`
	Types   []Type `yaml:"types"`
}

// Type is one type. Upstream names a declaration in the specifications. The columns option, type, since and deprecated
// of the fields mirror that declaration. Everything else is ours.
type Type struct {
	Row
	Name     string       `yaml:"name"`
	Upstream string       `yaml:"upstream,optional"` // name of the declaration
	Base     string       `yaml:"base,optional"`     // of an enumeration: string, uint8, untyped or number
	Go       string       `yaml:"go,optional"`       // of a type that is neither struct nor enumeration
	Fields   []TypeField  `yaml:"fields,optional"`
	Values   []TypeValue  `yaml:"values,optional"`
	Methods  []TypeMethod `yaml:"methods,optional"` // of an interface
	Without  Map[string]  `yaml:"without,optional"` // upstream's options that the struct leaves out, and why
	Merge    string       `yaml:"merge,optional"`   // "function" for options.Client, "method" for options passed last
	Marker   string       `yaml:"marker,optional"`  // unexported method with which it implements an interface
}

// TypeField is one field of a struct.
type TypeField struct {
	Row
	Encoding
	Option     string `yaml:"option,optional"`     // upstream's name
	Type       string `yaml:"type,optional"`       // upstream's type
	Since      string `yaml:"since,optional"`      // first server version, as upstream marks it
	Deprecated string `yaml:"deprecated,optional"` // server or specification version that deprecated it
	From       string `yaml:"from,optional"`       // first server version, where upstream says so in prose
	Field      string `yaml:"field"`
	Go         string `yaml:"go"`
	Tag        string `yaml:"tag,optional"`    // name in BSON, for a struct that is decoded
	Secret     bool   `yaml:"secret,optional"` // the value is never printed
}

// TypeMethod is one method of an interface. Go holds its parameters and results.
type TypeMethod struct {
	Row
	Method string `yaml:"method"`
	Go     string `yaml:"go"`
}

// TypeValue is one constant of an enumeration.
type TypeValue struct {
	Row
	Upstream string `yaml:"upstream,optional"`
	Name     string `yaml:"name"`
	Text     string `yaml:"text,optional"`   // the value on the wire, or what String prints
	Number   *int   `yaml:"number,optional"` // of a base number; otherwise the next one, from 0
}

// OptionTypes reads all files of types of package options.
func (t *Tables) OptionTypes() []*Types { return Glob[Types](t, "options/types/*.yaml") }

// PackageTypes reads all files of types of other packages.
func (t *Tables) PackageTypes() []*Types { return Glob[Types](t, "types/*.yaml") }
