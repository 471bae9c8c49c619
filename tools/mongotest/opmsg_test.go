package mongotest_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
	"github.com/specdrivers/onion/tools/mongotest/internal/compress"
)

var (
	pingCommand  = bson.Doc("ping", 1, "$db", "admin")
	castagnoli   = crc32.MakeTable(crc32.Castagnoli)
	hashChecksum = uint32(wire.ChecksumPresent)
)

// withChecksum returns the complete frame of an OP_MSG that ends in a checksum. A wrong other than 0 corrupts the checksum.
func withChecksum(payload []byte, wrong uint32) []byte {
	msg := append(header(16+len(payload)+4, 1, wire.OpMsg), payload...)
	return binary.LittleEndian.AppendUint32(msg, crc32.Checksum(msg, castagnoli)+wrong)
}

// Each case is an OP_MSG that a server refuses, with the error code. Without a code the server closes the connection.
func TestOpMsgThatIsRefused(t *testing.T) {
	d := mongotest.Start(t)
	ping, doc := marshal(t, pingCommand), marshal(t, bson.Doc("_id", 1))
	insert := marshal(t, bson.Doc("insert", "c", "$db", "db"))
	body := append([]byte{0}, ping...)
	notBSON := append([]byte{}, doc...)
	notBSON[4] = 0x77
	large := marshal(t, bson.Doc("ping", 1, "$db", "admin", "x", strings.Repeat("x", 16<<20+16<<10)))
	for _, test := range []struct {
		name    string
		payload []byte
		want    errcode.Code
	}{
		{"no body", []byte{0, 0, 0, 0}, errcode.Location40587},
		{"two bodies", opMsg(0, ping, body), errcode.Location40430},
		{"an unknown section", opMsg(0, ping, append([]byte{2}, doc...)), errcode.Location40432},
		{"a sequence twice", opMsg(0, insert, sequence("documents", doc), sequence("documents", doc)), errcode.Location40431},
		{"a field and a sequence of one name", opMsg(0, marshal(t, bson.Doc("insert", "c", "documents", bson.A{}, "$db", "db")), sequence("documents", doc)), errcode.Location40433},
		{"a body that is no document", opMsg(0, notBSON), errcode.InvalidBSON},
		{"a sequence that is no document", opMsg(0, insert, sequence("documents", notBSON)), errcode.InvalidBSON},
		{"a body that is too large", opMsg(0, large), errcode.BSONObjectTooLarge},
		{"no database", opMsg(0, marshal(t, bson.Doc("ping", 1))), errcode.Location40571},
		{"a database that is no string", opMsg(0, marshal(t, bson.Doc("ping", 1, "$db", 1))), errcode.Location40571},
		{"an unknown required flag", opMsg(1<<2, ping), 0},
		{"another unknown required flag", opMsg(1<<15, ping), 0},
		{"three sequences", opMsg(0, insert, sequence("a"), sequence("b"), sequence("c")), 0},
		{"no flags", []byte{0, 0}, 0},
		{"a section that is too long", opMsg(0, ping, []byte{1, 0xff, 0xff, 0, 0}), 0},
		{"a section of a negative length", opMsg(0, ping, []byte{1, 0xff, 0xff, 0xff, 0xff}), 0},
		{"a sequence without a name", opMsg(0, ping, []byte{1, 5, 0, 0, 0, 'x'}), 0},
		{"bytes left over", opMsg(0, ping, []byte{1}), 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := connectRaw(t, d, 0)
			c.frame(wire.OpMsg, test.payload)
			if test.want == 0 {
				if !c.hangsUp() {
					t.Error("the connection is still open")
				}
				return
			}
			reply := c.receive()
			checkRefused(t, reply.body, test.want)
			if reply.responseTo != c.last {
				t.Errorf("a reply to %d", reply.responseTo)
			}
			checkRefused(t, c.run(pingCommand), 0) // the connection stays open
		})
	}
}

// Bits 16 to 31 are optional: a server ignores those that it does not know.
func TestOptionalFlagsAreIgnored(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t), 0)
	c.send(0xFFFF<<16&^uint32(wire.ExhaustAllowed), pingCommand)
	checkRefused(t, c.receive().body, 0)
	c.send(uint32(wire.ExhaustAllowed), pingCommand) // a ping has one answer
	if reply := c.receive(); codeOf(reply.body) != 0 || reply.flags != 0 {
		t.Errorf("%+v", reply)
	}
}

func TestDocumentSequences(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t), 0)
	docs := sequence("documents", marshal(t, bson.Doc("_id", 1)), marshal(t, bson.Doc("_id", 2)))
	insert := marshal(t, bson.Doc("insert", "c", "$db", "db"))
	c.frame(wire.OpMsg, opMsg(0, insert, docs))
	if n, _ := c.receive().body.Lookup("n").AsInt64OK(); n != 2 {
		t.Errorf("%d documents inserted", n)
	}
	// A sequence may come before the body.
	payload := append([]byte{0, 0, 0, 0}, sequence("documents", marshal(t, bson.Doc("_id", 3)))...)
	c.frame(wire.OpMsg, append(append(payload, 0), insert...))
	if n, _ := c.receive().body.Lookup("n").AsInt64OK(); n != 1 {
		t.Errorf("%d documents inserted", n)
	}
}

// A server verifies a checksum and answers with one.
func TestChecksums(t *testing.T) {
	d := mongotest.Start(t)
	payload := opMsg(hashChecksum, marshal(t, pingCommand))
	c := connectRaw(t, d, 0)
	if _, err := c.nc.Write(withChecksum(payload, 0)); err != nil {
		t.Fatal(err)
	}
	if reply := c.receive(); codeOf(reply.body) != 0 || !reply.checksum {
		t.Errorf("%+v", reply)
	}
	if reply := c.run(pingCommand); codeOf(reply) != 0 {
		t.Errorf("without a checksum: %v", reply)
	}
	if _, err := c.nc.Write(withChecksum(payload, 1)); err != nil {
		t.Fatal(err)
	}
	if !c.hangsUp() {
		t.Error("a wrong checksum was accepted")
	}

	// The checksum of a compressed message is computed over the uncompressed message.
	for _, wrong := range []uint32{0, 1} {
		c := connectRaw(t, d, 0)
		c.sendCompressed(wire.CompressorZlib, wire.OpMsg, withChecksum(payload, wrong)[16:], 0)
		if wrong == 1 {
			if !c.hangsUp() {
				t.Error("a wrong checksum was accepted in a compressed message")
			}
		} else if reply := c.receive(); reply.op != wire.OpCompressed {
			t.Errorf("%+v", reply)
		}
	}
}

// A request with moreToCome gets no answer, whether it succeeds or fails.
func TestUnacknowledgedRequests(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(2))
	c := connectRaw(t, d, d.Primary())
	for _, doc := range []bson.D{
		bson.Doc("insert", "c", "documents", bson.A{bson.Doc("_id", 1)}, "writeConcern", bson.Doc("w", 0), "$db", "db"),
		bson.Doc("nothing", 1, "$db", "db"),
	} {
		c.send(uint32(wire.MoreToCome), doc)
	}
	checkRefused(t, c.run(pingCommand), 0) // run checks that the first reply answers this request
	if n, _ := c.run(bson.Doc("count", "c", "$db", "db")).Lookup("n").AsInt64OK(); n != 1 {
		t.Errorf("%d documents", n)
	}
	// A server that is not the primary can report it only by closing the connection.
	c = connectRaw(t, d, 1-d.Primary())
	c.send(uint32(wire.MoreToCome), bson.Doc("insert", "c", "documents", bson.A{bson.Doc("_id", 2)}, "$db", "db"))
	if !c.hangsUp() {
		t.Error("a secondary took an unacknowledged write in silence")
	}
}

// From 7.1 on, a mongos too streams a getMore that allows it, until the cursor is exhausted.
func TestExhaustGetMore(t *testing.T) {
	for _, test := range []struct {
		name    string
		options []mongotest.Option
		streams bool
	}{
		{"mongod 4.2", []mongotest.Option{mongotest.Version("4.2")}, true},
		{"mongod 8.0", nil, true},
		{"mongos 7.0", []mongotest.Option{mongotest.Sharded(1), mongotest.Version("7.0")}, false},
		{"mongos 8.0", []mongotest.Option{mongotest.Sharded(1)}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := connectRaw(t, mongotest.Start(t, test.options...), 0)
			docs := bson.A{}
			for i := range 7 {
				docs = append(docs, bson.Doc("_id", i))
			}
			checkRefused(t, c.run(bson.Doc("insert", "c", "documents", docs, "$db", "db")), 0)
			id, _ := c.run(bson.Doc("find", "c", "batchSize", 2, "$db", "db")).Lookup("cursor", "id").Int64OK()
			c.send(uint32(wire.ExhaustAllowed), bson.Doc("getMore", id, "collection", "c", "batchSize", 2, "$db", "db"))
			replies, previous := 0, c.last
			for {
				reply := c.receive()
				replies++
				if reply.responseTo != previous {
					t.Errorf("reply %d is to %d, want %d", replies, reply.responseTo, previous)
				}
				if reply.flags&uint32(wire.MoreToCome) == 0 {
					break
				}
				previous = reply.id
			}
			if want := map[bool]int{true: 3, false: 1}[test.streams]; replies != want {
				t.Errorf("%d replies, want %d", replies, want)
			}
			checkRefused(t, c.run(pingCommand), 0)
		})
	}
}

// An error ends a stream.
func TestExhaustGetMoreFails(t *testing.T) {
	d := mongotest.Start(t)
	c := connectRaw(t, d, 0)
	checkRefused(t, c.run(bson.Doc("insert", "c", "documents", bson.A{bson.Doc("_id", 1), bson.Doc("_id", 2), bson.Doc("_id", 3)}, "$db", "db")), 0)
	id, _ := c.run(bson.Doc("find", "c", "batchSize", 1, "$db", "db")).Lookup("cursor", "id").Int64OK()
	checkRefused(t, c.runAdmin("configureFailPoint", "failCommand", "mode", bson.Doc("skip", 1),
		"data", bson.Doc("failCommands", bson.A{"getMore"}, "errorCode", int32(errcode.Interrupted))), 0)
	before := len(d.Commands())
	c.send(uint32(wire.ExhaustAllowed), bson.Doc("getMore", id, "collection", "c", "batchSize", 1, "$db", "db"))
	if reply := c.receive(); codeOf(reply.body) != 0 || reply.flags != uint32(wire.MoreToCome) {
		t.Fatalf("%+v", reply)
	}
	reply := c.receive()
	checkRefused(t, reply.body, errcode.Interrupted)
	if reply.flags != 0 {
		t.Errorf("more is to come after an error: %#x", reply.flags)
	}
	if got := len(d.Commands()) - before; got != 1 {
		t.Errorf("%d commands were received, want the one that was sent", got)
	}
}

// sendCompressed writes an OP_COMPRESSED. It adds by to the uncompressed size in the header.
func (c *rawConn) sendCompressed(id wire.CompressorID, op wire.OpCode, payload []byte, by int) {
	c.t.Helper()
	out := binary.LittleEndian.AppendUint32(nil, uint32(op))
	out = binary.LittleEndian.AppendUint32(out, uint32(len(payload)+by))
	out = append(out, byte(id))
	if id > wire.CompressorZstd {
		out = append(out, payload...)
	} else {
		var err error
		if out, err = new(compress.Coders).Append(out, payload, id); err != nil {
			c.t.Fatal(err)
		}
	}
	c.frame(wire.OpCompressed, out)
}

// The reply to a compressed request is compressed the same way.
func TestCompressedMessages(t *testing.T) {
	d := mongotest.Start(t)
	ping := opMsg(0, marshal(t, pingCommand))
	for _, id := range []wire.CompressorID{wire.CompressorSnappy, wire.CompressorZlib, wire.CompressorZstd} {
		t.Run(id.String(), func(t *testing.T) {
			c := connectRaw(t, d, 0)
			c.sendCompressed(id, wire.OpMsg, ping, 0)
			msg := make([]byte, 25)
			if _, err := io.ReadFull(c.r, msg); err != nil {
				t.Fatal(err)
			}
			size, op := binary.LittleEndian.Uint32(msg), binary.LittleEndian.Uint32(msg[16:])
			content := make([]byte, size-25)
			if _, err := io.ReadFull(c.r, content); err != nil {
				t.Fatal(err)
			}
			out, err := new(compress.Coders).Expand(content, wire.CompressorID(msg[24]), int(binary.LittleEndian.Uint32(msg[20:])))
			if err != nil || op != uint32(wire.OpMsg) || wire.CompressorID(msg[24]) != id {
				t.Fatalf("opcode %d, compressor %d, %v", op, msg[24], err)
			}
			checkRefused(t, bson.Raw(out[5:]), 0)
		})
	}
	for _, test := range []struct {
		name string
		send func(*rawConn)
	}{
		{"an unknown compressor", func(c *rawConn) { c.sendCompressed(9, wire.OpMsg, ping, 0) }},
		{"no compression", func(c *rawConn) { c.sendCompressed(wire.CompressorNoop, wire.OpMsg, ping, 0) }},
		{"a message compressed twice", func(c *rawConn) { c.sendCompressed(wire.CompressorZlib, wire.OpCompressed, ping, 0) }},
		{"a size that is too small", func(c *rawConn) { c.sendCompressed(wire.CompressorZlib, wire.OpMsg, ping, -1) }},
		{"a size that is too large", func(c *rawConn) { c.sendCompressed(wire.CompressorZlib, wire.OpMsg, ping, 1) }},
		{"a size beyond every message", func(c *rawConn) { c.sendCompressed(wire.CompressorSnappy, wire.OpMsg, ping, 48000000) }},
		{"noise", func(c *rawConn) {
			c.frame(wire.OpCompressed, append([]byte{0xdd, 7, 0, 0, 20, 0, 0, 0, 1}, bytes.Repeat([]byte{0xff}, 20)...))
		}},
		{"too short", func(c *rawConn) { c.frame(wire.OpCompressed, []byte{0xdd, 7, 0, 0}) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := connectRaw(t, d, 0)
			if test.send(c); !c.hangsUp() {
				t.Error("the connection is still open")
			}
		})
	}
}

// The cases are sizes that no message can have, and opcodes that no server takes.
func TestMessagesThatEndAConnection(t *testing.T) {
	d := mongotest.Start(t)
	for _, test := range []struct {
		name string
		msg  []byte
	}{
		{"too large", header(48000001, 1, wire.OpMsg)},
		{"negative", header(-1, 1, wire.OpMsg)},
		{"smaller than its header", header(15, 1, wire.OpMsg)},
		{"OP_INSERT", append(header(16+8, 1, 2002), 0, 0, 0, 0, 'a', '.', 'b', 0)},
		{"OP_REPLY", header(16, 1, wire.OpReply)},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := connectRaw(t, d, 0)
			if _, err := c.nc.Write(test.msg); err != nil {
				t.Fatal(err)
			}
			if !c.hangsUp() {
				t.Error("the connection is still open")
			}
		})
	}
	// The server reads the largest message to its end.
	c := connectRaw(t, d, 0)
	big := marshal(t, bson.Doc("ping", 1, "$db", "admin"))
	filler := marshal(t, bson.Doc("x", strings.Repeat("x", 11<<20)))
	c.frame(wire.OpMsg, opMsg(0, big, sequence("x", filler, filler, filler, filler)))
	c.receive()
}

// Servers up to 5.0 take every command in an OP_QUERY. Later ones take only the commands of a handshake.
func TestCommandsInOpQuery(t *testing.T) {
	for _, test := range []struct {
		version, command string
		want             errcode.Code
	}{
		{"4.2", "ping", 0}, {"4.4", "ping", 0}, {"5.0", "buildInfo", 0}, {"5.0", "listDatabases", 0},
		{"6.0", "ping", errcode.UnsupportedOpQueryCommand}, {"8.0", "listDatabases", errcode.UnsupportedOpQueryCommand},
		{"9.0", "whatsmyuri", errcode.UnsupportedOpQueryCommand}, {"8.0", "nothing", errcode.UnsupportedOpQueryCommand},
		{"8.0", "hello", 0}, {"8.0", "isMaster", 0}, {"8.0", "ismaster", 0}, {"8.0", "buildInfo", 0},
		{"5.0", "nothing", errcode.CommandNotFound},
	} {
		t.Run(test.version+" "+test.command, func(t *testing.T) {
			c := connectRaw(t, mongotest.Start(t, mongotest.Version(test.version)), 0)
			reply := c.query(bson.Doc(test.command, 1))
			checkRefused(t, reply.body, test.want)
			if reply.op != wire.OpReply || reply.flags != 8 {
				t.Errorf("%+v", reply)
			}
			if test.want == errcode.UnsupportedOpQueryCommand {
				text, _ := reply.body.Lookup("errmsg").StringOK()
				if want := "Unsupported OP_QUERY command: " + test.command + ". The client driver may require an upgrade. For more details see https://dochub.mongodb.org/core/legacy-opcode-removal"; text != want {
					t.Errorf("%q, want %q", text, want)
				}
			}
		})
	}
}

// A query of a collection fails as an OP_QUERY always did, with a flag and $err.
func TestQueryOfACollectionInOpQuery(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t), 0)
	c.frame(wire.OpQuery, opQuery(0, "db.c", marshal(t, bson.D{})))
	reply := c.receive()
	text, _ := reply.body.Lookup("$err").StringOK()
	if reply.flags != 2 || !strings.HasPrefix(text, "Unsupported OP_QUERY command: find.") {
		t.Errorf("%+v, %v", reply, reply.body)
	}
	checkRefused(t, reply.body, errcode.UnsupportedOpQueryCommand)
}

// The read preference of an OP_QUERY is a field next to the command, or follows from a flag.
func TestReadPreferenceInOpQuery(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(2), mongotest.Version("5.0"))
	c := connectRaw(t, d, 1-d.Primary())
	count := bson.Doc("count", "c")
	for _, test := range []struct {
		name  string
		flags uint32
		doc   bson.D
		want  errcode.Code
	}{
		{"none", 0, count, errcode.NotPrimaryNoSecondaryOk},
		{"the flag", 4, count, 0},
		{"wrapped", 0, bson.Doc("$query", count, "$readPreference", bson.Doc("mode", "secondary")), 0},
		{"wrapped, primary", 4, bson.Doc("$query", count, "$readPreference", bson.Doc("mode", "primary")), errcode.NotPrimaryNoSecondaryOk},
	} {
		t.Run(test.name, func(t *testing.T) {
			c.frame(wire.OpQuery, opQuery(test.flags, "db.$cmd", marshal(t, test.doc)))
			checkRefused(t, c.receive().body, test.want)
		})
	}
}
