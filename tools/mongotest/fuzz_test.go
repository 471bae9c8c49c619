package mongotest

import (
	"encoding/binary"
	"io"
	"math/rand/v2"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/compress"
)

// patience is how long a fuzzed server may take to answer. It allows for a busy machine.
const patience = time.Minute

// fuzzedShapes lists the deployments to fuzz.
var fuzzedShapes = [...]Option{Standalone(), ReplicaSet(3), Sharded(2), LoadBalanced(1)}

// FuzzServer sends a byte stream to a server, either as it is or cut into messages with correct headers. The server may
// drop the connection, but it must keep answering others and must stop when it is closed.
func FuzzServer(f *testing.F) {
	for _, msg := range seedMessages(f) {
		f.Add(byte(0), msg)
		f.Add(byte(1), msg)
		f.Add(byte(4), append([]byte{byte(wire.OpMsg - 2000), byte(len(msg) - wire.HeaderSize)}, msg[wire.HeaderSize:]...))
	}
	f.Fuzz(func(t *testing.T, mode byte, data []byte) {
		if mode&4 != 0 {
			data = cutIntoMessages(data)
		}
		d, err := New(fuzzedShapes[mode&3])
		if err != nil {
			t.Fatal(err)
		}
		client := connectPipe(d)
		go io.Copy(io.Discard, client)
		client.SetWriteDeadline(time.Now().Add(time.Second)) // the server may be waiting for what a command waits for
		client.Write(data)
		client.Close()
		checkAlive(t, d)
	})
}

// cutIntoMessages puts a header before each piece of the data. The first two bytes of a piece hold its opcode and
// length.
func cutIntoMessages(data []byte) []byte {
	var stream []byte
	for len(data) >= 2 {
		op, n := wire.OpCode(data[0])+2000, min(int(data[1]), len(data)-2)
		stream = appendHeader(stream, op, n)
		stream = append(stream, data[2:2+n]...)
		data = data[2+n:]
	}
	return stream
}

func appendHeader(dst []byte, op wire.OpCode, length int) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(wire.HeaderSize+length))
	dst = binary.LittleEndian.AppendUint64(dst, 1)
	return binary.LittleEndian.AppendUint32(dst, uint32(op))
}

// connectPipe connects to the first node without a socket.
func connectPipe(d *Deployment) net.Conn {
	client, server := net.Pipe()
	d.cluster.Nodes[0].Admit(server)
	return client
}

// checkAlive pings the server over a new connection and stops it.
func checkAlive(t *testing.T, d *Deployment) {
	t.Helper()
	for _, n := range d.cluster.Nodes {
		n.ResetFailPoints()
	}
	client := connectPipe(d)
	if reply := exchange(t, client, opMsg(t, bson.Doc("ping", 1, "$db", "admin"))); reply.Lookup("ok").IsZero() {
		t.Errorf("ping: %v", reply)
	}
	client.Close()
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		d.Close()
	}()
	select {
	case <-stopped:
	case <-time.After(patience):
		t.Fatalf("the server does not stop\n%s", stacks())
	}
}

// exchange sends a message and returns the body of the answer.
func exchange(t *testing.T, client net.Conn, msg []byte) bson.Raw {
	t.Helper()
	client.SetDeadline(time.Now().Add(patience))
	if _, err := client.Write(msg); err != nil {
		t.Fatalf("%v\n%s", err, stacks())
	}
	reply, err := readReply(client)
	if err != nil {
		t.Fatalf("%v\n%s", err, stacks())
	}
	return reply
}

// readReply reads the body of an OP_MSG.
func readReply(client net.Conn) (bson.Raw, error) {
	head := make([]byte, wire.HeaderSize)
	if _, err := io.ReadFull(client, head); err != nil {
		return nil, err
	}
	rest := make([]byte, int(binary.LittleEndian.Uint32(head))-len(head))
	if _, err := io.ReadFull(client, rest); err != nil {
		return nil, err
	}
	body := bson.Raw(rest[5:])
	return body, body.Validate()
}

func stacks() []byte {
	buf := make([]byte, 1<<20)
	return buf[:runtime.Stack(buf, true)]
}

func opMsg(t testing.TB, command bson.D) []byte {
	t.Helper()
	body, err := bson.Marshal(command)
	if err != nil {
		t.Fatal(err)
	}
	return appendOpMsg(body)
}

func appendOpMsg(body bson.Raw) []byte {
	msg := appendHeader(nil, wire.OpMsg, 5+len(body))
	msg = append(msg, 0, 0, 0, 0, wire.KindBody)
	return append(msg, body...)
}

// seedMessages returns requests of every form.
func seedMessages(f *testing.F) [][]byte {
	f.Helper()
	var all [][]byte
	for _, command := range []bson.D{
		bson.Doc("hello", 1, "$db", "admin", "helloOk", true, "compression", bson.A{"zlib"}),
		bson.Doc("ping", 1, "$db", "admin", "lsid", bson.Doc("id", bson.NewUUID())),
		bson.Doc("insert", "c", "documents", bson.A{bson.Doc("_id", 1)}, "$db", "db"),
		bson.Doc("find", "c", "filter", bson.Doc("a", bson.Doc("$gt", 1)), "$db", "db"),
		bson.Doc("saslStart", 1, "mechanism", "SCRAM-SHA-256", "payload", []byte("n,,n=ada,r=x"), "$db", "admin"),
		bson.Doc("aggregate", "c", "pipeline", bson.A{bson.Doc("$match", bson.D{})}, "cursor", bson.D{}, "$db", "db"),
	} {
		all = append(all, opMsg(f, command))
	}
	sequence := append([]byte{}, all[0]...)
	sequence = append(sequence, wire.KindDocumentSequence, 16, 0, 0, 0)
	sequence = append(sequence, "sequence\x00\x05\x00\x00\x00\x00"[:12]...)
	binary.LittleEndian.PutUint32(sequence, uint32(len(sequence)))
	exhaust := append([]byte{}, all[0]...)
	exhaust[wire.HeaderSize+2] = 1 // exhaustAllowed
	silent := append([]byte{}, all[1]...)
	silent[wire.HeaderSize] = byte(wire.MoreToCome)
	hello, err := bson.Marshal(bson.Doc("isMaster", 1))
	if err != nil {
		f.Fatal(err)
	}
	query := appendHeader(nil, wire.OpQuery, 4+len("admin.$cmd")+1+8+len(hello))
	query = append(append(query, 0, 0, 0, 0), "admin.$cmd\x00"...)
	query = append(append(query, 0, 0, 0, 0, 1, 0, 0, 0), hello...)
	packed, err := new(compress.Coders).Append(nil, all[1][wire.HeaderSize:], wire.CompressorZlib)
	if err != nil {
		f.Fatal(err)
	}
	compressed := appendHeader(nil, wire.OpCompressed, 9+len(packed))
	compressed = binary.LittleEndian.AppendUint32(compressed, uint32(wire.OpMsg))
	compressed = binary.LittleEndian.AppendUint32(compressed, uint32(len(all[1])-wire.HeaderSize))
	compressed = append(append(compressed, byte(wire.CompressorZlib)), packed...)
	return append(all, sequence, exhaust, silent, query, compressed, append(append([]byte{}, all[1]...), all[2]...))
}

// FuzzCommands sends commands in valid BSON, made from the names that the server knows. The server must answer each one
// in time with a document, and each error must have a code.
func FuzzCommands(f *testing.F) {
	w := readWords(f)
	for i := range uint64(100) {
		seed := make([]byte, 400)
		random := rand.New(rand.NewPCG(i, 0))
		for k := range seed {
			seed[k] = byte(random.Uint32())
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m := &maker{words: w, data: data}
		shape, version := m.n(len(fuzzedShapes)), pick(m, versions[:])
		if shape == len(fuzzedShapes)-1 {
			version = DefaultVersion // the first ones have no load balancers
		}
		d, err := New(fuzzedShapes[shape], Version(version), NoCommands())
		if err != nil {
			t.Fatal(err)
		}
		client := connectPipe(d)
		defer client.Close()
		for _, command := range fixture {
			exchange(t, client, opMsg(t, command))
		}
		for range 1 + m.n(6) {
			command := m.command()
			client.SetDeadline(time.Now().Add(patience))
			if _, err := client.Write(appendOpMsg(command)); err != nil {
				break // a fail point, or the command, closed the connection
			}
			reply, err := readReply(client)
			if err, ok := err.(net.Error); ok && err.Timeout() {
				t.Fatalf("no answer to %v\n%s", command, stacks())
			}
			if err != nil {
				break
			}
			if id := reply.Lookup("cursor", "id"); id.Type == bsontype.Int64 {
				m.cursor = new(id)
			}
			if code, _ := reply.Lookup("code").AsInt64OK(); errcode.Code(code) == errcode.InternalError && !m.failPoints {
				t.Errorf("%v\n%v", command, reply)
			}
		}
		checkAlive(t, d)
	})
}

// versions lists the server versions to fuzz.
var versions = [...]string{"8.0", "4.2", "4.4", "5.0", "6.0", "7.0", "8.2"}

// fixture is the data that the commands work on: a collection with an index, a capped one and a view.
var fixture = []bson.D{
	bson.Doc("insert", "c", "documents", bson.A{
		bson.Doc("_id", 1, "a", 1, "b", bson.A{bson.Doc("c", 1), bson.Doc("c", 2)}, "s", "text", "n", 2, "r", bson.A{1, 2.5}, "l", true),
		bson.Doc("_id", 2, "a", 2.5, "b", bson.A{}, "s", "Größe", "n", 1.5, "r", bson.A{}, "l", false, "d", bson.Doc("e", 1)),
		bson.Doc("_id", 3, "a", bson.A{1, 2, 3}, "s", "", "n", int64(7), "r", bson.A{3, 4, 5}, "t", bson.DateTime(1_600_000_000_000)),
	}, "$db", "db"),
	bson.Doc("createIndexes", "c", "indexes", bson.A{bson.Doc("key", bson.Doc("a", 1), "name", "a_1")}, "$db", "db"),
	bson.Doc("create", "k", "capped", true, "size", 4096, "$db", "db"),
	bson.Doc("insert", "k", "documents", bson.A{bson.Doc("_id", 1, "a", 1)}, "$db", "db"),
	bson.Doc("create", "v", "viewOn", "c", "pipeline", bson.A{bson.Doc("$match", bson.Doc("n", bson.Doc("$gt", 0)))}, "$db", "db"),
}
