package load

// TraceAttributes is specs/trace/attributes.yaml.
type TraceAttributes struct {
	Header
	Rows []TraceAttribute `yaml:"rows"`
}

// TraceAttribute is one attribute. Operation and Command say how much each kind of span needs it. If one is absent,
// that kind of span does not have the attribute.
type TraceAttribute struct {
	Row
	Attribute string `yaml:"attribute"`
	Go        string `yaml:"go"`
	Type      string `yaml:"type"`
	Operation string `yaml:"operation,optional"`
	Command   string `yaml:"command,optional"`
	Value     string `yaml:"value,optional"`
}

// TraceOperations is specs/trace/operations.yaml.
type TraceOperations struct {
	Header
	Rows []TraceOperation `yaml:"rows"`
}

// TraceOperation is one operation and the driver methods that perform it.
type TraceOperation struct {
	Row
	Operation string   `yaml:"operation"`
	Methods   []string `yaml:"methods,optional"`
}

// TraceAttributes reads the table of attributes.
func (t *Tables) TraceAttributes() *TraceAttributes {
	return Read[TraceAttributes](t, "trace/attributes.yaml")
}

// TraceOperations reads the table of operations.
func (t *Tables) TraceOperations() *TraceOperations {
	return Read[TraceOperations](t, "trace/operations.yaml")
}
