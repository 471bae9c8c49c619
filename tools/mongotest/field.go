package mongotest

import "github.com/specdrivers/onion/bson"

// fieldIndex holds the fields of one command. The checks before a command ask for a dozen of them, most of which are not
// there: one walk over the body serves them all.
type fieldIndex struct {
	body   bson.Raw // whose fields these are; keeping it keeps another body from having the same address
	keys   []string
	values []bson.RawValue
}

// indexedMax bounds what is kept for a connection; a command with more fields is looked through each time.
const indexedMax = 64

// field finds a field of the command, the zero value when there is none. It belongs to the connection's goroutine; others
// look into the body.
func (r *request) field(name string) bson.RawValue {
	x := &r.conn.fields
	if len(x.body) != len(r.body) || len(x.body) == 0 || &x.body[0] != &r.body[0] {
		x.read(r.body)
	}
	if len(x.keys) > indexedMax {
		return r.body.Lookup(name)
	}
	for i, key := range x.keys {
		if key == name {
			return x.values[i]
		}
	}
	return bson.RawValue{}
}

func (x *fieldIndex) read(body bson.Raw) {
	x.body, x.keys, x.values = body, x.keys[:0], x.values[:0]
	for key, value := range body.All() {
		x.keys, x.values = append(x.keys, key), append(x.values, value)
		if len(x.keys) > indexedMax {
			return
		}
	}
}
