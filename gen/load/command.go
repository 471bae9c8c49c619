package load

// Command is a file in specs/commands: one command, the user operations that send it, and their options.
type Command struct {
	Header
	Command    string          `yaml:"command"`
	Target     string          `yaml:"target"` // value of the first element: collection, namespace, one, or argument
	Access     string          `yaml:"access"` // read or write
	Accepts    []string        `yaml:"accepts,optional"`
	Reply      string          `yaml:"reply,optional"`    // a row of replies.yaml
	Overhead   bool            `yaml:"overhead,optional"` // an item is a statement, which may be larger than a document
	Operations []Operation     `yaml:"operations"`
	Statements []Statement     `yaml:"statements,optional"`
	Rows       []CommandOption `yaml:"rows,optional"`
}

// Operation is one way to send the command. Upstream names the declaration that its options mirror.
type Operation struct {
	Row
	Name      string     `yaml:"name"`
	Operation string     `yaml:"operation"` // name in traces and errors
	Options   string     `yaml:"options,optional"`
	Elsewhere bool       `yaml:"elsewhere,optional"` // the struct is declared in options/types
	Upstream  string     `yaml:"upstream,optional"`
	Retry     string     `yaml:"retry,optional"` // read or write; empty means never
	Items     string     `yaml:"items,optional"` // what a section of kind 1 holds: document, documents, one, models, ops
	Args      []Argument `yaml:"args,optional"`
	Fixed     []Fixed    `yaml:"fixed,optional"`
}

// Argument is a field of an operation or a statement that is not an option.
type Argument struct {
	At    Pos    `yaml:"-"`
	Name  string `yaml:"name"`
	Type  string `yaml:"type,optional"` // upstream's
	Go    string `yaml:"go,optional"`
	Field string `yaml:"field,optional"` // field of the command; empty when it is not sent
	As    string `yaml:"as,optional"`
	In    string `yaml:"in,optional"`
	Omit  bool   `yaml:"omit,optional"` // the zero value is not sent
	Since string `yaml:"since,optional"`
	Old   string `yaml:"old,optional"`
	Doc   string `yaml:"doc,optional"`
}

// Fixed is a field that always has the same value.
type Fixed struct {
	At    Pos    `yaml:"-"`
	Field string `yaml:"field"`
	Value any    `yaml:"value"`
	In    string `yaml:"in,optional"`
}

// Statement is one element of the array or section that a command carries.
type Statement struct {
	At      Pos        `yaml:"-"`
	Name    string     `yaml:"name"`   // a type of package options, or a new one
	Source  string     `yaml:"source"` // model or spec
	Options string     `yaml:"options,optional"`
	Retry   string     `yaml:"retry,optional"` // write if a batch that contains it may be retried
	Op      string     `yaml:"op,optional"`    // first field, whose value is the index of the namespace
	Head    []Argument `yaml:"head"`
	Fixed   []Fixed    `yaml:"fixed,optional"`
}

// CommandOption is one option. Of names the structs that have it. When Of is empty, every struct of the file has it.
type CommandOption struct {
	TypeField
	In string   `yaml:"in,optional"` // statement: it belongs to the statement, not to the command
	Of []string `yaml:"of,optional"`
}

// Encoding says how an option travels in a command.
type Encoding struct {
	Command string `yaml:"command,optional"` // field of the command; empty means the option's name
	As      string `yaml:"as,optional"`      // form; empty means that the Go type decides
	Old     string `yaml:"old,optional"`     // before Since: error, unacknowledged (an error only for an unacknowledged write) or omit
}

// Commands reads every command, sorted by file name.
func (t *Tables) Commands() []*Command { return Glob[Command](t, "commands/*.yaml") }

// Replies is specs/options/replies.yaml: what command replies hold.
type Replies struct {
	Header
	Rows []Reply `yaml:"rows"`
}

// Reply is one shape of reply.
type Reply struct {
	Row
	Name   string       `yaml:"name"`
	Fields []ReplyField `yaml:"fields"`
}

// ReplyField is one field that the driver reads.
type ReplyField struct {
	At       Pos    `yaml:"-"`
	Path     string `yaml:"path"` // with at most one dot
	Field    string `yaml:"field"`
	Go       string `yaml:"go"`
	Required bool   `yaml:"required,optional"`
	Doc      string `yaml:"doc"`
}

// Replies reads the table of replies.
func (t *Tables) Replies() *Replies { return Read[Replies](t, "options/replies.yaml") }
