package mongotest_test

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"net"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
)

// rawConn writes and reads frames itself, so tests can send what a driver never would.
type rawConn struct {
	t    testing.TB
	nc   net.Conn
	r    *bufio.Reader
	last int32 // the number of the last request
}

// rawReply is a frame that a server sent.
type rawReply struct {
	op             wire.OpCode
	id, responseTo int32
	flags          uint32
	checksum       bool // the frame ended in a correct checksum
	body           bson.Raw
}

// patience is how long a test waits for a server before it gives up.
const patience = time.Minute

// connectRaw connects to node i of a deployment without sending anything.
func connectRaw(t testing.TB, d *mongotest.Deployment, i int) *rawConn {
	t.Helper()
	nc, err := net.Dial("tcp", d.Hosts()[i])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close() })
	return &rawConn{t: t, nc: nc, r: bufio.NewReader(nc)}
}

// frame writes a message of any kind.
func (c *rawConn) frame(op wire.OpCode, payload []byte) {
	c.t.Helper()
	c.last++
	if _, err := c.nc.Write(append(header(16+len(payload), c.last, op), payload...)); err != nil {
		c.t.Fatal(err)
	}
}

func header(size int, id int32, op wire.OpCode) []byte {
	head := binary.LittleEndian.AppendUint32(nil, uint32(size))
	head = binary.LittleEndian.AppendUint32(head, uint32(id))
	head = binary.LittleEndian.AppendUint32(head, 0)
	return binary.LittleEndian.AppendUint32(head, uint32(op))
}

// opMsg returns the payload of an OP_MSG with a body and more sections.
func opMsg(flags uint32, body []byte, sections ...[]byte) []byte {
	payload := append(binary.LittleEndian.AppendUint32(nil, flags), 0)
	payload = append(payload, body...)
	for _, s := range sections {
		payload = append(payload, s...)
	}
	return payload
}

// sequence returns a section of kind 1.
func sequence(name string, docs ...[]byte) []byte {
	content := append([]byte(name), 0)
	for _, doc := range docs {
		content = append(content, doc...)
	}
	return append(binary.LittleEndian.AppendUint32([]byte{1}, uint32(4+len(content))), content...)
}

// opQuery returns the payload of an OP_QUERY.
func opQuery(flags uint32, namespace string, doc []byte) []byte {
	payload := append(binary.LittleEndian.AppendUint32(nil, flags), namespace...)
	payload = append(payload, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff) // skip 0, return -1
	return append(payload, doc...)
}

func marshal(t testing.TB, doc any) bson.Raw {
	t.Helper()
	out, err := bson.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// send writes a command as an OP_MSG.
func (c *rawConn) send(flags uint32, doc any, sections ...[]byte) {
	c.t.Helper()
	c.frame(wire.OpMsg, opMsg(flags, marshal(c.t, doc), sections...))
}

// run sends a command and reads its answer.
func (c *rawConn) run(doc any) bson.Raw {
	c.t.Helper()
	c.send(0, doc)
	reply := c.receive()
	if reply.responseTo != c.last {
		c.t.Fatalf("a reply to %d where %d was sent", reply.responseTo, c.last)
	}
	return reply.body
}

// runAdmin runs a command on the admin database.
func (c *rawConn) runAdmin(kv ...any) bson.Raw {
	c.t.Helper()
	return c.run(append(bson.Doc(kv...), bson.E{Key: "$db", Value: "admin"}))
}

// query runs a command in an OP_QUERY.
func (c *rawConn) query(doc any) rawReply {
	c.t.Helper()
	c.frame(wire.OpQuery, opQuery(0, "admin.$cmd", marshal(c.t, doc)))
	return c.receive()
}

func (c *rawConn) receive() rawReply {
	c.t.Helper()
	reply, err := c.readMessage()
	if err != nil {
		c.t.Fatal(err)
	}
	return reply
}

func (c *rawConn) readMessage() (rawReply, error) {
	c.nc.SetReadDeadline(time.Now().Add(patience))
	head := make([]byte, 16)
	if _, err := io.ReadFull(c.r, head); err != nil {
		return rawReply{}, err
	}
	number := func(at int) int32 { return int32(binary.LittleEndian.Uint32(head[at:])) }
	msg := append(head, make([]byte, number(0)-16)...)
	if _, err := io.ReadFull(c.r, msg[16:]); err != nil {
		return rawReply{}, err
	}
	reply := rawReply{id: number(4), responseTo: number(8), op: wire.OpCode(number(12))}
	return reply, reply.parse(msg)
}

func (r *rawReply) parse(msg []byte) error {
	switch r.op {
	case wire.OpMsg:
		r.flags = binary.LittleEndian.Uint32(msg[16:])
		if r.flags&uint32(wire.ChecksumPresent) != 0 {
			end := len(msg) - 4
			r.checksum = crc32.Checksum(msg[:end], crc32.MakeTable(crc32.Castagnoli)) == binary.LittleEndian.Uint32(msg[end:])
			msg = msg[:end]
		}
		r.body = msg[21:]
	case wire.OpReply:
		r.flags = binary.LittleEndian.Uint32(msg[16:])
		r.body = msg[36:]
	case wire.OpCompressed:
		r.body = nil
		return nil
	default:
		return errors.New("a reply of an unexpected kind")
	}
	return r.body.Validate()
}

// hangsUp reports whether the server closes the connection without an answer.
func (c *rawConn) hangsUp() bool {
	c.t.Helper()
	c.nc.SetReadDeadline(time.Now().Add(patience))
	_, err := c.r.ReadByte()
	var timeout net.Error
	return err != nil && !(errors.As(err, &timeout) && timeout.Timeout())
}

// codeOf returns the error code of a reply, 0 for success.
func codeOf(reply bson.Raw) errcode.Code {
	if ok, _ := reply.Lookup("ok").AsBoolOK(); ok {
		return 0
	}
	code, _ := reply.Lookup("code").AsInt64OK()
	return errcode.Code(code)
}

// checkRefused checks that a reply has an error code and the matching name.
func checkRefused(t testing.TB, reply bson.Raw, want errcode.Code) {
	t.Helper()
	name, _ := reply.Lookup("codeName").StringOK()
	if codeOf(reply) != want || want != 0 && name != want.String() && name != want.FormerName() {
		t.Errorf("%v, want code %d (%s)", reply, want, want)
	}
}
