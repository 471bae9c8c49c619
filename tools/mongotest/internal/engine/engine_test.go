package engine_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// server is an engine and its commands by name.
type server struct {
	*engine.Engine
	commands map[string]engine.Handler
	wire     int32
	now      time.Time
}

func newServer(t testing.TB) *server {
	t.Helper()
	s := &server{commands: engine.Commands(), wire: 25, now: time.Unix(1_700_000_000, 0)}
	clock := func() time.Time { return s.now }
	s.Engine = engine.New(engine.Config{Store: store.New(store.Config{Now: clock}), Now: clock})
	return s
}

var bareKey = regexp.MustCompile(`([{,]\s*)([A-Za-z_$][\w.$\[\]]*)\s*:`)

func parse(t testing.TB, s string) bson.Raw {
	t.Helper()
	quoted := bareKey.ReplaceAllString(strings.ReplaceAll(s, "'", `"`), `$1"$2":`)
	d, err := bson.ExtJSONToRaw([]byte(quoted), false)
	if err != nil {
		t.Fatalf("%v in %s", err, s)
	}
	return d
}

// try runs a command on the database db, written as extended JSON with single quotes.
func (s *server) try(t testing.TB, command string) (bson.Raw, error) {
	t.Helper()
	body := parse(t, command)
	first, _ := body.Index(0)
	db := "db"
	switch first.Key {
	case "renameCollection", "listDatabases", "bulkWrite":
		db = "admin"
	}
	if named, ok := body.Lookup("$db").StringOK(); ok {
		db = named
	}
	return s.request(t, &engine.Request{DB: db, Body: body})
}

func (s *server) request(t testing.TB, r *engine.Request) (bson.Raw, error) {
	t.Helper()
	first, _ := r.Body.Index(0)
	c, ok := s.commands[first.Key]
	if !ok {
		t.Fatalf("no command %s", first.Key)
	}
	r.Name, r.WireVersion = first.Key, s.wire
	dst, start := bson.AppendDocumentStart(nil)
	dst, err := c(s.Engine, context.Background(), r, dst)
	if err != nil {
		return nil, err
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

func (s *server) run(t testing.TB, command string) bson.Raw {
	t.Helper()
	reply, err := s.try(t, command)
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	if err := reply.Validate(); err != nil {
		t.Fatalf("%s: reply: %v", command, err)
	}
	return reply
}

// want compares the reply of a command, or a path of it, with extended JSON.
func (s *server) want(t testing.TB, command, want string, path ...string) {
	t.Helper()
	reply := s.run(t, command)
	got := reply.String()
	if len(path) > 0 {
		v := reply.Lookup(path...)
		wrapped, start := bson.AppendDocumentStart(nil)
		wrapped = bson.AppendRawValueElement(wrapped, "v", v)
		got = bson.Raw(bson.AppendDocumentEnd(wrapped, start)).String()
		want = "{'v':" + want + "}"
	}
	if w := parse(t, want).String(); got != w {
		t.Errorf("%s\n got %s\nwant %s", command, got, w)
	}
}

// wantFound compares the documents of a first batch.
func (s *server) wantFound(t testing.TB, command, want string) {
	t.Helper()
	s.want(t, command, want, "cursor", "firstBatch")
}

// wantFailure expects an error code and a part of its text.
func (s *server) wantFailure(t testing.TB, command string, code int32, text string) {
	t.Helper()
	reply, err := s.try(t, command)
	if err == nil {
		t.Errorf("%s: no error but %s", command, reply)
		return
	}
	e := status.From(err)
	if int32(e.Code) != code || !strings.Contains(e.Message, text) {
		t.Errorf("%s\n got %d %s\nwant %d %s", command, e.Code, e.Message, code, text)
	}
}

// wantWriteFailure expects a write error.
func (s *server) wantWriteFailure(t testing.TB, command string, code int32, text string) {
	t.Helper()
	reply := s.run(t, command)
	e := reply.Lookup("writeErrors", "0")
	d, _ := e.DocumentOK()
	got, _ := d.Lookup("code").Int32OK()
	message, _ := d.Lookup("errmsg").StringOK()
	if got != code || !strings.Contains(message, text) {
		t.Errorf("%s\n got %s\nwant %d %s", command, reply, code, text)
	}
}
