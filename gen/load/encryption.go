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
}

// EncryptionTokens reads the table of tokens.
func (t *Tables) EncryptionTokens() *EncryptionTokens {
	return Read[EncryptionTokens](t, "encryption/tokens.yaml")
}

// EncryptionPayloads reads the table of encrypted values.
func (t *Tables) EncryptionPayloads() *EncryptionPayloads {
	return Read[EncryptionPayloads](t, "encryption/payloads.yaml")
}
