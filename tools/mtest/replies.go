package mtest

import "github.com/specdrivers/onion/bson"

// BatchIdentifier names the batch in a cursor's reply.
type BatchIdentifier string

// The batches: the first in the reply to the command that opens a cursor, the next in the reply to getMore.
const (
	FirstBatch BatchIdentifier = "firstBatch"
	NextBatch  BatchIdentifier = "nextBatch"
)

// CommandError is the error of a whole command.
type CommandError struct {
	Code    int32
	Message string
	Name    string
	Labels  []string
}

// WriteError is the error of one document.
type WriteError struct {
	Index   int
	Code    int
	Message string
}

// WriteConcernError says that a write did not reach as many members as its write concern requires.
type WriteConcernError struct {
	Name    string
	Code    int
	Message string
	Details bson.Raw
}

// CreateSuccessResponse makes the reply of a successful command.
func CreateSuccessResponse(elems ...bson.E) bson.D {
	return append(bson.D{{Key: "ok", Value: 1}}, elems...)
}

// CreateCursorResponse makes the reply of a command that opens or continues a cursor. The cursor has no more documents
// if cursorID is 0.
func CreateCursorResponse(cursorID int64, ns string, identifier BatchIdentifier, batch ...bson.D) bson.D {
	documents := bson.A{}
	for _, document := range batch {
		documents = append(documents, document)
	}
	return CreateSuccessResponse(bson.E{Key: "cursor", Value: bson.D{
		{Key: "id", Value: cursorID}, {Key: "ns", Value: ns}, {Key: string(identifier), Value: documents},
	}})
}

// CreateCommandErrorResponse makes the reply of a command that failed.
func CreateCommandErrorResponse(ce CommandError) bson.D {
	reply := bson.D{
		{Key: "ok", Value: 0}, {Key: "code", Value: ce.Code}, {Key: "errmsg", Value: ce.Message},
		{Key: "codeName", Value: ce.Name},
	}
	if len(ce.Labels) > 0 {
		reply = append(reply, bson.E{Key: "errorLabels", Value: ce.Labels})
	}
	return reply
}

// CreateWriteErrorsResponse makes the reply of a write that failed for some of its documents.
func CreateWriteErrorsResponse(writeErrors ...WriteError) bson.D {
	list := bson.A{}
	for _, e := range writeErrors {
		list = append(list, bson.D{
			{Key: "index", Value: e.Index}, {Key: "code", Value: e.Code}, {Key: "errmsg", Value: e.Message},
		})
	}
	return CreateSuccessResponse(bson.E{Key: "writeErrors", Value: list})
}

// CreateWriteConcernErrorResponse makes the reply of a write that did not meet its write concern.
func CreateWriteConcernErrorResponse(wce WriteConcernError) bson.D {
	inner := bson.D{
		{Key: "code", Value: wce.Code}, {Key: "codeName", Value: wce.Name}, {Key: "errmsg", Value: wce.Message},
	}
	if len(wce.Details) > 0 {
		inner = append(inner, bson.E{Key: "errInfo", Value: wce.Details})
	}
	return CreateSuccessResponse(bson.E{Key: "writeConcernError", Value: inner})
}
