package unified

import "github.com/specdrivers/onion/gen/suite/source"

// File is a test file: deployments it runs on, entities, data and tests. What the format leaves open, such as the
// options of a URI or the arguments of an operation, stays a tree.
type File struct {
	Description   string
	SchemaVersion string
	RunOn         []Requirement // one must match; an empty list matches any deployment
	Entities      []Entity
	Data          []Collection
	Tests         []Test
}

// Requirement is a kind of deployment. Empty fields require nothing.
type Requirement struct {
	MinServerVersion, MaxServerVersion string
	Topologies                         []string
	Serverless                         string
	ServerParameters                   *source.Node
	Auth                               *bool
	AuthMechanism                      string
	CSFLE                              *source.Node
}

// Entity is something that operations refer to by its id. Its owner is the entity that it is made from.
type Entity struct {
	Kind  string // client, database, collection, session, bucket, thread or clientEncryption
	ID    string
	Owner string       // of a database, collection, session or bucket
	Name  string       // of a database or collection
	Body  *source.Node // everything that the file says about it
	Line  int
}

// Collection is the content of a collection, before or after a test.
type Collection struct {
	Database, Name string
	Options        *source.Node
	Documents      []*source.Node
}

// Test is a case.
type Test struct {
	Description string
	SkipReason  string
	RunOn       []Requirement
	Operations  []Operation
	Events      []Events
	Logs        []Logs
	Spans       []Spans
	Outcome     []Collection
	Line        int
}

// Operation is a step of a test.
type Operation struct {
	Name, Object string
	Arguments    *source.Node
	Error        *Error // what it must fail with; nil when it must succeed
	Result       *Match // nil when any result will do
	SaveAs       string
	Anything     bool // its result and its error do not matter
	Line         int
}

// Error is what an operation must fail with. Nil fields require nothing.
type Error struct {
	IsClientError, IsTimeoutError *bool
	Contains                      string
	Code                          *int64
	CodeName                      string
	LabelsContain, LabelsOmit     []string
	WriteErrors, Response, Result *Match
	WriteConcernErrors            []*Match
}

// Events are the events of a kind that a client must publish.
type Events struct {
	Client      string
	Kind        string // command, cmap or sdam
	IgnoreExtra bool
	List        []Event
}

// Event is an event; its fields are matched one by one.
type Event struct {
	Name   string
	Fields []Field
	Line   int
}

// Field is a field and what it must match.
type Field struct {
	Key   string
	Match *Match
}

// Logs are the log messages of a client.
type Logs struct {
	Client      string
	IgnoreExtra bool
	List        []LogMessage
	Ignored     []LogMessage
}

// LogMessage is a message; its data is matched.
type LogMessage struct {
	Level, Component  string
	FailureIsRedacted *bool
	Data              *Match
}

// Spans are the spans of a client's traces.
type Spans struct {
	Client      string
	IgnoreExtra bool
	List        []Span
}

// Span is a span and its nested spans.
type Span struct {
	Name       string
	Attributes *Match
	Nested     []Span
}

// Match is what a value must look like. Unified Test Format, "Evaluating Matches".
type Match struct {
	Operator string       // a special operator such as $$exists; empty for a value
	Argument *source.Node // of an operator that takes a plain value
	Inner    *Match       // of an operator that takes a match
	Fields   []Field      // of an object
	Items    []*Match     // of an array
	Value    *source.Node // of anything else
	Node     *source.Node // the node in the file
	Line     int
}
