package load

// Unread is specs/sync/unread.yaml: what upstream tabulates or declares and no reader reads, with the reasons.
type Unread struct {
	Header
	Tables       []UnreadTable       `yaml:"tables"`
	Declarations []UnreadDeclaration `yaml:"declarations"`
}

// UnreadTable is about the tables of a document that have the columns and are in one of the sections. An empty list means
// any columns, or any section.
type UnreadTable struct {
	At       Pos      `yaml:"-"`
	Document string   `yaml:"document"`
	Sections []string `yaml:"sections,optional"`
	Columns  []string `yaml:"columns,optional"`
	Why      string   `yaml:"why"`
}

// UnreadDeclaration is about declarations of a document; the name * stands for all.
type UnreadDeclaration struct {
	At       Pos      `yaml:"-"`
	Document string   `yaml:"document"`
	Names    []string `yaml:"names"`
	Empty    bool     `yaml:"empty,optional"` // they have no members of their own
	Why      string   `yaml:"why"`
}

// SyncUnread reads the list of what is not read.
func (t *Tables) SyncUnread() *Unread { return Read[Unread](t, "sync/unread.yaml") }
