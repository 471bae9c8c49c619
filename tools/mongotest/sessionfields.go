package mongotest

import (
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// openSession reads the session fields of a command, with the checks of a server in their order.
func (d *Deployment) openSession(r *request, c command) error {
	lsid, number := r.field("lsid"), r.field("txnNumber")
	if lsid.IsZero() && number.IsZero() && r.field("autocommit").IsZero() && r.field("startTransaction").IsZero() {
		return nil
	}
	use, err := r.sessionFields(lsid, number)
	if err != nil {
		return err
	}
	if c.any(beforeAuth) {
		if !r.field("autocommit").IsZero() {
			return status.Errorf(errcode.OperationNotSupportedInTransaction, "This command is not supported in transactions")
		}
		if !number.IsZero() {
			return status.Errorf(errcode.Location50889, "It is illegal to provide a txnNumber for this command")
		}
		if d.config.requireAuth && len(r.conn.principals) == 0 {
			return nil // nobody's session
		}
	}
	if doc, ok := lsid.DocumentOK(); ok {
		use.session = d.sessions.get(r.owner(), doc)
	} else if !number.IsZero() {
		return status.Errorf(errcode.InvalidOptions, "Transaction number requires a session ID to also be specified")
	}
	if err := r.checkTransaction(use); err != nil {
		return err
	}
	if use.txnNumber != nil && !use.inTransaction && !retryable[r.name] {
		return status.Errorf(errcode.NotARetryableWriteCommand, "txnNumber may only be provided for multi-document transactions and retryable write commands. autocommit:false was not provided, and %s is not a retryable write command.", r.name)
	}
	if use.session != nil {
		r.session = use
	}
	if use.inTransaction {
		return r.checkInTransaction(c)
	}
	return nil
}

// retryable are the commands that a transaction number alone makes retryable.
var retryable = map[string]bool{
	"insert": true, "update": true, "delete": true, "findAndModify": true, "findandmodify": true, "bulkWrite": true,
}

// owner is whose sessions the connection uses: with authentication each user has their own.
func (r *request) owner() principal {
	if !r.d.config.requireAuth || len(r.conn.principals) == 0 {
		return principal{}
	}
	return r.conn.principals[0]
}

// sessionFields reads the fields by their types.
func (r *request) sessionFields(lsid, number bson.RawValue) (*sessionUse, error) {
	const path = "OperationSessionInfo"
	use := &sessionUse{}
	if !lsid.IsZero() {
		if err := checkLSID(path+".lsid", lsid); err != nil {
			return nil, err
		}
	}
	if !number.IsZero() {
		n, ok := number.Int64OK()
		if !ok {
			return nil, wrongType(path+".txnNumber", number, "long")
		}
		use.txnNumber = &n
	}
	for _, name := range [...]string{"autocommit", "startTransaction"} {
		if value := r.body.Lookup(name); !value.IsZero() && value.Type != bsontype.Boolean {
			return nil, wrongType(path+"."+name, value, "bool")
		}
	}
	return use, nil
}

// checkLSID refuses what is no session id.
func checkLSID(path string, value bson.RawValue) error {
	lsid, ok := value.DocumentOK()
	if !ok {
		return wrongType(path, value, "object")
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
		return wrongType(path+".id", id, "binData")
	case subtype != bsontype.BinaryUUID:
		return status.Errorf(errcode.TypeMismatch, "BSON field '%s.id' is the wrong binData type '%s', expected type 'UUID'", path, binaryName(subtype))
	case len(data) != 16:
		return status.Errorf(errcode.InvalidUUID, "uuid must be a 16-byte binary field with UUID (4) subtype")
	}
	return nil
}

// binaryName is what a server calls a subtype of binary data.
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

// checkTransaction refuses transaction fields that do not go together.
func (r *request) checkTransaction(use *sessionUse) error {
	auto, hasAuto := r.field("autocommit").BooleanOK()
	start, hasStart := r.field("startTransaction").BooleanOK()
	invalid := func(message string) error { return status.Errorf(errcode.InvalidOptions, "%s", message) }
	switch {
	case use.txnNumber != nil && r.d.config.kind == standalone:
		return status.Errorf(errcode.IllegalOperation, "Transaction numbers are only allowed on a replica set member or mongos")
	case use.txnNumber != nil && *use.txnNumber < 0:
		return invalid("Transaction number cannot be negative")
	case use.txnNumber == nil && hasAuto:
		return invalid("'autocommit' field requires a transaction number to also be specified")
	case auto:
		return invalid("Specifying autocommit=true is not allowed.")
	case !hasAuto && hasStart:
		return invalid("'startTransaction' field requires 'autocommit' field to also be specified")
	case hasStart && !start:
		return invalid("Specifying startTransaction=false is not allowed.")
	}
	use.inTransaction, use.startsTxn = hasAuto, start
	return nil
}
