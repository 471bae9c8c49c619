package load

// ExtJSON is specs/bson/extjson.yaml.
type ExtJSON struct {
	Header
	Rows  []ExtJSONType `yaml:"rows"`
	Words []ExtJSONWord `yaml:"words"`
	Texts []ExtJSONText `yaml:"texts"`
}

// ExtJSONType is a type of BSON whose values are objects in extended JSON.
type ExtJSONType struct {
	Row
	Type   string `yaml:"type"` // as upstream calls it
	Name   string `yaml:"name"` // Go constant of its key
	Key    string `yaml:"key"`
	Inner  string `yaml:"inner,optional"`  // the first key of the object within
	Second string `yaml:"second,optional"` // the key after that, or after key
}

// ExtJSONWord is another key of these objects.
type ExtJSONWord struct {
	Row
	Name string `yaml:"name"`
	Word string `yaml:"word"`
}

// ExtJSONText is what stands for a number that is not finite.
type ExtJSONText struct {
	Row
	Name  string `yaml:"name"`
	Value string `yaml:"value"` // as upstream calls it
	Text  string `yaml:"text"`
}

// ExtJSON reads the words of extended JSON.
func (t *Tables) ExtJSON() *ExtJSON { return Read[ExtJSON](t, "bson/extjson.yaml") }
