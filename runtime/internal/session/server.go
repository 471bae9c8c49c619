package session

import (
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/txn"
)

func newServer(now time.Time) *Server {
	id := bson.NewUUID()
	dst, start := bson.AppendDocumentStart(make([]byte, 0, 32))
	dst = bson.AppendBinaryElement(dst, "id", bsontype.BinaryUUID, id[:])
	return &Server{lsid: bson.AppendDocumentEnd(dst, start), lastUse: now}
}

// clone returns a second handle on the same session of the server. It has its own time of last use and its own dirty
// mark, so a cleanup can change them while the program goes on; learn merges them.
func (s *Server) clone() *Server { return &Server{lsid: s.lsid, txnNumber: s.txnNumber} }

// learn merges what a cleanup did to its clone. Nothing else uses the session meanwhile.
func (s *Server) learn(from *Server) {
	if from.IsDirty() {
		s.MarkDirty()
	}
	if from.lastUse.After(s.lastUse) {
		s.lastUse = from.lastUse
	}
}

// ID is the document that commands send as lsid. It never changes.
func (s *Server) ID() bson.Raw { return s.lsid }

// TxnNumber is the number of the transaction or retryable write that started last. It is 0 when there was none.
func (s *Server) TxnNumber() int64 { return s.txnNumber }

// NextTxnNumber starts the next transaction or retryable write.
func (s *Server) NextTxnNumber() int64 {
	s.pooled.InUse()
	s.txnNumber++
	return s.txnNumber
}

// MarkDirty records that a command of the session ended in a network error. The server may still be running the
// command, so the session is not used again. Sessions, "Network errors".
func (s *Server) MarkDirty() {
	s.pooled.InUse()
	s.dirty.Store(true)
}

// IsDirty reports whether MarkDirty was called.
func (s *Server) IsDirty() bool { return s.dirty.Load() }

// Touch records that a command of the session was sent.
func (s *Server) Touch(now time.Time) {
	s.pooled.InUse()
	s.lastUse = now
}

// expiresSoon reports whether the server will drop the session within SessionMargin. A session without a timeout, as behind
// a load balancer, does not expire.
func (s *Server) expiresSoon(timeout time.Duration, now time.Time) bool {
	return timeout > 0 && now.Sub(s.lastUse) > timeout-txn.SessionMargin
}
