package observe_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/logmsg"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/internal/observe"
)

// messages are all messages that the driver logs.
var messages = []observe.Message{
	&logmsg.CommandStarted{}, &logmsg.CommandSucceeded{}, &logmsg.CommandFailed{},
	&logmsg.PoolCreated{}, &logmsg.PoolReady{}, &logmsg.PoolCleared{}, &logmsg.PoolClosed{},
	&logmsg.ConnectionCreated{}, &logmsg.ConnectionReady{}, &logmsg.ConnectionClosed{},
	&logmsg.ConnectionCheckoutStarted{}, &logmsg.ConnectionCheckoutFailed{},
	&logmsg.ConnectionCheckedOut{}, &logmsg.ConnectionCheckedIn{},
	&logmsg.StartingTopologyMonitoring{}, &logmsg.StoppedTopologyMonitoring{},
	&logmsg.StartingServerMonitoring{}, &logmsg.StoppedServerMonitoring{}, &logmsg.TopologyDescriptionChanged{},
	&logmsg.ServerHeartbeatStarted{}, &logmsg.ServerHeartbeatSucceeded{}, &logmsg.ServerHeartbeatFailed{},
	&logmsg.OperationDecided{}, &logmsg.ServerSelectionStarted{}, &logmsg.ServerSelectionSucceeded{}, &logmsg.ServerSelectionFailed{},
	&logmsg.WaitingForServer{},
}

// Users see these texts and search their logs for them, so they must not change by accident. testdata/messages.txt has
// every message in full and without its optional parts. For a sensitive command it also has the message without the
// content.
func TestMessagesAreThoseThatUsersKnow(t *testing.T) {
	var got []string
	for _, kind := range messages {
		v := reflect.New(reflect.TypeOf(kind).Elem()).Elem() // the list stays empty, for the next run
		m := v.Addr().Interface().(observe.Message)
		got = append(got, show(m)...)
		fill(t, v)
		got = append(got, show(m)...)
		if s := v.FieldByName("Sensitive"); s.IsValid() {
			s.SetBool(true)
			got = append(got, show(m)...)
		}
		got = append(got, "")
	}
	compare(t, "testdata/messages.txt", got)
}

// show is a message in both of its forms.
func show(m observe.Message) []string {
	var attrs []string
	for _, a := range m.AppendAttrs(nil) {
		attrs = append(attrs, fmt.Sprintf("%s:%s=%v", a.Key, a.Value.Kind(), a.Value))
	}
	return []string{
		fmt.Sprintf("%s %s %q %s", m.Component(), m.Level(), m.Message(), strings.Join(attrs, " ")),
		"    " + m.Text(),
	}
}

// fill gives every field except Sensitive a value of its own.
func fill(t *testing.T, v reflect.Value) {
	doc, err := bson.Marshal(bson.D{{Key: "secret", Value: 1}})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range reflect.VisibleFields(v.Type()) {
		if f.Anonymous || f.Name == "Sensitive" || f.Name == "MaxDocumentLength" {
			continue
		}
		n++
		field, name, n := v.FieldByIndex(f.Index), f.Name, n
		var value any
		switch field.Interface().(type) {
		case string:
			value = name
		case int, int32, int64:
			field.SetInt(int64(n))
			continue
		case bool:
			value = true
		case *int:
			value = &n
		case *int64:
			value = new(int64(n))
		case time.Duration:
			value = time.Duration(n)*time.Millisecond + 500*time.Microsecond
		case *time.Duration:
			value = new(time.Duration(n) * time.Millisecond)
		case bson.ObjectID:
			value = bson.ObjectID{byte(n)}
		case *bson.ObjectID:
			value = &bson.ObjectID{byte(n)}
		case bson.Raw:
			value = bson.Raw(doc)
		case event.ClosedReason:
			value = event.ClosedIdle
		case event.CheckOutFailedReason:
			value = event.CheckOutFailedTimeout
		default:
			if field.Kind() != reflect.Interface {
				t.Fatalf("%s has a field of type %s", v.Type(), field.Type())
			}
			value = errors.New("error of " + name)
		}
		field.Set(reflect.ValueOf(value))
	}
}

// Reasons, levels and components, with the words that applications compare and that configuration uses.
func TestWordsOfLogsAndEvents(t *testing.T) {
	var got []string
	for _, r := range []event.ClosedReason{event.ClosedStale, event.ClosedIdle, event.ClosedError, event.ClosedPoolClosed} {
		got = append(got, fmt.Sprintf("closed %s: %s", string(r), r.Text()))
	}
	for _, r := range []event.CheckOutFailedReason{event.CheckOutFailedPoolClosed, event.CheckOutFailedTimeout, event.CheckOutFailedConnectionError} {
		got = append(got, fmt.Sprintf("check-out failed %s: %s", string(r), r.Text()))
	}
	for _, l := range []logmsg.Level{
		logmsg.Off, logmsg.Emergency, logmsg.Alert, logmsg.Critical, logmsg.Error, logmsg.Warning, logmsg.Notice,
		logmsg.Informational, logmsg.Debug, logmsg.Trace,
	} {
		parsed, ok := logmsg.ParseLevel(strings.ToUpper(l.String()))
		got = append(got, fmt.Sprintf("level %d %s %d %t", int(l), l, int(l.Slog()), ok && parsed == l))
	}
	for c := range logmsg.Component(logmsg.ComponentCount) {
		got = append(got, fmt.Sprintf("component %s %s", c, c.Env()))
	}
	got = append(got, fmt.Sprintf("settings %s %s %s %s %s %d %s %s %s", logmsg.EnvAll, logmsg.EnvMaxDocumentLength, logmsg.EnvPath, logmsg.PathStderr, logmsg.PathStdout,
		logmsg.DefaultMaxDocumentLength, logmsg.Ellipsis, logmsg.RedactedDocument, logmsg.RedactedFailure))
	compare(t, "testdata/words.txt", got)
}

// Command logging and monitoring, "Security".
func TestSensitiveCommands(t *testing.T) {
	always := []string{"authenticate", "saslStart", "saslContinue", "getnonce", "createUser", "updateUser", "copydbgetnonce", "copydbsaslstart", "copydb",
		"CreateUser", "CREATEUSER", "UpdateUser"}
	for _, name := range always {
		if !logmsg.Sensitive(name, false) || !logmsg.Sensitive(name, true) {
			t.Errorf("%s is shown", name)
		}
	}
	for _, name := range []string{"hello", "HELLO", "isMaster", "ismaster"} {
		if logmsg.Sensitive(name, false) || !logmsg.Sensitive(name, true) {
			t.Errorf("%s must be hidden with speculativeAuthenticate alone", name)
		}
	}
	for _, name := range []string{"", "ping", "find", "insert", "endSessions", "usersInfo", "createUsers"} {
		if logmsg.Sensitive(name, false) || logmsg.Sensitive(name, true) {
			t.Errorf("%s is hidden", name)
		}
	}
}

var update = flag.Bool("update", false, "rewrite the golden files")

// compare names the first line that differs from the file.
func compare(t *testing.T, file string, got []string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Fatalf("%s:%d: missing: %s", file, i+1, want[i])
		case i >= len(want):
			t.Fatalf("%s:%d: too much: %s", file, i+1, got[i])
		case got[i] != want[i]:
			t.Fatalf("%s:%d:\ngot  %s\nwant %s", file, i+1, got[i], want[i])
		}
	}
}
