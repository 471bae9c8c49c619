package mongo

import (
	"strconv"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/internal/batch"
	"github.com/specdrivers/onion/runtime/internal/encode"
)

// SetBatchSize limits the number of documents in the next batches; 0 leaves it to the server.
func (c *Cursor) SetBatchSize(size int32) {
	if c == nil {
		return
	}
	c.settings.batchSize = size
}

// SetMaxAwaitTime sets how long the server waits for new documents before it answers; 0 leaves it to the server. It is
// for TailableAwait cursors only: the server refuses it for others.
func (c *Cursor) SetMaxAwaitTime(d time.Duration) {
	if c == nil {
		return
	}
	c.settings.maxAwaitTime = d
}

// SetComment sets the comment of the getMore commands that fetch the next batches.
func (c *Cursor) SetComment(comment any) {
	if c == nil || c.client == nil {
		return
	}
	if encoded, err := c.client.scope.comment(comment); err == nil { // else the next getMore returns the error
		comment = encoded
	}
	c.settings.comment = comment
}

// NewCursorFromDocuments makes a cursor over documents, for tests of code that takes a cursor. If final is not nil, Err
// returns it once the documents have been read.
func NewCursorFromDocuments(documents []any, final error) (*Cursor, error) {
	dst, start := bson.AppendDocumentStart(nil)
	for i, document := range documents {
		doc, err := encode.Document(nil, "document", document)
		if err != nil {
			return nil, encode.At(err, "document %d", i)
		}
		dst = bson.AppendDocumentElement(dst, strconv.Itoa(i), doc)
	}
	return &Cursor{batch: batch.Of(bson.AppendDocumentEnd(dst, start)), final: final}, nil
}
