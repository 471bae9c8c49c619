package load

// EncryptionTokens is specs/encryption/tokens.yaml.
type EncryptionTokens struct {
	Header
	Rows []EncryptionToken `yaml:"rows"`
}

// EncryptionToken is one token: what it derives from, and the message of the derivation.
type EncryptionToken struct {
	Row
	Name    string `yaml:"name"`
	From    string `yaml:"from"`
	Message string `yaml:"message"`
}

// EncryptionPayloads is specs/encryption/payloads.yaml.
type EncryptionPayloads struct {
	Header
	Rows []EncryptionPayload `yaml:"rows"`
}

// EncryptionPayload is one kind of encrypted value, by its first byte.
type EncryptionPayload struct {
	Row
	Byte    int    `yaml:"byte"`
	Name    string `yaml:"name"`
	Where   string `yaml:"where"`
	Decrypt bool   `yaml:"decrypt,optional"`
	Layout  string `yaml:"layout,optional"` // of a stored value that a driver opens
}

// EncryptionFields is specs/encryption/fields.yaml.
type EncryptionFields struct {
	Header
	Rows []EncryptionDocument `yaml:"rows"`
}

// EncryptionDocument is a document inside an encrypted value, or the document that follows its first byte.
type EncryptionDocument struct {
	Row
	Name    string            `yaml:"name"`
	Payload string            `yaml:"payload,optional"`
	Fields  []EncryptionField `yaml:"fields"`
}

// EncryptionField is one field of such a document.
type EncryptionField struct {
	Row
	Key      string `yaml:"key"`
	Name     string `yaml:"name"`
	Type     string `yaml:"type"`
	Optional bool   `yaml:"optional,optional"`
}

// EncryptionFields reads the table of documents inside encrypted values.
func (t *Tables) EncryptionFields() *EncryptionFields {
	return Read[EncryptionFields](t, "encryption/fields.yaml")
}

// EncryptionAlgorithms is specs/encryption/algorithms.yaml.
type EncryptionAlgorithms struct {
	Header
	Rows      []EncryptionNumber   `yaml:"rows"`
	Operators []EncryptionOperator `yaml:"operators"`
}

// EncryptionOperator is an operator of ranges, by its number and as queries spell it.
type EncryptionOperator struct {
	Row
	Name   string `yaml:"name"`
	Number int    `yaml:"number"`
	Text   string `yaml:"text"`
	Lower  bool   `yaml:"lower,optional"`
}

// EncryptionNumber is the number of an intent or of an algorithm.
type EncryptionNumber struct {
	Row
	Name   string `yaml:"name"`
	Number int    `yaml:"number"`
}

// EncryptionAlgorithms reads the table of numbers in placeholders.
func (t *Tables) EncryptionAlgorithms() *EncryptionAlgorithms {
	return Read[EncryptionAlgorithms](t, "encryption/algorithms.yaml")
}

// EncryptionTokens reads the table of tokens.
func (t *Tables) EncryptionTokens() *EncryptionTokens {
	return Read[EncryptionTokens](t, "encryption/tokens.yaml")
}

// EncryptionPayloads reads the table of encrypted values.
func (t *Tables) EncryptionPayloads() *EncryptionPayloads {
	return Read[EncryptionPayloads](t, "encryption/payloads.yaml")
}

// EncryptionFolding is specs/encryption/folding.yaml.
type EncryptionFolding struct {
	Header
	Case       []EncryptionFold `yaml:"case"`
	Diacritics []EncryptionFold `yaml:"diacritics"`
}

// EncryptionFold says what each code point of a consecutive run becomes: a code point, = (itself) or - (nothing).
type EncryptionFold struct {
	At   Pos    `yaml:"-"`
	From int    `yaml:"from"`
	Onto string `yaml:"onto"`
}

// EncryptionFolding reads the table of folding.
func (t *Tables) EncryptionFolding() *EncryptionFolding {
	return Read[EncryptionFolding](t, "encryption/folding.yaml")
}
