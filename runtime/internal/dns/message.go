package dns

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"strings"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// maxUDP is the size of a message that networks deliver in one piece.
const maxUDP = 1232

// query is one question in packed form.
type query struct {
	id       uint16
	question dnsmessage.Question
	packed   []byte
}

// answer is the reply of a server.
type answer struct {
	records   []*net.SRV
	ttl       time.Duration // the smallest of all records that led to the result
	truncated bool
}

func newQuery(question dnsmessage.Question) (*query, error) {
	var id [2]byte
	rand.Read(id[:]) // it never fails
	q := &query{id: binary.BigEndian.Uint16(id[:]), question: question}
	var size dnsmessage.ResourceHeader
	if err := size.SetEDNS0(maxUDP, dnsmessage.RCodeSuccess, false); err != nil {
		return nil, err
	}
	message := dnsmessage.Message{
		Header:      dnsmessage.Header{ID: q.id, RecursionDesired: true},
		Questions:   []dnsmessage.Question{question},
		Additionals: []dnsmessage.Resource{{Header: size, Body: &dnsmessage.OPTResource{}}},
	}
	var err error
	q.packed, err = message.Pack()
	return q, err
}

// send sends the query and reads until the answer arrives. It skips other datagrams, because anyone may send one.
func (q *query) send(nc net.Conn, stream bool) (answer, error) {
	out := q.packed
	if stream {
		out = append(binary.BigEndian.AppendUint16(nil, uint16(len(out))), out...)
	}
	if _, err := nc.Write(out); err != nil {
		return answer{}, err
	}
	for {
		message, err := readMessage(nc, stream)
		if err != nil {
			return answer{}, err
		}
		a, err := q.parse(message)
		if errors.Is(err, errOtherQuestion) && !stream {
			continue
		}
		return a, err
	}
}

func readMessage(nc net.Conn, stream bool) ([]byte, error) {
	if !stream {
		buffer := make([]byte, maxUDP)
		n, err := nc.Read(buffer)
		return buffer[:n], err
	}
	var size [2]byte
	if _, err := io.ReadFull(nc, size[:]); err != nil {
		return nil, err
	}
	buffer := make([]byte, binary.BigEndian.Uint16(size[:]))
	_, err := io.ReadFull(nc, buffer)
	return buffer, err
}

// errOtherQuestion says that a message answers another question or none.
var errOtherQuestion = errors.New("the message does not answer the question")

// parse reads an answer.
func (q *query) parse(message []byte) (answer, error) {
	var p dnsmessage.Parser
	header, err := p.Start(message)
	if err != nil || header.ID != q.id || !header.Response {
		return answer{}, errOtherQuestion
	}
	asked, err := p.Question()
	if err != nil || asked.Type != q.question.Type || asked.Class != q.question.Class || !sameName(asked.Name, q.question.Name) {
		return answer{}, errOtherQuestion
	}
	if header.Truncated {
		return answer{truncated: true}, nil
	}
	if header.RCode != dnsmessage.RCodeSuccess {
		return answer{}, fmt.Errorf("the server answers %v", header.RCode)
	}
	if err := p.SkipAllQuestions(); err != nil {
		return answer{}, err
	}
	records, err := readRecords(&p)
	if err != nil {
		return answer{}, err
	}
	return collect(q.question.Name, records), nil
}

// record is a record of an answer: an SRV record, or the name that its name is an alias of.
type record struct {
	name  dnsmessage.Name
	ttl   uint32
	srv   *net.SRV
	alias dnsmessage.Name
}

// readRecords reads the records of an answer that matter.
func readRecords(p *dnsmessage.Parser) ([]record, error) {
	var records []record
	for {
		header, err := p.AnswerHeader()
		if errors.Is(err, dnsmessage.ErrSectionDone) {
			return records, nil
		}
		if err != nil {
			return nil, err
		}
		r := record{name: header.Name, ttl: header.TTL}
		switch header.Type {
		case dnsmessage.TypeSRV:
			var srv dnsmessage.SRVResource
			srv, err = p.SRVResource()
			r.srv = &net.SRV{Target: srv.Target.String(), Port: srv.Port, Priority: srv.Priority, Weight: srv.Weight}
			records = append(records, r)
		case dnsmessage.TypeCNAME:
			var alias dnsmessage.CNAMEResource
			alias, err = p.CNAMEResource()
			r.alias = alias.CNAME
			records = append(records, r)
		default:
			err = p.SkipAnswer()
		}
		if err != nil {
			return nil, err
		}
	}
}

// collect returns the records for the name, and for the names that it is an alias of.
func collect(name dnsmessage.Name, records []record) answer {
	var a answer
	first := true // a.ttl is not set yet: 0 is a valid time to live, too
	least := func(ttl uint32) {
		if ttl > math.MaxInt32 {
			ttl = 0 // RFC 2181, "Time to Live"
		}
		if d := time.Duration(ttl) * time.Second; first || d < a.ttl {
			a.ttl, first = d, false
		}
	}
	for range len(records) { // this stops at a circle of aliases
		next, ttl, ok := aliasOf(name, records)
		if !ok {
			break
		}
		name = next
		least(ttl)
	}
	for _, r := range records {
		if r.srv != nil && sameName(r.name, name) {
			least(r.ttl)
			a.records = append(a.records, r.srv)
		}
	}
	return a
}

func aliasOf(name dnsmessage.Name, records []record) (dnsmessage.Name, uint32, bool) {
	for _, r := range records {
		if r.srv == nil && sameName(r.name, name) {
			return r.alias, r.ttl, true
		}
	}
	return dnsmessage.Name{}, 0, false
}

func sameName(a, b dnsmessage.Name) bool {
	return bytes.EqualFold(a.Data[:a.Length], b.Data[:b.Length])
}

// parseServers reads the nameserver lines of a resolv.conf.
func parseServers(text string) []string {
	const port = "53"
	var servers []string
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] != "nameserver" {
			continue
		}
		address, _, _ := strings.Cut(fields[1], "%")
		if net.ParseIP(address) != nil {
			servers = append(servers, net.JoinHostPort(fields[1], port))
		}
	}
	return servers
}
