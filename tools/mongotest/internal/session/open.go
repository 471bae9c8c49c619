package session

import (
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/login"
	"github.com/specdrivers/onion/tools/mongotest/internal/replica"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// Use is a command's use of a session.
type Use struct {
	*Session
	TxnNumber     *int64
	StartsTxn     bool
	InTransaction bool
	open          *Transaction // the transaction that the command is a statement of
	wrote         bool         // a router knows that the transaction has written something
	release       func()
}

// Caller is what Open needs to know about a command besides its fields.
type Caller struct {
	Owner     login.Principal
	NoSession bool // the command runs before authentication
	Anonymous bool // the deployment requires authentication, and the connection has not authenticated
	Retryable bool // the command is a retryable write
}

// Open reads the session fields of a command and checks them in a server's order. It returns nil for a command without
// a session.
func (s *Registry) Open(c *call.Call, by Caller) (*Use, error) {
	lsid, number := c.Field("lsid"), c.Field("txnNumber")
	if lsid.IsZero() && number.IsZero() && c.Field("autocommit").IsZero() && c.Field("startTransaction").IsZero() {
		return nil, nil
	}
	use, err := readFields(c, lsid, number)
	if err != nil {
		return nil, err
	}
	if by.NoSession {
		if c.Has("autocommit") {
			return nil, status.Errorf(errcode.OperationNotSupportedInTransaction, "This command is not supported in transactions")
		}
		if !number.IsZero() {
			return nil, status.Errorf(errcode.Location50889, "It is illegal to provide a txnNumber for this command")
		}
		if by.Anonymous {
			return nil, nil
		}
	}
	if doc, ok := lsid.DocumentOK(); ok {
		use.Session = s.get(by.Owner, doc)
	} else if !number.IsZero() {
		return nil, status.Errorf(errcode.InvalidOptions, "Transaction number requires a session ID to also be specified")
	}
	if err := s.readTransaction(c, use); err != nil {
		return nil, err
	}
	if use.TxnNumber != nil && !use.InTransaction && !by.Retryable {
		return nil, status.Errorf(errcode.NotARetryableWriteCommand,
			"txnNumber may only be provided for multi-document transactions and retryable write commands. "+
				"autocommit:false was not provided, and %s is not a retryable write command.", c.Name)
	}
	if use.Session == nil {
		return nil, nil
	}
	return use, nil
}

// readFields reads the fields and checks their types.
func readFields(c *call.Call, lsid, number bson.RawValue) (*Use, error) {
	const path = "OperationSessionInfo"
	use := &Use{}
	if !lsid.IsZero() {
		if err := checkLSID(path+".lsid", lsid); err != nil {
			return nil, err
		}
	}
	if !number.IsZero() {
		n, ok := number.Int64OK()
		if !ok {
			return nil, status.WrongType(path+".txnNumber", number, "long")
		}
		use.TxnNumber = &n
	}
	for _, name := range [...]string{"autocommit", "startTransaction"} {
		if value := c.Field(name); !value.IsZero() && value.Type != bsontype.Boolean {
			return nil, status.WrongType(path+"."+name, value, "bool")
		}
	}
	return use, nil
}

// checkLSID refuses a malformed session id.
func checkLSID(path string, value bson.RawValue) error {
	lsid, ok := value.DocumentOK()
	if !ok {
		return status.WrongType(path, value, "object")
	}
	for key := range lsid.All() {
		switch key {
		case "id", "uid", "txnNumber", "txnUUID":
		default:
			return status.Errorf(errcode.Location40415, "BSON field '%s.%s' is an unknown field.", path, key)
		}
	}
	id := lsid.Lookup("id")
	if id.IsZero() {
		return status.Errorf(errcode.Location40414, "BSON field '%s.id' is missing but a required field", path)
	}
	subtype, data, ok := id.BinaryOK()
	switch {
	case !ok:
		return status.WrongType(path+".id", id, "binData")
	case subtype != bsontype.BinaryUUID:
		return status.Errorf(errcode.TypeMismatch,
			"BSON field '%s.id' is the wrong binData type '%s', expected type 'UUID'", path, binaryName(subtype))
	case len(data) != 16:
		return status.Errorf(errcode.InvalidUUID, "uuid must be a 16-byte binary field with UUID (4) subtype")
	}
	return nil
}

// binaryName returns a server's name for a subtype of binary data.
func binaryName(subtype byte) string {
	switch subtype {
	case bsontype.BinaryGeneric:
		return "general"
	case bsontype.BinaryFunction:
		return "function"
	case bsontype.BinaryMD5:
		return "MD5"
	}
	return fmt.Sprint(subtype)
}

// readTransaction reads the transaction fields and refuses contradictory combinations.
func (s *Registry) readTransaction(c *call.Call, use *Use) error {
	auto, hasAuto := c.Field("autocommit").BooleanOK()
	start, hasStart := c.Field("startTransaction").BooleanOK()
	invalid := func(message string) error { return status.Errorf(errcode.InvalidOptions, "%s", message) }
	switch {
	case use.TxnNumber != nil && s.Standalone:
		return status.Errorf(errcode.IllegalOperation, "Transaction numbers are only allowed on a replica set member or mongos")
	case use.TxnNumber != nil && *use.TxnNumber < 0:
		return invalid("Transaction number cannot be negative")
	case use.TxnNumber == nil && hasAuto:
		return invalid("'autocommit' field requires a transaction number to also be specified")
	case auto:
		return invalid("Specifying autocommit=true is not allowed.")
	case !hasAuto && hasStart:
		return invalid("'startTransaction' field requires 'autocommit' field to also be specified")
	case hasStart && !start:
		return invalid("Specifying startTransaction=false is not allowed.")
	}
	use.InTransaction, use.StartsTxn = hasAuto, start
	return nil
}

// IsRetryable reports whether the write may be a retry of an earlier one. A statement of a transaction never is. A nil
// Use means no session.
func (u *Use) IsRetryable() bool { return u != nil && u.TxnNumber != nil && !u.InTransaction }

// IsActive reports whether the command is a statement of a transaction. A nil Use means no session.
func (u *Use) IsActive() bool { return u != nil && u.InTransaction }

// Fill gives the engine what it needs to know of the session. A nil Use means no session.
func (u *Use) Fill(q *engine.Request) {
	if u == nil {
		return
	}
	q.LSID = u.ID
	if u.TxnNumber != nil {
		q.TxnNumber = *u.TxnNumber
	}
	if u.IsRetryable() {
		q.Retry = u.retry.Load()
	}
	if u.open != nil {
		q.Txn = u.open.txn
	}
}

// Release lets another command use the session while this one waits for other members. A nil Use means no session.
func (u *Use) Release() {
	if u != nil && u.release != nil {
		u.release()
	}
}

// Statement is a command that uses a session.
type Statement struct {
	*call.Call
	*Use
	Owner   login.Principal
	Node    int
	Process bson.ObjectID   // the node's process
	Term    replica.Term    // the term in which the checks passed
	ReadAt  store.Timestamp // the atClusterTime of its read concern, or 0
}
