package mongotest_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Interceptions apply in the order in which they were set, separately for each command.
func TestControlsOfSeveralCommands(t *testing.T) {
	d := mongotest.Start(t)
	c := connectRaw(t, d, 0)
	var mu sync.Mutex
	var seen []string
	note := func(text string, answer mongotest.Answer) func(mongotest.Command) mongotest.Answer {
		return func(command mongotest.Command) mongotest.Answer {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, text+" "+command.DB)
			return answer
		}
	}
	reply := marshal(t, bson.Doc("ok", 1.0, "mine", true))
	d.Control("find", note("find 1", mongotest.Answer{Reply: reply}))
	d.Control("ping", note("ping 1", mongotest.Answer{}))
	d.Control("find", note("find 2", mongotest.Answer{}))
	d.Control("find", note("find 3", mongotest.Answer{Drop: true}))
	find := bson.Doc("find", "c", "$db", "db")
	checkRefused(t, c.runAdmin("ping", 1), 0)
	if got := c.run(find); got.Lookup("mine").IsZero() {
		t.Errorf("%v", got)
	}
	if got := c.run(find); got.Lookup("cursor").IsZero() {
		t.Errorf("%v", got)
	}
	if c.send(0, find); !c.hangsUp() {
		t.Error("the connection is still open")
	}
	checkRefused(t, connectRaw(t, d, 0).run(find), 0)
	mu.Lock()
	defer mu.Unlock()
	if want := []string{"ping 1 admin", "find 1 db", "find 2 db", "find 3 db"}; !slices.Equal(seen, want) {
		t.Errorf("%v, want %v", seen, want)
	}
}

// The list of commands is in order and holds no secrets.
func TestCommandsInOrderAndWithoutSecrets(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(2), mongotest.Auth("ada", "secret"))
	c := connectRaw(t, d, 1)
	c.runAdmin("hello", 1, "speculativeAuthenticate", bson.Doc("saslStart", 1, "mechanism", "PLAIN", "payload", bson.Binary{Data: []byte("\x00ada\x00secret")}, "db", "$external"))
	c.runAdmin("saslStart", 1, "mechanism", "PLAIN", "payload", bson.Binary{Data: []byte("\x00ada\x00secret")})
	c.runAdmin("createUser", "bob", "pwd", "secret", "roles", bson.A{})
	c.send(0, bson.Doc("insert", "c", "$db", "db"), sequence("documents", marshal(t, bson.Doc("_id", 1))))
	c.receive()
	var names []string
	for _, command := range d.Commands() {
		names = append(names, command.Name)
		if strings.Contains(command.Body.String(), "secret") || strings.Contains(command.Body.String(), "AGFkYQBzZWNyZXQ") {
			t.Errorf("%v", command.Body)
		}
		if command.Node != 1 || command.ConnectionID == 0 {
			t.Errorf("%+v", command)
		}
	}
	if want := []string{"hello", "saslStart", "createUser", "insert"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
	if last := d.Commands()[3]; len(last.Sequences["documents"]) != 1 || last.DB != "db" {
		t.Errorf("%+v", last)
	}
	if d.ForgetCommands(); len(d.Commands()) != 0 {
		t.Error("commands that were forgotten are listed")
	}
}
