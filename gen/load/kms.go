package load

// KMS is specs/encryption/kms.yaml.
type KMS struct {
	Header
	Rows []KMSProvider `yaml:"rows"`
}

// KMSProvider is one provider of a key management service.
type KMSProvider struct {
	Row
	Name      string     `yaml:"name"`
	OnDemand  bool       `yaml:"onDemand,optional"`
	Token     bool       `yaml:"token,optional"`
	AnyHost   bool       `yaml:"anyHost,optional"`
	Settings  []KMSField `yaml:"settings"`
	MasterKey []KMSField `yaml:"masterKey,optional"`
	Port      int        `yaml:"port,optional"`
	Retry     []int      `yaml:"retry,optional"`
	RetryFrom int        `yaml:"retryFrom,optional"`
}

// KMSField is a field of a provider's settings or of its master keys.
type KMSField struct {
	At       Pos    `yaml:"-"`
	Name     string `yaml:"name"`
	Type     string `yaml:"type,optional"`
	Optional bool   `yaml:"optional,optional"`
	Size     int    `yaml:"size,optional"`
}

// KMS reads the table of key management services.
func (t *Tables) KMS() *KMS { return Read[KMS](t, "encryption/kms.yaml") }
