package exec

import (
	"errors"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/txn"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/concern"
	"github.com/specdrivers/onion/runtime/internal/session"
)

// prepareSession takes a server session, if the verdict asks for one. It does so after the check-out: earlier, there
// could be more sessions than connections. Sessions, "Implicit sessions".
func (e *execution) prepareSession() error {
	switch {
	case e.verdict.Lsid == operation.RefuseSession:
		return errSessionsUnsupported
	case e.verdict.Lsid == operation.MakeSession && e.session == nil:
		e.session = session.NewImplicit(e.x.Sessions.Acquire(e.x.sessionTimeout(), e.began))
		e.ownsSession = true
	}
	return nil
}

// appendGeneric writes the fields that every command may carry.
func (e *execution) appendGeneric(dst []byte) ([]byte, error) {
	dst, err := e.appendConcerns(dst)
	if err != nil {
		return dst, err
	}
	dst = bson.AppendStringElement(dst, wire.FieldDB, e.op.DB)
	dst = e.appendSession(dst)
	dst = e.appendReadPreference(dst)
	return append(dst, e.x.ServerAPI...), nil
}

// appendConcerns writes the read and the write concern of the verdict.
func (e *execution) appendConcerns(dst []byte) ([]byte, error) {
	dst, err := e.appendReadConcern(dst)
	if err != nil {
		return dst, err
	}
	old := e.ignoresOldTimeouts()
	switch e.verdict.WriteConcern {
	case operation.OwnWriteConcern:
		return concern.AppendWrite(dst, wire.FieldWriteConcern, e.op.WriteConcern, old)
	case operation.TransactionWriteConcern:
		return concern.AppendWrite(dst, wire.FieldWriteConcern, e.session.Transaction().WriteConcern, old)
	case operation.MajorityWriteConcern:
		return concern.AppendWrite(dst, wire.FieldWriteConcern, withMajority(e.session.Transaction().WriteConcern), old)
	}
	return dst, nil
}

func (e *execution) appendReadConcern(dst []byte) ([]byte, error) {
	var own *options.ReadConcern
	var after, at bson.Timestamp
	switch e.verdict.ReadConcern {
	case operation.OwnReadConcern:
		own = e.op.ReadConcern
	case operation.OwnReadConcernAfter:
		own, after = e.op.ReadConcern, e.session.OperationTime()
	case operation.AfterClusterTime:
		after = e.session.OperationTime()
	case operation.TransactionReadConcern:
		own = e.session.Transaction().ReadConcern
	case operation.TransactionReadConcernAfter:
		own, after = e.session.Transaction().ReadConcern, e.session.OperationTime()
	case operation.SnapshotReadConcern:
		own, at = snapshotConcern, e.session.SnapshotTime()
	case operation.RefuseSnapshot:
		return dst, errors.New(txn.SnapshotReadsUnsupported("5.0"))
	default:
		return dst, nil
	}
	return concern.AppendRead(dst, wire.FieldReadConcern, own, after, at), nil
}

var snapshotConcern = &options.ReadConcern{Level: options.ReadConcernSnapshot}

// withMajority returns the write concern of a commit after an earlier commit that may have taken place.
//
// Transactions, "writeConcern for commitTransaction attempts".
func withMajority(wc *options.WriteConcern) *options.WriteConcern {
	var changed options.WriteConcern
	if wc != nil {
		changed = *wc
	}
	changed.W = "majority"
	if changed.WTimeout == nil {
		changed.WTimeout = new(txn.CommitRetryWTimeout)
	}
	return &changed
}

// appendSession writes lsid, the number of a transaction or retryable write, and $clusterTime.
func (e *execution) appendSession(dst []byte) []byte {
	if e.verdict.Lsid != operation.NoLsid {
		dst = bson.AppendDocumentElement(dst, wire.FieldLSID, e.session.Server().ID())
		dst = e.appendTxnNumber(dst)
	}
	if e.verdict.Gossip == operation.LatestClusterTime {
		if now := e.clusterTime(); now != nil {
			dst = bson.AppendDocumentElement(dst, wire.FieldClusterTime, now)
		}
	}
	return dst
}

func (e *execution) appendTxnNumber(dst []byte) []byte {
	switch e.verdict.TxnNumber {
	case operation.OwnTxnNumber:
		if e.txnNumber == 0 {
			e.txnNumber = e.session.Server().NextTxnNumber()
		}
		return bson.AppendInt64Element(dst, wire.FieldTxnNumber, e.txnNumber)
	case operation.StartTransaction:
		dst = bson.AppendInt64Element(dst, wire.FieldTxnNumber, e.session.Server().TxnNumber())
		dst = bson.AppendBooleanElement(dst, "startTransaction", true)
		return bson.AppendBooleanElement(dst, wire.FieldAutocommit, false)
	case operation.TransactionNumber:
		dst = bson.AppendInt64Element(dst, wire.FieldTxnNumber, e.session.Server().TxnNumber())
		return bson.AppendBooleanElement(dst, wire.FieldAutocommit, false)
	}
	return dst
}

// clusterTime returns the later of the client's and the session's cluster time. Sessions, "Gossipping the cluster
// time".
func (e *execution) clusterTime() bson.Raw {
	if e.session == nil {
		return e.x.Clock.ClusterTime()
	}
	return e.x.Clock.LaterClusterTime(e.session.Clock())
}
