package load

// Readings is specs/sync/readings.yaml: which of upstream's tables and lists a pattern reads, and whose rows they are.
type Readings struct {
	Header
	Rows []Reading `yaml:"rows"`
}

// Reading is one table, declaration or text of a section.
type Reading struct {
	At       Pos         `yaml:"-"`
	File     string      `yaml:"file"`             // below specs
	Within   string      `yaml:"within,optional"`  // the row that holds the list, as in rows.aws
	List     string      `yaml:"list,optional"`    // rows
	Key      string      `yaml:"key,optional"`     // name
	Partial  bool        `yaml:"partial,optional"` // rows that the place does not name are ours
	Mark     string      `yaml:"mark,optional"`    // a column that is true in exactly the rows that the place names
	Row      string      `yaml:"row,optional"`     // everything found is one list, in this row
	Column   string      `yaml:"column,optional"`  // the column of that list
	Document string      `yaml:"document"`
	Section  string      `yaml:"section"`
	Of       string      `yaml:"of,optional"`      // a declaration in the section, instead of its whole text
	Columns  []string    `yaml:"columns,optional"` // the header of a table in the section, instead of its whole text
	Holds    string      `yaml:"holds,optional"`   // a text that only the table meant has
	Inside   string      `yaml:"inside,optional"`  // a pattern whose one group is the text to look at
	Says     string      `yaml:"says"`             // a pattern whose groups are named after columns
	Skip     string      `yaml:"skip,optional"`    // a pattern for rows of a table that our table leaves out
	Names    Map[string] `yaml:"names,optional"`   // upstream's keys to ours
	Words    Map[string] `yaml:"words,optional"`   // upstream's words in the other columns to ours
}

// SyncReadings reads the list of readings.
func (t *Tables) SyncReadings() *Readings { return Read[Readings](t, "sync/readings.yaml") }
