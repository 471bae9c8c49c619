package load

// BSONTypes is specs/bson/types.yaml.
type BSONTypes struct {
	Header
	Rows     []BSONType    `yaml:"rows"`
	Subtypes []BSONSubtype `yaml:"subtypes"`
	Vectors  []BSONVector  `yaml:"vectors"`
	UUIDs    []BSONUUID    `yaml:"uuids"`
}

// BSONVector is one type of the elements of vectors.
type BSONVector struct {
	Row
	Name string `yaml:"name"` // Go constant
	Code int    `yaml:"code"`
	Text string `yaml:"text"`
	Bits int    `yaml:"bits"` // of one element
}

// BSONUUID is one representation of UUIDs.
type BSONUUID struct {
	Row
	Name    string `yaml:"name"` // Go constant
	Text    string `yaml:"text"`
	Subtype int    `yaml:"subtype,optional"` // none neither encodes nor decodes
	Order   string `yaml:"order,optional"`   // whose order of bytes it is, if not the standard's
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
