package load

// AnalysisCommands is specs/encryption/commands.yaml.
type AnalysisCommands struct {
	Header
	Rows       []AnalysisCommand `yaml:"rows"`
	Everywhere []AnalysisName    `yaml:"everywhere"`
}

// AnalysisCommand is one command: what automatic encryption does with it and with its arguments.
type AnalysisCommand struct {
	Row
	Name        string      `yaml:"name"`
	Class       string      `yaml:"class"`
	Information string      `yaml:"information,optional"`
	Arguments   Map[string] `yaml:"arguments,optional"`
	Defaults    Map[string] `yaml:"defaults,optional"`
	Forgets     string      `yaml:"forgets,optional"`
}

// AnalysisName is a row that holds only a name.
type AnalysisName struct {
	Row
	Name string `yaml:"name"`
}

// AnalysisMatch is specs/encryption/match.yaml.
type AnalysisMatch struct {
	Header
	Rows []AnalysisMatchOperator `yaml:"rows"`
}

// AnalysisMatchOperator is one match operator: its rule for each kind of path.
type AnalysisMatchOperator struct {
	Row
	Name          string `yaml:"name"`
	Place         string `yaml:"place"`
	Part          bool   `yaml:"part,optional"`
	Plain         string `yaml:"plain"`
	Prefix        string `yaml:"prefix,optional"`
	Random        string `yaml:"random,optional"`
	Deterministic string `yaml:"deterministic,optional"`
	Equality      string `yaml:"equality,optional"`
	Range         string `yaml:"range,optional"`
	Text          string `yaml:"text,optional"`
	Unindexed     string `yaml:"unindexed,optional"`
}

// AnalysisUpdate is specs/encryption/update.yaml.
type AnalysisUpdate struct {
	Header
	Rows []AnalysisUpdateOperator `yaml:"rows"`
}

// AnalysisUpdateOperator is one update operator: its rule for each kind of path.
type AnalysisUpdateOperator struct {
	Row
	Name      string `yaml:"name"`
	With      string `yaml:"with,optional"`
	Plain     string `yaml:"plain"`
	Prefix    string `yaml:"prefix"`
	Encrypted string `yaml:"encrypted"`
}

// AnalysisStages is specs/encryption/stages.yaml.
type AnalysisStages struct {
	Header
	Rows []AnalysisModes `yaml:"rows"`
}

// AnalysisModes holds one rule for each of the two families of encryption. Only stages drop fields.
type AnalysisModes struct {
	Row
	Name  string `yaml:"name"`
	CSFLE string `yaml:"csfle,optional"`
	QE    string `yaml:"qe,optional"`
	Drops bool   `yaml:"drops,optional"`
}

// AnalysisExpressions is specs/encryption/expressions.yaml.
type AnalysisExpressions struct {
	Header
	Rows         []AnalysisExpression `yaml:"rows"`
	Accumulators []AnalysisModes      `yaml:"accumulators"`
	Variables    []AnalysisName       `yaml:"variables"`
}

// AnalysisExpression is one expression operator with its rule.
type AnalysisExpression struct {
	Row
	Name      string `yaml:"name"`
	Rule      string `yaml:"rule"`
	Arguments string `yaml:"arguments,optional"`
}

// AnalysisTypes is specs/encryption/types.yaml.
type AnalysisTypes struct {
	Header
	Rows []AnalysisType `yaml:"rows"`
}

// AnalysisType is one BSON type and the kinds of encryption that accept it.
type AnalysisType struct {
	Row
	Name  string   `yaml:"name"`
	Kinds []string `yaml:"kinds"`
}

// AnalysisCommands reads the table of commands.
func (t *Tables) AnalysisCommands() *AnalysisCommands {
	return Read[AnalysisCommands](t, "encryption/commands.yaml")
}

// AnalysisMatch reads the table of match operators.
func (t *Tables) AnalysisMatch() *AnalysisMatch {
	return Read[AnalysisMatch](t, "encryption/match.yaml")
}

// AnalysisUpdate reads the table of update operators.
func (t *Tables) AnalysisUpdate() *AnalysisUpdate {
	return Read[AnalysisUpdate](t, "encryption/update.yaml")
}

// AnalysisStages reads the table of aggregation stages.
func (t *Tables) AnalysisStages() *AnalysisStages {
	return Read[AnalysisStages](t, "encryption/stages.yaml")
}

// AnalysisExpressions reads the table of expression operators.
func (t *Tables) AnalysisExpressions() *AnalysisExpressions {
	return Read[AnalysisExpressions](t, "encryption/expressions.yaml")
}

// AnalysisTypes reads the table of BSON types.
func (t *Tables) AnalysisTypes() *AnalysisTypes {
	return Read[AnalysisTypes](t, "encryption/types.yaml")
}
