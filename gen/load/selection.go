package load

// SelectionRules is specs/selection/rules.yaml.
type SelectionRules struct {
	Header
	Modes      []SelectionMode     `yaml:"modes"`
	Topologies []SelectionTopology `yaml:"topologies"`
	Passing    []SelectionPassing  `yaml:"passing"`
}

// SelectionMode is the steps of a read preference mode.
type SelectionMode struct {
	Row
	Mode  string          `yaml:"mode"`
	Steps []SelectionStep `yaml:"steps"`
}

// SelectionStep is a set of server types, to be filtered by staleness and tags or not.
type SelectionStep struct {
	At         Pos      `yaml:"-"`
	Candidates []string `yaml:"candidates"`
	Filtered   bool     `yaml:"filtered"`
}

// SelectionTopology is who serves reads and writes of a topology type.
type SelectionTopology struct {
	Row
	Topology string `yaml:"topology"`
	Read     string `yaml:"read"`
	Write    string `yaml:"write"`
}

// SelectionPassing is when $readPreference is sent.
type SelectionPassing struct {
	Row
	Topologies []string `yaml:"topologies"`
	Servers    []string `yaml:"servers"`
	Send       string   `yaml:"send"`
}

// SelectionRules reads the rules of server selection.
func (t *Tables) SelectionRules() *SelectionRules {
	return Read[SelectionRules](t, "selection/rules.yaml")
}
