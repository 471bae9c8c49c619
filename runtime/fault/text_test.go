package fault_test

import (
	"bytes"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/fault"
)

// encodeSpoiled encodes a document and replaces each "??" with bytes that are not UTF-8.
func encodeSpoiled(t *testing.T, d bson.D) bson.Raw {
	return bytes.ReplaceAll(document(t, d), []byte("??"), []byte{0xc3, 0x28})
}

func TestReadReplyReplacesWhatIsNotUTF8(t *testing.T) {
	reply := encodeSpoiled(t, bson.Doc("ok", 0, "errmsg", "E11000 ??", "code", 11000, "keyValue", bson.Doc("a", "??"),
		"errorLabels", bson.A{"A", "??"}))
	readable, err := fault.ReadReply(reply)
	if err != nil {
		t.Fatal(err)
	}
	if err := readable.Validate(); err != nil {
		t.Error(err)
	}
	if e := fault.NewCommandError("find", "a:1", readable); e.Message != "E11000 \uFFFD(" || e.Code != 11000 {
		t.Errorf("got %+v", e)
	}
	good := document(t, bson.Doc("ok", 0, "errmsg", "no"))
	if same, err := fault.ReadReply(good); err != nil || &same[0] != &good[0] {
		t.Errorf("a good reply is copied: %v", err)
	}
	for name, bad := range map[string]bson.Raw{
		"cut":                   reply[:len(reply)-2],
		"a key that is no text": encodeSpoiled(t, bson.Doc("ok", 0, "??", 1)),
		"a wrong boolean":       append(append(document(t, bson.Doc("a", "??"))[:10:10], 8, 'b', 0, 7), 0),
	} {
		if got, err := fault.ReadReply(bad); err == nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestWriteErrorsAreTextWhateverTheServerSends(t *testing.T) {
	reply := encodeSpoiled(t, bson.Doc("ok", 1, "writeErrors", bson.A{bson.Doc("index", 0, "code", 11000, "errmsg", "dup ??")},
		"writeConcernError", bson.Doc("code", 64, "codeName", "??", "errmsg", "??")))
	if e := fault.NewWriteErrors(reply, 0)[0]; e.Message != "dup \uFFFD(" {
		t.Errorf("got %q", e.Message)
	}
	if e := fault.NewWriteConcernError(reply); e.Message != "\uFFFD(" || e.Name != "\uFFFD(" {
		t.Errorf("got %+v", e)
	}
}
