package fault_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/fault"
)

// The lower 32 bits of a code that is too large may be the code of an error that the driver acts on.
func TestCodesThatDoNotFit(t *testing.T) {
	for _, tt := range []struct {
		code any
		want errcode.Code
	}{
		{int32(91), 91}, {int64(91), 91}, {91.0, 91}, {int32(-1), -1}, {int64(math.MaxInt32), math.MaxInt32},
		{int64(1<<32 + 91), math.MaxInt32}, {int64(-1<<32 + 91), math.MinInt32}, {float64(1<<32 + 91), math.MaxInt32},
		{1e300, math.MaxInt32}, {math.NaN(), math.MaxInt32}, {91.5, math.MaxInt32}, {"91", 0}, {nil, 0},
	} {
		one := bson.Doc("code", tt.code, "index", 0, "errmsg", "x")
		reply, err := bson.Marshal(bson.Doc("ok", 0, "code", tt.code, "writeConcernError", one, "writeErrors", bson.A{one}))
		if err != nil {
			t.Fatal(err)
		}
		if got := fault.NewCommandError("x", "a:1", reply).Code; got != tt.want {
			t.Errorf("a command with the code %v has %d, want %d", tt.code, got, tt.want)
		}
		if got := fault.NewWriteConcernError(reply).Code; got != tt.want {
			t.Errorf("a write concern error with the code %v has %d, want %d", tt.code, got, tt.want)
		}
		if got := fault.NewWriteErrors(reply, 0)[0].Code; got != tt.want {
			t.Errorf("a write error with the code %v has %d, want %d", tt.code, got, tt.want)
		}
	}
}

// CRUD, "WriteConcernError", "WriteError": code, text and errInfo are the server's, and errInfo is left as it is.
func TestWriteErrorsOfAReply(t *testing.T) {
	info := bson.Doc("writeConcern", bson.Doc("w", 2, "details", "not read"), "code", 5)
	failure := bson.Doc("index", 3, "code", 64, "codeName", "WriteConcernTimeout", "errmsg", "waited too long", "errInfo", info)
	reply := document(t, bson.Doc("ok", 1, "writeErrors", bson.A{failure}, "writeConcernError", failure))
	want := document(t, info)
	wce, list := fault.NewWriteConcernError(reply), fault.NewWriteErrors(reply, 10)
	if wce == nil || wce.Code != 64 || wce.Message != "waited too long" || !bytes.Equal(wce.Details, want) {
		t.Errorf("write concern error %+v", wce)
	}
	if len(list) != 1 || list[0].Code != 64 || list[0].Message != "waited too long" || !bytes.Equal(list[0].Details, want) || list[0].Index != 13 {
		t.Errorf("write errors %+v", list)
	}
	bare := document(t, bson.Doc("ok", 1, "writeConcernError", bson.Doc("code", 100), "writeErrors", bson.A{bson.Doc("index", 0, "code", 121)}))
	wce, list = fault.NewWriteConcernError(bare), fault.NewWriteErrors(bare, 0)
	if wce == nil || wce.Message != "" || wce.Details != nil || len(list) != 1 || list[0].Message != "" || list[0].Details != nil {
		t.Errorf("without text and errInfo: %+v, %+v", wce, list)
	}
}
