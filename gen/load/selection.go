package load

// SelectionRules is specs/selection/rules.yaml.
type SelectionRules struct {
	Header
	Modes      []SelectionMode     `yaml:"modes"`
	Topologies []SelectionTopology `yaml:"topologies"`
	Passing    []SelectionPassing  `yaml:"passing"`
}

// SelectionMode holds the steps of a read preference mode.
type SelectionMode struct {
	Row
	Mode  string          `yaml:"mode"`
	Steps []SelectionStep `yaml:"steps"`
}

// SelectionStep is a set of server types. It says whether staleness and tags filter the servers.
type SelectionStep struct {
	At         Pos      `yaml:"-"`
	Candidates []string `yaml:"candidates"`
	Filtered   bool     `yaml:"filtered"`
}

// SelectionTopology says which servers of a topology type serve reads and writes.
type SelectionTopology struct {
	Row
	Topology string `yaml:"topology"`
	Read     string `yaml:"read"`
	Write    string `yaml:"write"`
}

// SelectionPassing says when to send $readPreference.
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
