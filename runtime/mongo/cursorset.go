package mongo

import (
	"fmt"
	"strconv"
	"time"

	"github.com/specdrivers/onion/bson"
)

// SetBatchSize sets how many documents the next batches have at most; 0 leaves it to the server.
func (c *Cursor) SetBatchSize(size int32) { c.settings.batchSize = size }

// SetMaxAwaitTime sets how long the server waits for new documents before it answers; 0 leaves it to the server. It is for
// tailable cursors that await data: a server refuses it for others.
func (c *Cursor) SetMaxAwaitTime(d time.Duration) { c.settings.maxAwaitTime = d }

// SetComment sets what the requests for the next batches carry as their comment.
func (c *Cursor) SetComment(comment any) { c.settings.comment = comment }

// NewCursorFromDocuments makes a cursor over documents, for tests of code that takes a cursor. A final error is that of the
// cursor once its documents have been read; nil is its regular end.
func NewCursorFromDocuments(documents []any, final error) (*Cursor, error) {
	dst, start := bson.AppendDocumentStart(nil)
	for i, document := range documents {
		doc, err := scope{}.document("document", document)
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", i, err)
		}
		dst = bson.AppendDocumentElement(dst, strconv.Itoa(i), doc)
	}
	c := &Cursor{batch: batch{rest: bson.AppendDocumentEnd(dst, start)}, final: final}
	c.batch.open()
	return c, nil
}
