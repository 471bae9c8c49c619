package load

// BSONTypes is specs/bson/types.yaml.
type BSONTypes struct {
	Header
	Rows     []BSONType    `yaml:"rows"`
	Subtypes []BSONSubtype `yaml:"subtypes"`
}

// BSONType is one element type.
type BSONType struct {
	Row
	Name string `yaml:"name"` // Go constant
	Code int    `yaml:"code"`
	Type string `yaml:"type"` // the name that $type takes
	Size *int   `yaml:"size,optional"`
}

// BSONSubtype is one subtype of binary data.
type BSONSubtype struct {
	Row
	Name string `yaml:"name"`
	Code int    `yaml:"code"`
}

// BSONTypes reads the table of BSON types.
func (t *Tables) BSONTypes() *BSONTypes { return Read[BSONTypes](t, "bson/types.yaml") }
