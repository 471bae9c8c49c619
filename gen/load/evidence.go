package load

// Ledger is specs/evidence.yaml: how many normative sentences each document has, and how many want an answer.
type Ledger struct {
	Header
	Rows   []LedgerRow    `yaml:"rows"`
	Passed []PassedLedger `yaml:"passed"`
}

// LedgerRow counts the sentences of one document. Open and None may only fall.
type LedgerRow struct {
	At        Pos    `yaml:"-"`
	Document  string `yaml:"document"`
	Sentences int    `yaml:"sentences"` // with MUST
	Open      int    `yaml:"open"`      // no row answers them yet
	None      int    `yaml:"none"`      // rows say witness: none
}

// PassedLedger is a document whose sentences ask nothing of a driver.
type PassedLedger struct {
	At       Pos    `yaml:"-"`
	Document string `yaml:"document"`
	Why      string `yaml:"why"`
}

// Evidence is a file in specs/evidence: for the normative sentences of one document, which Spec names, what carries and
// what proves them.
type Evidence struct {
	Header
	File     string            `yaml:"-"` // below specs
	Sections []EvidenceSection `yaml:"sections"`
}

// EvidenceSection holds the rows of one section, in the order of the document.
type EvidenceSection struct {
	At      Pos           `yaml:"-"`
	Section string        `yaml:"section"`
	Rows    []EvidenceRow `yaml:"rows"`
}

// EvidenceRow answers one sentence, or the rest of its section.
type EvidenceRow struct {
	At    Pos    `yaml:"-"`
	ID    string `yaml:"id,optional"`    // of the sentence
	Rest  int    `yaml:"rest,optional"`  // how many sentences of the section have no row of their own
	Print string `yaml:"print,optional"` // of these sentences

	Table    string   `yaml:"table,optional"`    // a file below specs, and a row of it
	Function []string `yaml:"at,optional"`       // as in runtime/pool.Pool.CheckOut
	Same     string   `yaml:"same,optional"`     // another row: its id, after its document if that is another one
	Users    string   `yaml:"document,optional"` // an anchor of REFERENCE.md, or a declaration whose comment says it
	NA       string   `yaml:"na,optional"`       // one of NotApplicable
	Departs  string   `yaml:"departs,optional"`  // an anchor of departures.yaml

	Witness []string `yaml:"witness,optional"` // Go tests, cases of ours and of upstream, or none
	Mutant  string   `yaml:"mutant,optional"`  // a mistake of tools/mutate/named.yaml that the Go tests among them find
	Why     string   `yaml:"why,optional"`     // why no test can detect a violation
	Says    string   `yaml:"says,optional"`    // our words, at most twelve
	Moved   string   `yaml:"moved,optional"`   // why the answer holds for the sentence as it is now
}

// NotApplicable lists the reasons for which a sentence asks nothing of this driver.
func NotApplicable() Map[string] {
	return Map[string]{
		{Key: "server", Value: "it speaks about the server or another program"},
		{Key: "single-threaded", Value: "it speaks about drivers of one thread"},
		{Key: "language", Value: "it speaks about what Go does not have"},
		{Key: "naming", Value: "it says how something is called elsewhere"},
		{Key: "test-plan", Value: "it says how tests are written"},
		{Key: "opcode", Value: "it speaks about messages or servers that the driver does not support"},
		{Key: "policy", Value: "it says how specifications are written or read"},
		{Key: "choice", Value: "it speaks about another way that the text allows"},
	}
}

// Answers lists which of the answers a row gives.
func (r EvidenceRow) Answers() []string {
	var out []string
	for _, a := range []struct {
		name  string
		given bool
	}{
		{"table", r.Table != ""}, {"at", len(r.Function) > 0}, {"same", r.Same != ""}, {"document", r.Users != ""},
		{"na", r.NA != ""}, {"departs", r.Departs != ""},
	} {
		if a.given {
			out = append(out, a.name)
		}
	}
	return out
}

// LacksWitness reports whether a row says that no test proves it yet.
func (r EvidenceRow) LacksWitness() bool {
	return len(r.Witness) == 1 && r.Witness[0] == "none" && r.Why == ""
}

// Count is how many sentences a row answers.
func (r EvidenceRow) Count() int { return max(r.Rest, 1) }

// Ledger reads the counts of the documents.
func (t *Tables) Ledger() *Ledger { return Read[Ledger](t, "evidence.yaml") }

// Evidence reads the rows of all documents.
func (t *Tables) Evidence() []*Evidence {
	out := Glob[Evidence](t, "evidence/*.yaml")
	for _, e := range out {
		if len(e.Sections) > 0 {
			e.File = e.Sections[0].At.File
		}
	}
	return out
}
