package load

// A group of decisions has two kinds of table: specs/<group>/machine.yaml declares the terms and the steps, and each
// file of specs/<group>/decisions holds one decision.

// DecisionGroup is the file that declares what a group of decisions is about.
type DecisionGroup struct {
	Header
	Package string         `yaml:"package"` // below generated/
	Title   string         `yaml:"title"`
	Terms   []Term         `yaml:"terms"`
	Steps   []DecisionStep `yaml:"steps"`
}

// Term is an enumeration. Its place says who fills it: the state lasts, an event comes in, a verdict goes out.
type Term struct {
	Row
	Name    string       `yaml:"name"`
	Place   string       `yaml:"place"`          // state, event or verdict
	Given   bool         `yaml:"given,optional"` // of a state: the caller sets it before the first event
	Members []TermMember `yaml:"members"`        // the first is the zero value
}

// TermMember is one value of a term.
type TermMember struct {
	Row
	Name string `yaml:"name"`
}

// DecisionStep says which decisions an event asks, in order. The event is a member of the first term of the events.
type DecisionStep struct {
	Row
	On   string `yaml:"on"`
	Asks []Word `yaml:"asks"`
}

// Decision is a table whose first row that fits counts.
type Decision struct {
	Header
	At    Pos           `yaml:"-"`
	Title string        `yaml:"title"`
	Asks  []Word        `yaml:"asks"`  // the terms that its rows look at
	Gives []Word        `yaml:"gives"` // the terms that every row sets
	Rows  []DecisionRow `yaml:"rows"`
}

// DecisionRow is one row of a decision.
type DecisionRow struct {
	Row
	Name string        `yaml:"name"`
	When Map[[]string] `yaml:"when"` // term to its values; a term that is left out may have any
	Then Map[string]   `yaml:"then"`
}

// DecisionGroup reads the machine of a group of decisions.
func (t *Tables) DecisionGroup(group string) *DecisionGroup {
	return Read[DecisionGroup](t, group+"/machine.yaml")
}

// Decisions reads the decisions of a group, by the names of their files.
func (t *Tables) Decisions(group string) []*Decision {
	return Glob[Decision](t, group+"/decisions/*.yaml")
}
