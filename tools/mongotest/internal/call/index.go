package call

import "github.com/specdrivers/onion/bson"

// Index holds the fields of one command. The checks before a command ask for a dozen fields, most of which are absent:
// one walk over the body serves them all. An Index belongs to one goroutine.
type Index struct {
	body   bson.Raw // the body that was read; holding it keeps its address from being used again
	keys   []string
	values []bson.RawValue
}

// indexedMax bounds the memory that a connection keeps. A command with more fields is searched for each lookup.
const indexedMax = 64

// Field returns a field of the command, or the zero value. Only the connection's goroutine may call it. Other
// goroutines read Body.
func (c *Call) Field(name string) bson.RawValue {
	x := c.index
	if len(x.body) != len(c.Body) || len(x.body) == 0 || &x.body[0] != &c.Body[0] {
		x.read(c.Body)
	}
	if len(x.keys) > indexedMax {
		return c.Body.Lookup(name)
	}
	for i, key := range x.keys {
		if key == name {
			return x.values[i]
		}
	}
	return bson.RawValue{}
}

func (x *Index) read(body bson.Raw) {
	x.body, x.keys, x.values = body, x.keys[:0], x.values[:0]
	for key, value := range body.All() {
		x.keys, x.values = append(x.keys, key), append(x.values, value)
		if len(x.keys) > indexedMax {
			return
		}
	}
}
