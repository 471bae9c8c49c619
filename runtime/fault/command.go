package fault

import (
	"strconv"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/retry"
	"github.com/specdrivers/onion/generated/errcode"
)

// CommandError is a reply of a server that says "ok: 0".
type CommandError struct {
	Code    errcode.Code // 0 when the reply has none
	Name    string       // the reply's codeName
	Message string       // the reply's errmsg
	Labels  []string     // the reply's errorLabels and those that the driver adds
	Command string       // the name of the command, empty when it is not known
	Address string       // the server that replied
	Raw     bson.Raw     // the whole reply; it is not copied
}

// Error describes the command, the server and what the server said.
func (e CommandError) Error() string {
	var b strings.Builder
	if e.Command != "" {
		b.WriteString(e.Command + ": ")
	}
	b.WriteString("server")
	if e.Address != "" {
		b.WriteString(" " + e.Address)
	}
	b.WriteString(" replied: ")
	appendCode(&b, e.Code, e.Name, e.Message)
	b.WriteString(nextStep(e.Code, e.Message))
	return b.String()
}

// Codes without a name: a $changeStream on a server that is not in a replica set, and an invalid resume token.
const (
	changeStreamOnStandalone = errcode.Location40573
	badResumeToken           = errcode.Code(40647)
)

// replicaSetHint says how a program gets a replica set.
const replicaSetHint = ", which one server can be: in tests mongotest.New(mongotest.ReplicaSet(1)); " +
	"otherwise start mongod with --replSet rs0, and call rs.initiate() once in mongosh"

// nextStep says what to do about the codes that newcomers meet.
func nextStep(code errcode.Code, message string) string {
	switch code {
	case errcode.IllegalOperation:
		if strings.HasPrefix(message, retry.TransactionNumbers()) {
			return "; transactions need a replica set" + replicaSetHint
		}
	case changeStreamOnStandalone:
		return "; change streams need a replica set" + replicaSetHint
	case errcode.NoSuchTransaction:
		return "; an error or its time limit ends a transaction on the server: abort it and start it again, as WithTransaction does"
	case errcode.Unauthorized:
		return "; name a user in the connection string, or give that user a role that allows this; commands about the whole server " +
			"run on the database admin"
	case errcode.IndexNotFound:
		return "; unless Options.Name is set, an index is named after its keys, such as age_1"
	case errcode.NotWritablePrimary:
		return "; if directConnection=true is set, remove it, so that the driver finds the primary"
	case errcode.Location40324:
		return stageHint
	case errcode.TypeMismatch:
		if strings.Contains(message, "'pipeline' array") {
			return stageHint
		}
	case errcode.BadValue:
		if strings.Contains(message, "$changeStream.fullDocument") {
			return "; use one of the constants whose names begin with options.FullDocument"
		}
	case errcode.FailedToParse, badResumeToken, errcode.InvalidResumeToken:
		if strings.Contains(message, "resume token") {
			return "; resume with what ResumeToken of the stream returned, unchanged, or without a token to begin now"
		}
	case errcode.ChangeStreamHistoryLost:
		return "; open the stream without a token, and use Find to read what has changed in the meantime"
	}
	return ""
}

// stageHint says what a pipeline consists of.
const stageHint = "; a stage is a document with one operator, such as bson.Doc(\"$match\", filter)"

// As fills a target of type *CommandError or **CommandError; errors.As and errors.AsType call it.
func (e CommandError) As(target any) bool { return fill(e, target) }

// HasErrorLabel reports whether the error carries the label.
func (e CommandError) HasErrorLabel(label string) bool { return contains(e.Labels, label) }

// Timeout reports whether the server gave up because the time that the command was allowed had passed.
func (e CommandError) Timeout() bool { return e.Code == errcode.MaxTimeMSExpired }

func (e CommandError) withLabels(labels []string) error {
	e.Labels = union(e.Labels, labels)
	return e
}

// appendCode writes "(Name) message", "(code 12) message" or the message alone.
func appendCode(b *strings.Builder, code errcode.Code, name, message string) {
	switch {
	case name != "":
		b.WriteString("(" + shorten(name, maxName) + ") ")
	case code != 0:
		b.WriteString("(code " + strconv.Itoa(int(code)) + ") ")
	}
	b.WriteString(shorten(message, maxMessage))
}

// How much of the server's texts the text of an error shows; the fields have all of it.
const (
	maxMessage = 2000
	maxName    = 100
)

func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}

// nameOf returns the server's name for a code, or "". It is needed because an element of writeErrors has no codeName.
func nameOf(code errcode.Code) string {
	name := code.String()
	if _, known := errcode.ByName(name); !known {
		return ""
	}
	return name
}

func (e CommandError) answers(match func(errcode.Code, string) bool) bool {
	return match(e.Code, e.Message)
}
