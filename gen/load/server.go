package load

// ServerTypes is specs/server/types.yaml.
type ServerTypes struct {
	Header
	Servers    []ServerType      `yaml:"servers"`
	Topologies []TopologyType    `yaml:"topologies"`
	Initial    []InitialTopology `yaml:"initial"`
}

// ServerType is one kind of server.
type ServerType struct {
	Row
	Name        string `yaml:"name"`
	Text        string `yaml:"text"`
	DataBearing bool   `yaml:"dataBearing"`
	Available   bool   `yaml:"available"`
}

// TopologyType is one kind of deployment. Readable and Writable are never, always, available or preference.
type TopologyType struct {
	Row
	Name     string `yaml:"name"`
	Text     string `yaml:"text"`
	Readable string `yaml:"readable"`
	Writable string `yaml:"writable"`
}

// InitialTopology is the type that a client starts with. A missing column matches any value.
type InitialTopology struct {
	Row
	LoadBalanced     bool   `yaml:"loadBalanced"`
	DirectConnection *bool  `yaml:"directConnection,optional"`
	ReplicaSet       *bool  `yaml:"replicaSet,optional"`
	Topology         string `yaml:"topology"`
}

// Hello is specs/server/hello.yaml.
type Hello struct {
	Header
	Facts    []HelloFact    `yaml:"facts"`
	Symptoms []HelloSymptom `yaml:"symptoms"`
	Rows     []HelloRow     `yaml:"rows"`
}

// HelloSymptom is one row of upstream's table: a state, and the parts of a reply that its cell quotes.
type HelloSymptom struct {
	Row
	State    string   `yaml:"state"`
	Type     string   `yaml:"type"` // ours
	Mentions []string `yaml:"mentions"`
}

// HelloFact is one thing that classification reads from a reply.
type HelloFact struct {
	Row
	Name   string   `yaml:"name"`
	Kind   string   `yaml:"kind"` // bool or text
	Fields []string `yaml:"fields"`
}

// HelloRow assigns a server type to replies that meet every condition.
type HelloRow struct {
	Row
	Type     string   `yaml:"type"`
	Priority int      `yaml:"priority"`
	When     Map[any] `yaml:"when"`
}

// Transitions is specs/server/transitions.yaml.
type Transitions struct {
	Header
	Actions []TransitionAction `yaml:"actions"`
	Rows    []TransitionRow    `yaml:"rows"`
	Own     []TransitionOwn    `yaml:"own"`
}

// TransitionAction is one step. Targets are the topology types that it may lead to.
type TransitionAction struct {
	Row
	Name    string   `yaml:"name"`
	Targets []string `yaml:"targets,optional"`
}

// TransitionRow is one row of upstream's table.
type TransitionRow struct {
	Row
	Server                string `yaml:"server"`
	TopologyUnknown       []Word `yaml:"TopologyUnknown"`
	Sharded               []Word `yaml:"Sharded"`
	ReplicaSetNoPrimary   []Word `yaml:"ReplicaSetNoPrimary"`
	ReplicaSetWithPrimary []Word `yaml:"ReplicaSetWithPrimary"`
}

// TransitionOwn gives the same cell to several pairs that upstream covers only in prose.
type TransitionOwn struct {
	Row
	Servers    []string `yaml:"servers"`
	Topologies []string `yaml:"topologies"`
	Actions    []Word   `yaml:"actions"`
}

// Descriptions is specs/server/description.yaml.
type Descriptions struct {
	Header
	Server   []DescriptionField `yaml:"server"`
	Topology []DescriptionField `yaml:"topology"`
	Version  []DescriptionField `yaml:"topologyVersion"`
}

// DescriptionField is one field of a description.
type DescriptionField struct {
	Row
	Name  string `yaml:"name"`
	Field string `yaml:"field"` // upstream's name
	Type  string `yaml:"type"`
	Equal bool   `yaml:"equal"`
	Reply bool   `yaml:"reply,optional"` // the reply to hello has the field: generate a constant for its name
}

// ServerErrors is specs/server/errors.yaml.
type ServerErrors struct {
	Header
	Causes  []Named       `yaml:"causes"`
	Phases  []Named       `yaml:"phases"`
	Effects []Named       `yaml:"effects"`
	Rows    []ServerError `yaml:"rows"`
}

// Named is a member of an enumeration that has no further columns.
type Named struct {
	Row
	Name string `yaml:"name"`
}

// ServerError says what an error in a phase does.
type ServerError struct {
	Row
	Phase        string `yaml:"phase"`
	Cause        string `yaml:"cause"`
	Effects      []Word `yaml:"effects"`
	LoadBalanced []Word `yaml:"loadBalanced"`
}

// Messages is a table of texts with parameters in braces.
type Messages struct {
	Header
	Rows []Message `yaml:"rows"`
}

// Message is one text.
type Message struct {
	Row
	Name       string      `yaml:"name"`
	Text       string      `yaml:"text"`
	Parameters Map[string] `yaml:"parameters"` // name -> Go type
}

// ServerTypes reads the table of server and topology types.
func (t *Tables) ServerTypes() *ServerTypes { return Read[ServerTypes](t, "server/types.yaml") }

// Hello reads the classification of hello replies.
func (t *Tables) Hello() *Hello { return Read[Hello](t, "server/hello.yaml") }

// Transitions reads the table of topology transitions.
func (t *Tables) Transitions() *Transitions { return Read[Transitions](t, "server/transitions.yaml") }

// Descriptions reads the fields of descriptions.
func (t *Tables) Descriptions() *Descriptions {
	return Read[Descriptions](t, "server/description.yaml")
}

// ServerErrors reads what errors do to a server.
func (t *Tables) ServerErrors() *ServerErrors { return Read[ServerErrors](t, "server/errors.yaml") }

// Messages reads a table of texts.
func (t *Tables) Messages(file string) *Messages { return Read[Messages](t, file) }
