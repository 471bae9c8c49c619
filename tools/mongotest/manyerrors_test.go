package mongotest_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
)

// The errors of the largest batch fit into a reply, since only the first megabyte of messages is sent.
func TestMessagesOfManyErrorsAreLimited(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t), 0)
	const n = 20_000
	insert := bson.Doc("insert", "c", "documents", numberedDocuments(0, n), "ordered", false, "$db", "db")
	c.run(insert)
	reply := c.run(insert)
	list, _ := reply.Lookup("writeErrors").ArrayOK()
	i, text, silent := int64(0), 0, 0
	for _, v := range list.All() {
		d, _ := v.DocumentOK()
		index, _ := d.Lookup("index").AsInt64OK()
		code, _ := d.Lookup("code").AsInt64OK()
		message, _ := d.Lookup("errmsg").StringOK()
		if index != i || errcode.Code(code) != errcode.DuplicateKey || d.Lookup("keyValue").IsZero() {
			t.Fatalf("error %d is %s", i, d)
		}
		if message == "" {
			silent++
		}
		text += len(message)
		i++
	}
	if i != n || text > 1<<20 || text < 1<<19 || silent == 0 {
		t.Errorf("%d errors, %d bytes of messages, %d without one", i, text, silent)
	}
}
