package hostile

import (
	"encoding/binary"
	"io"
	"net"
	"sync"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
)

// Request is a message of the driver. Body is nil for one that came compressed.
type Request struct {
	ID   int32
	Name string // of the command; "compressed" without a body
	Body bson.Raw
}

// Attack answers a request in place of the honest server and reports whether it did.
type Attack func(r Request, nc net.Conn) bool

// Peer is a server that attacks.
type Peer struct {
	listener net.Listener
	attack   Attack
	hello    bson.D // fields of the honest hello besides the usual ones
	done     sync.WaitGroup

	mu   sync.Mutex
	open map[net.Conn]bool
}

// Listen starts a peer on a free port of the loopback interface. hello is added to its hello.
func Listen(hello bson.D, attack Attack) (*Peer, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Peer{listener: l, attack: attack, hello: hello, open: map[net.Conn]bool{}}
	p.done.Go(p.accept)
	return p, nil
}

// Address returns the host and port of the peer.
func (p *Peer) Address() string { return p.listener.Addr().String() }

// Wait stops the listener and waits until the driver has closed every connection.
func (p *Peer) Wait() {
	p.listener.Close()
	p.done.Wait()
}

// Close stops the listener and cuts every connection.
func (p *Peer) Close() {
	p.listener.Close()
	p.mu.Lock()
	for nc := range p.open {
		nc.Close()
	}
	p.mu.Unlock()
	p.done.Wait()
}

// Open returns the number of connections that the driver has not closed.
func (p *Peer) Open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.open)
}

func (p *Peer) accept() {
	for {
		nc, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		p.open[nc] = true
		p.mu.Unlock()
		p.done.Go(func() { p.serve(nc) })
	}
}

func (p *Peer) serve(nc net.Conn) {
	defer func() {
		nc.Close()
		p.mu.Lock()
		delete(p.open, nc)
		p.mu.Unlock()
	}()
	for {
		r, err := read(nc)
		if err != nil {
			return
		}
		if !p.attack(r, nc) {
			nc.Write(Message(r, p.answerHonestly(r)))
		}
	}
}

// bodyOffset is where the command's document begins: after the header, the flags and the kind of the section.
const bodyOffset = wire.HeaderSize + 4 + 1

func read(nc net.Conn) (Request, error) {
	head := make([]byte, wire.HeaderSize)
	if _, err := io.ReadFull(nc, head); err != nil {
		return Request{}, err
	}
	msg := append(head, make([]byte, int(binary.LittleEndian.Uint32(head))-wire.HeaderSize)...)
	if _, err := io.ReadFull(nc, msg[wire.HeaderSize:]); err != nil {
		return Request{}, err
	}
	r := Request{ID: int32(binary.LittleEndian.Uint32(msg[4:])), Name: "compressed"}
	if wire.OpCode(binary.LittleEndian.Uint32(msg[12:])) != wire.OpMsg {
		return r, nil
	}
	r.Body = bson.Raw(msg[bodyOffset : bodyOffset+int(binary.LittleEndian.Uint32(msg[bodyOffset:]))])
	for key := range r.Body.All() {
		r.Name = key
		break
	}
	return r, nil
}

// answerHonestly returns what a standalone server answers.
func (p *Peer) answerHonestly(r Request) bson.D {
	switch r.Name {
	case wire.Hello, wire.LegacyHello:
		return Hello(p.hello...)
	case "find":
		return bson.Doc("ok", 1, "cursor", bson.Doc("id", int64(0), "ns", "db.c", "firstBatch", bson.A{}))
	}
	return bson.Doc("ok", 1, "n", 1)
}

// Hello returns the reply of an honest standalone server; fields replaces or adds to its fields.
func Hello(fields ...bson.E) bson.D {
	reply := bson.Doc("ok", 1, "helloOk", true, "isWritablePrimary", true, "ismaster", true, "minWireVersion", 0,
		"maxWireVersion", wire.MaxSupportedWireVersion, "maxBsonObjectSize", wire.DefaultMaxBSONObjectSize,
		"maxMessageSizeBytes", wire.DefaultMaxMessageSizeBytes, "maxWriteBatchSize", wire.DefaultMaxWriteBatchSize,
		"logicalSessionTimeoutMinutes", 30, "connectionId", 1)
	at := map[string]int{}
	for i, field := range reply {
		at[field.Key] = i
	}
	for _, field := range fields {
		if i, usual := at[field.Key]; usual {
			reply[i].Value = field.Value
		} else {
			reply = append(reply, field)
		}
	}
	return reply
}
