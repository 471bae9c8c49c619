package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// The servers run in processes of their own, so the benchmark measures the driver alone. This program is both: it
// starts itself again with the name of a server in the environment.
const serveVariable = "PEERBENCH_SERVE"

// serve runs the program as a server: it prints its address and runs until its standard input ends.
func serve(name string) error {
	address, err := openServer(name)
	if err != nil {
		return err
	}
	fmt.Println(address)
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// uri returns the URI that both drivers connect to; parameters are the URI's parameters.
func (s *server) uri(parameters string) string {
	uri := s.address
	if !strings.HasPrefix(uri, "mongodb://") {
		uri = "mongodb://" + uri + "/?directConnection=true"
	}
	if parameters != "" {
		uri += "&" + parameters
	}
	return uri
}

// server is a server in a process of its own. It ends when its standard input does, which is when this process ends at
// the latest.
type server struct {
	address string
	input   io.WriteCloser
}

func startServer(name string) (*server, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := exec.Command(program)
	command.Env = append(os.Environ(), serveVariable+"="+name)
	input, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	command.Stderr = os.Stderr
	if err := command.Start(); err != nil {
		return nil, err
	}
	rememberServer(command.Process.Pid)
	line, err := bufio.NewReader(out).ReadString('\n')
	return &server{strings.TrimSpace(line), input}, err
}

func acceptCanned(listener net.Listener, replies map[string][]byte, latency time.Duration) {
	for {
		nc, err := listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil {
			go answerCanned(nc, replies, latency)
		}
	}
}

const (
	headerSize = 16
	opReply    = 1
	opQuery    = 2004
	opMsg      = 2013
)

// answerCanned answers each message after the latency, with the reply for the name of the message's first field.
func answerCanned(nc net.Conn, replies map[string][]byte, latency time.Duration) {
	defer nc.Close()
	r := bufio.NewReaderSize(nc, 1<<20)
	var msg, out []byte
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
		time.Sleep(latency)
		out = appendCanned(out[:0], msg, replies)
		if _, err := nc.Write(out); err != nil {
			return
		}
	}
}

func appendCanned(dst, msg []byte, replies map[string][]byte) []byte {
	id := binary.LittleEndian.Uint32(msg[4:])
	switch binary.LittleEndian.Uint32(msg[12:]) {
	case opCompressed:
		return appendCompressed(dst, msg, replies)
	case opQuery:
		body := replies["hello"]
		dst = appendHead(dst, headerSize+20+len(body), id, opReply)
		dst = binary.LittleEndian.AppendUint32(dst, 8)
		dst = append(dst, make([]byte, 12)...)
		dst = binary.LittleEndian.AppendUint32(dst, 1)
		return append(dst, body...)
	}
	body := cannedReply(commandName(msg[headerSize:]), replies)
	dst = appendHead(dst, headerSize+5+len(body), id, opMsg)
	dst = append(dst, 0, 0, 0, 0, 0)
	return append(dst, body...)
}

// commandName returns the name of the first element of an OP_MSG. Before it are the flags, the kind of the section, the
// length of the document, and the type of the element.
func commandName(msg []byte) string {
	name, _, _ := bytes.Cut(msg[4+1+4+1:], []byte{0})
	return string(name)
}

func cannedReply(name string, replies map[string][]byte) []byte {
	if body, ok := replies[name]; ok {
		return body
	}
	return replies["ping"]
}

func appendHead(dst []byte, size int, responseTo, opCode uint32) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(size))
	dst = binary.LittleEndian.AppendUint32(dst, 1)
	dst = binary.LittleEndian.AppendUint32(dst, responseTo)
	return binary.LittleEndian.AppendUint32(dst, opCode)
}

// helloFields returns the fields that every hello reply has.
func helloFields(primary bool) bson.D {
	return bson.D{
		{Key: "ismaster", Value: primary}, {Key: "isWritablePrimary", Value: primary}, {Key: "helloOk", Value: true},
		{Key: "maxBsonObjectSize", Value: int32(16 << 20)}, {Key: "maxMessageSizeBytes", Value: int32(48_000_000)},
		{Key: "maxWriteBatchSize", Value: int32(100_000)}, {Key: "minWireVersion", Value: int32(0)},
		{Key: "maxWireVersion", Value: int32(25)}, {Key: "logicalSessionTimeoutMinutes", Value: int32(30)}, {Key: "ok", Value: 1.0},
	}
}

// cannedReplies returns the replies by the name of the command. find returns one document, and aggregate a thousand.
func cannedReplies() map[string][]byte {
	encode := mustEncode
	hello := encode(helloFields(true))
	batch := func(n int) []byte {
		return encode(bson.D{
			{
				Key:   "cursor",
				Value: bson.D{{Key: "id", Value: int64(0)}, {Key: "ns", Value: "bench.users"}, {Key: "firstBatch", Value: users(n)}},
			},
			{Key: "ok", Value: 1.0},
		})
	}
	written := encode(bson.D{{Key: "n", Value: int32(1)}, {Key: "ok", Value: 1.0}})
	return map[string][]byte{
		"hello": hello, "isMaster": hello, "ismaster": hello,
		"ping": encode(bson.D{{Key: "ok", Value: 1.0}}),
		"find": batch(1), "aggregate": batch(1000),
		"insert": encode(bson.D{{Key: "ok", Value: 1.0}}), // without n, because the server does not count the documents
		"update": written, "delete": written, "drop": written, "create": written,
		"bulkWrite": encode(bson.D{
			{Key: "cursor", Value: bson.D{
				{Key: "id", Value: int64(0)}, {Key: "ns", Value: "admin.$cmd.bulkWrite"}, {Key: "firstBatch", Value: bson.A{}},
			}},
			{Key: "nErrors", Value: int32(0)}, {Key: "nInserted", Value: int32(1)}, {Key: "nMatched", Value: int32(0)},
			{Key: "nModified", Value: int32(0)}, {Key: "nUpserted", Value: int32(0)}, {Key: "nDeleted", Value: int32(0)},
			{Key: "ok", Value: 1.0},
		}),
	}
}

// users returns the documents with the numbers below n, as benchUser reads them.
func users(n int) bson.A {
	docs := make(bson.A, n)
	for i := range docs {
		docs[i] = bson.D{{Key: "_id", Value: int32(i)}, {Key: "name", Value: "Ada Lovelace"}, {Key: "age", Value: int32(36)}}
	}
	return docs
}

// getMoreDocuments is how many documents each getMore of an endless cursor returns.
const getMoreDocuments = 100

// endlessReplies returns the canned replies, except that aggregate opens a cursor that never ends. Its first batch is empty, and each
// getMore returns n documents.
func endlessReplies(n int) map[string][]byte {
	replies := cannedReplies()
	replies["aggregate"] = mustEncode(cursorReply("firstBatch", "bench.users", bson.A{}))
	replies["getMore"] = mustEncode(cursorReply("nextBatch", "bench.users", users(n)))
	return replies
}
