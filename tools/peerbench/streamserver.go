package main

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// The streams' sizes.
const (
	streamEvents    = 1000   // of a change stream, in a batch
	streamChunk     = 261120 // bytes, GridFS's default
	streamChunks    = 16     // in a batch
	streamBatches   = 257    // of the whole file, which has about 1 GB
	streamFewest    = 16     // batches of the file that is compared with it
	streamBatchSize = streamChunk * streamChunks
)

// openStreams opens a server of endless things: a change stream whose batches are always full, GridFS files of any length,
// and collections that forget what is written to them. The name of a file is its number of batches.
func openStreams() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	replies := cannedReplies()
	replies["aggregate"] = mustEncode(cursorReply("firstBatch", "bench.users", bson.A{}))
	replies["getMore"] = mustEncode(cursorReply("nextBatch", "bench.users", changeEvents()))
	go func() {
		for {
			nc, err := listener.Accept()
			if err != nil {
				return
			}
			go answerStreams(nc, replies)
		}
	}()
	return listener.Addr().String(), nil
}

// streamCursor is the id of every cursor; it never ends.
const streamCursor = 7

func cursorReply(batch, namespace string, docs bson.A) bson.D {
	return bson.D{{Key: "cursor", Value: bson.D{
		{Key: batch, Value: docs}, {Key: "id", Value: int64(streamCursor)}, {Key: "ns", Value: namespace},
		{Key: "postBatchResumeToken", Value: bson.D{{Key: "_data", Value: "826500000000000000"}}},
	}}, {Key: "ok", Value: 1.0}}
}

func changeEvents() (events bson.A) {
	for i := range streamEvents {
		events = append(events, bson.D{
			{Key: "_id", Value: bson.D{{Key: "_data", Value: "8265" + strconv.Itoa(1_000_000+i) + strings.Repeat("0", 60)}}},
			{Key: "operationType", Value: "insert"},
			{Key: "clusterTime", Value: bson.Timestamp{T: 1_700_000_000, I: uint32(i)}},
			{Key: "ns", Value: bson.D{{Key: "db", Value: "bench"}, {Key: "coll", Value: "users"}}},
			{Key: "documentKey", Value: bson.D{{Key: "_id", Value: int32(i)}}},
			{Key: "fullDocument", Value: bson.D{
				{Key: "_id", Value: int32(i)}, {Key: "name", Value: "Ada Lovelace"}, {Key: "age", Value: int32(36)},
			}},
		})
	}
	return events
}

// answerStreams is answerCanned for the endless things. A connection reads one file at a time.
func answerStreams(nc net.Conn, replies map[string][]byte) {
	defer nc.Close()
	r := bufio.NewReaderSize(nc, 1<<20)
	var msg, out []byte
	var file streamFile
	for {
		head, err := r.Peek(headerSize)
		if err != nil {
			return
		}
		size := int(binary.LittleEndian.Uint32(head))
		if cap(msg) < size {
			msg = make([]byte, size)
		}
		msg = msg[:size]
		if _, err := io.ReadFull(r, msg); err != nil {
			return
		}
		answer := file.reply(msg)
		if answer != nil {
			appendHead(answer[:0], len(answer), binary.LittleEndian.Uint32(msg[4:]), 2013)
		} else {
			out = appendCanned(out[:0], msg, replies)
			answer = out
		}
		if _, err := nc.Write(answer); err != nil {
			return
		}
	}
}

// streamFile is the file that a connection reads.
type streamFile struct {
	name  string
	chunk int    // the next one's number
	batch []byte // a reply with the chunks of a batch, in which their numbers are replaced
	at    []int  // where the numbers are
}

// headRoom is what comes before the document of a reply. It is part of the replies here, so sending them copies no
// batch: the server would take longer for that than a driver for reading it.
const headRoom = headerSize + 5

func withHeadRoom(body []byte) []byte { return append(make([]byte, headRoom), body...) }

// reply answers what concerns a file: finding it by its name, and finding its chunks. It returns nil for anything else. The
// header of the message is still empty.
func (f *streamFile) reply(msg []byte) []byte {
	if binary.LittleEndian.Uint32(msg[12:]) == opQuery {
		return nil
	}
	body := bson.Raw(msg[headerSize+5:])
	body = body[:binary.LittleEndian.Uint32(body)]
	collection, _ := body.Lookup("find").StringValueOK()
	if more, ok := body.Lookup("getMore").Int64OK(); ok && more == streamCursor {
		collection, _ = body.Lookup("collection").StringValueOK()
		if collection != "fs.chunks" {
			return nil
		}
		return f.nextReply("nextBatch")
	}
	switch collection {
	case "fs.files":
		name := fileName(body, "_id")
		if name == "" {
			name = "1" // whether the bucket is empty
		}
		batches, _ := strconv.Atoi(name)
		doc := bson.D{
			{Key: "_id", Value: name}, {Key: "length", Value: int64(batches) * streamBatchSize},
			{Key: "chunkSize", Value: int32(streamChunk)}, {Key: "uploadDate", Value: bson.DateTime(0)}, {Key: "filename", Value: name},
		}
		reply := cursorReply("firstBatch", "bench.fs.files", bson.A{doc})
		reply[0].Value.(bson.D)[1].Value = int64(0) // this cursor ends
		return withHeadRoom(mustEncode(reply))
	case "fs.chunks":
		f.name = fileName(body, "files_id")
		f.chunk, f.batch = 0, nil
		return f.nextReply("firstBatch")
	}
	return nil
}

// fileName returns the name that a filter looks for, in either of its forms.
func fileName(body bson.Raw, field string) string {
	name, ok := body.Lookup("filter", field).StringValueOK()
	if !ok {
		name, _ = body.Lookup("filter", field, "$eq").StringValueOK()
	}
	return name
}

// nextReply makes the reply with the next chunks. The cursor ends with the file.
func (f *streamFile) nextReply(batch string) []byte {
	if f.batch == nil || batch == "nextBatch" && f.chunk == streamChunks {
		f.encode(batch)
	}
	for i, at := range f.at {
		binary.LittleEndian.PutUint32(f.batch[at:], uint32(f.chunk+i))
	}
	f.chunk += streamChunks
	batches, _ := strconv.Atoi(f.name)
	if f.chunk >= batches*streamChunks {
		f.encodeEnd()
	}
	return f.batch
}

// mark is a number that the encoded chunks have until their own number replaces it.
const mark = 0x5a5aa5a5

func (f *streamFile) encode(batch string) {
	data := make([]byte, streamChunk)
	var chunks bson.A
	for range streamChunks {
		chunks = append(chunks, bson.D{
			{Key: "_id", Value: bson.ObjectID{1}}, {Key: "files_id", Value: f.name}, {Key: "n", Value: int32(mark)},
			{Key: "data", Value: bson.Binary{Data: data}},
		})
	}
	f.batch = withHeadRoom(mustEncode(cursorReply(batch, "bench.fs.chunks", chunks)))
	f.at = nil
	for i := 0; i+4 <= len(f.batch); i++ {
		if binary.LittleEndian.Uint32(f.batch[i:]) == mark {
			f.at = append(f.at, i)
		}
	}
}

// encodeEnd makes the cursor's id 0 in the reply.
func (f *streamFile) encodeEnd() {
	key := []byte("\x12id\x00")
	id := binary.LittleEndian.AppendUint64(key, streamCursor)
	if at := strings.LastIndex(string(f.batch), string(id)); at >= 0 {
		binary.LittleEndian.PutUint64(f.batch[at+len(key):], 0)
	}
}
