package mongotest

import (
	"math/rand/v2"
	"net"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
)

// talk is one fuzzed conversation: the deployment, the source of its commands, and what was learned from the replies.
type talk struct {
	*maker
	t      *testing.T
	client net.Conn
	token  bson.Raw // the last resume token that was seen
}

// fuzzTalks sends commands that next makes, each as long as the connection lasts. options make the deployment.
func fuzzTalks(f *testing.F, options []Option, prepare []bson.D, next func(*talk) bson.Raw) {
	w := readWords(f)
	for i := range uint64(60) {
		seed := make([]byte, 300)
		random := rand.New(rand.NewPCG(i, 1))
		for k := range seed {
			seed[k] = byte(random.Uint32())
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := New(append([]Option{NoCommands()}, options...)...)
		if err != nil {
			t.Fatal(err)
		}
		client := connectPipe(d)
		defer client.Close()
		for _, command := range append(prepare, fixture...) {
			exchange(t, client, opMsg(t, command))
		}
		x := &talk{maker: &maker{words: w, data: data}, t: t, client: client}
		for range 2 + x.n(10) {
			if !x.send(next(x)) {
				break
			}
		}
		checkAlive(t, d)
	})
}

// send runs a command and learns from its reply. It returns false if the connection has ended.
func (x *talk) send(command bson.Raw) bool {
	x.client.SetDeadline(time.Now().Add(patience))
	if _, err := x.client.Write(appendOpMsg(command)); err != nil {
		return false
	}
	reply, err := readReply(x.client)
	if err, ok := err.(net.Error); ok && err.Timeout() {
		x.t.Fatalf("no answer to %v\n%s", command, stacks())
	}
	if err != nil {
		return false
	}
	if code, _ := reply.Lookup("code").AsInt64OK(); errcode.Code(code) == errcode.InternalError {
		x.t.Errorf("%v\n%v", command, reply)
	}
	cursor, _ := reply.Lookup("cursor").DocumentOK()
	if id := cursor.Lookup("id"); id.Type == bsontype.Int64 {
		x.cursor = new(id)
	}
	if token, ok := cursor.Lookup("postBatchResumeToken").DocumentOK(); ok {
		x.token = token
	}
	for _, batch := range [...]string{"firstBatch", "nextBatch"} {
		if token, ok := cursor.Lookup(batch, "0", "_id").DocumentOK(); ok && x.n(2) == 0 {
			x.token = token
		}
	}
	return true
}

// FuzzChangeStreams opens change streams with options and resume tokens of all kinds, and reads them while data and
// collections change.
func FuzzChangeStreams(f *testing.F) {
	prepare := []bson.D{bson.Doc("create", "p", "changeStreamPreAndPostImages", bson.Doc("enabled", true), "$db", "db")}
	fuzzTalks(f, []Option{ReplicaSet(1)}, prepare, func(x *talk) bson.Raw {
		switch x.n(4) {
		case 0:
			return x.command()
		case 1:
			if x.cursor != nil {
				return x.fields("getMore", *x.cursor, "collection", text(pick(x.maker, []string{"c", "p", "$cmd.aggregate"})),
					"maxTimeMS", number(1), "$db", text("db"))
			}
		}
		return x.changeStream()
	})
}

// changeStream makes the aggregation of a change stream.
func (x *talk) changeStream() bson.Raw {
	options := x.document(func(dst []byte) []byte {
		for range x.n(4) {
			name := pick(x.maker, []string{"resumeAfter", "startAfter", "startAtOperationTime", "fullDocument", "fullDocumentBeforeChange",
				"allChangesForCluster", "showExpandedEvents", "showMigrationEvents", "x"})
			dst = bson.AppendRawValueElement(dst, name, x.streamOption(name))
		}
		return dst
	})
	stages := []bson.RawValue{{Type: bsontype.EmbeddedDocument, Value: x.fields("$changeStream", options)}}
	if x.n(3) == 2 {
		stage := pick(x.maker, []string{"$match", "$project", "$changeStreamSplitLargeEvent", "$redact", "$unset", "$replaceRoot", "$group"})
		stages = append(stages, bson.RawValue{Type: bsontype.EmbeddedDocument, Value: x.fields(stage, x.specification(stage))})
	}
	pipeline := bson.RawValue{Type: bsontype.Array}
	pipeline.Value, _ = appendArray(nil, stages)
	return x.fields("aggregate", pick(x.maker, []bson.RawValue{text("c"), text("p"), number(1), text("v")}), "pipeline", pipeline,
		"cursor", x.document(func(dst []byte) []byte { return bson.AppendInt32Element(dst, "batchSize", int32(x.n(3))) }),
		"$db", text(pick(x.maker, []string{"db", "db", "admin"})))
}

// streamOption makes the value of an option of $changeStream.
func (x *talk) streamOption(name string) bson.RawValue {
	if x.n(10) == 9 {
		return x.value()
	}
	switch name {
	case "resumeAfter", "startAfter":
		data, ok := x.token.Lookup("_data").StringOK()
		if !ok {
			return x.document(func(dst []byte) []byte { return bson.AppendRawValueElement(dst, "_data", x.value()) })
		}
		if at := x.n(len(data) + 1); x.n(3) == 2 && at < len(data) { // a token that was tampered with
			data = data[:at] + pick(x.maker, []string{"", "0", "F", "zz", "46", "\x00"}) + data[at+1:]
		}
		return bson.RawValue{Type: bsontype.EmbeddedDocument, Value: x.fields("_data", text(data))}
	case "startAtOperationTime":
		return bson.RawValue{Type: bsontype.Timestamp, Value: x.bytes(8)}
	case "fullDocument", "fullDocumentBeforeChange":
		return text(pick(x.maker, []string{"default", "updateLookup", "whenAvailable", "required", "off", "x"}))
	}
	return bson.RawValue{Type: bsontype.Boolean, Value: []byte{byte(x.n(2))}}
}

// fields makes a document of names and values.
func (x *talk) fields(pairs ...any) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	for i := 0; i < len(pairs); i += 2 {
		dst = bson.AppendRawValueElement(dst, pairs[i].(string), pairs[i+1].(bson.RawValue))
	}
	return bson.AppendDocumentEnd(dst, start)
}

// anyFields makes a command with some of the named fields.
func (x *talk) anyFields(name string, target bson.RawValue, db string, names []string, value func(string) bson.RawValue) bson.Raw {
	v := x.document(func(dst []byte) []byte {
		dst = bson.AppendRawValueElement(dst, name, target)
		for _, field := range names {
			if x.n(3) > 0 {
				dst = bson.AppendRawValueElement(dst, field, value(field))
			}
		}
		return bson.AppendStringElement(dst, "$db", db)
	})
	return bson.Raw(v.Value)
}
