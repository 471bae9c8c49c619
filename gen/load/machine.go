package load

// Machines is a table of state machines.
type Machines struct {
	Header
	Machines []Machine `yaml:"machines"`
}

// Machine is one state machine. Name prefixes its Go types.
type Machine struct {
	Row
	Name    string        `yaml:"name"`
	Package string        `yaml:"package"`
	Title   string        `yaml:"title"`
	Initial string        `yaml:"initial"`
	States  []MachineName `yaml:"states"`
	Inputs  []MachineName `yaml:"inputs"`
	Edges   []MachineEdge `yaml:"edges"`
}

// MachineName is a state or an input; Text is upstream's name.
type MachineName struct {
	Row
	Name string `yaml:"name"`
	Text string `yaml:"text"`
}

// MachineEdge leads from a state to another, or to an error with a text per input.
type MachineEdge struct {
	At       Pos         `yaml:"-"`
	From     string      `yaml:"from"`
	Inputs   []string    `yaml:"inputs"`
	To       string      `yaml:"to"`
	Errors   Map[string] `yaml:"errors,optional"`
	Override Map[string] `yaml:"override,optional"`
}

// PoolStates reads the machines of pools and connections.
func (t *Tables) PoolStates() *Machines { return Read[Machines](t, "pool/states.yaml") }

// TransactionStates reads the machine of transactions.
func (t *Tables) TransactionStates() *Machines {
	return Read[Machines](t, "transactions/states.yaml")
}
