package exec

import (
	"cmp"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/conn"
)

// sizedItems is a command whose items are documents of the given sizes. Two items in a row share a namespace.
type sizedItems []int

func (s sizedItems) Append(dst []byte, _ *emitted.Env) ([]byte, error) {
	dst, _ = bson.AppendDocumentStart(dst)
	return bson.AppendInt32Element(dst, "bulkWrite", 1), nil
}
func (s sizedItems) Meta() command.Meta {
	return command.Meta{Command: "bulkWrite", Operation: "bulkWrite", Sequence: "ops"}
}
func (s sizedItems) Timeout() *time.Duration { return nil }
func (s sizedItems) Items() int              { return len(s) }

func (s sizedItems) AppendItem(dst []byte, i int, _ *emitted.Env) ([]byte, error) {
	if s[i] < 0 {
		return nil, errUnmarshalable
	}
	dst, start := bson.AppendDocumentStart(dst)
	dst = bson.AppendBinaryElement(dst, "b", 0, make([]byte, s[i]-13))
	return bson.AppendDocumentEnd(dst, start), nil
}

var errUnmarshalable = errors.New("the item cannot be encoded")

// sizedOps is a client's bulk write of such items.
type sizedOps struct{ sizedItems }

func (s sizedOps) AppendOp(dst []byte, i int, _ int32, env *emitted.Env) ([]byte, error) {
	return s.AppendItem(dst, i, env)
}
func (s sizedOps) Namespace(i int) string { return string(rune('a' + i/2)) }
func (s sizedOps) AppendNamespace(dst []byte, i int) []byte {
	dst, start := bson.AppendDocumentStart(dst)
	dst = bson.AppendStringElement(dst, "ns", s.Namespace(i))
	return bson.AppendDocumentEnd(dst, start)
}

// namespaceSize is the size of the document of a namespace above.
const namespaceSize = 4 + 1 + 3 + 4 + 2 + 1

// measureItems writes one message of a command, and returns the sizes of its documents, by section or array.
func measureItems(t *testing.T, e *execution, as form) (map[string][]int, error) {
	t.Helper()
	out := map[string][]int{}
	env := &emitted.Env{}
	if as == inArrays {
		whole, err := e.appendWhole(nil, env)
		if err != nil {
			return nil, err
		}
		for key, value := range whole.All() {
			if list, ok := value.ArrayOK(); ok {
				for _, v := range list.All() {
					out[key] = append(out[key], len(v.Value))
				}
			}
		}
		return out, nil
	}
	msg, err := e.op.Command.Append(make([]byte, wire.HeaderSize+5), env)
	if err != nil {
		t.Fatal(err)
	}
	msg = bson.AppendDocumentEnd(msg, wire.HeaderSize+5)
	if msg, err = e.appendSequences(msg, inSections, len(msg)-wire.HeaderSize-5, env); err != nil {
		return nil, err
	}
	for identifier, documents := range conn.Sequences(msg) {
		for len(documents) > 0 {
			n := int(documents[0]) | int(documents[1])<<8 | int(documents[2])<<16
			out[identifier] = append(out[identifier], n)
			documents = documents[n:]
		}
	}
	return out, nil
}

// A message takes as many items as its limits allow, in both forms. An item that no message can take is an error.
func TestMessagesTakeWhatFits(t *testing.T) {
	big := maxEncryptedBatch / 2
	body, err := sizedItems(nil).Append(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	empty := wire.HeaderSize + 5 + len(body) + 1 + conn.SequenceOverhead("ops") // a message without items
	for _, tt := range []struct {
		name            string
		items           []int
		from            int
		message         int // maxMessageSizeBytes
		sections, array []int
		tooLarge        int // the size in the error, 0 for none
	}{
		{name: "all", items: []int{20, 30, 40}, sections: []int{20, 30, 40}, array: []int{20, 30, 40}},
		{name: "the rest", items: []int{20, 30, 40}, from: 1, sections: []int{30, 40}, array: []int{30, 40}},
		{name: "as many as a batch has", items: []int{20, 20, 20, 20, 20}, sections: []int{20, 20, 20, 20}, array: []int{20, 20, 20, 20}},
		{name: "as many as a message holds", items: []int{500, 500, 500}, message: 1200, sections: []int{500, 500}, array: []int{500, 500, 500}},
		{name: "exactly as many as a message holds", items: []int{500, 500, 500}, message: empty + 1000, sections: []int{500, 500}, array: []int{500, 500, 500}},
		{name: "a byte less", items: []int{500, 500, 500}, message: empty + 999, sections: []int{500}, array: []int{500, 500, 500}},
		{name: "one that is longer than the message", items: []int{500, 500}, message: 400, sections: []int{500}, array: []int{500, 500}},
		{name: "as many as are encrypted together", items: []int{big, big, big}, sections: []int{big, big, big}, array: []int{big, big}},
		{name: "a large one behind others", items: []int{20, 4 << 20}, sections: []int{20}, array: []int{20}},
		{name: "a large one", items: []int{20, 4 << 20, 20}, from: 1, tooLarge: 4 << 20},
		{name: "the largest", items: []int{3 << 20, 20}, sections: []int{3 << 20, 20}, array: []int{3 << 20}},
		{name: "none that cannot be encoded", items: []int{20, -1}},
	} {
		for _, as := range []form{inSections, inArrays} {
			op := &Operation{Command: sizedItems(tt.items), Batch: sizedItems(tt.items), From: tt.from}
			e := &execution{op: op, meta: op.Command.Meta(), try: try{limits: &conn.Hello{
				MaxBSONObjectSize: 3 << 20, MaxMessageSizeBytes: int32(cmp.Or(tt.message, 48<<20)), MaxWriteBatchSize: 4,
			}}}
			got, err := measureItems(t, e, as)
			want := tt.sections
			if as == inArrays {
				want = tt.array
			}
			large, tooLarge := errors.AsType[fault.DocumentTooLargeError](err)
			switch {
			case tt.tooLarge > 0:
				if !tooLarge || large.Index != tt.from || large.Size != tt.tooLarge || large.Limit != 3<<20 {
					t.Errorf("%s, %d: %#v", tt.name, as, err)
				}
			case want == nil:
				if !errors.Is(err, errUnmarshalable) {
					t.Errorf("%s, %d: %v", tt.name, as, err)
				}
			case err != nil || !slices.Equal(got["ops"], want) || e.try.sent != len(want):
				t.Errorf("%s, %d: %v, sent %d, %v", tt.name, as, got, e.try.sent, err)
			}
		}
	}
}

// The first operation may be as large as the room that the command leaves in the message.
func TestRoomOfABulkWrite(t *testing.T) {
	play(t, "member", 1, nil, func(s *scene) {
		_, err := s.x.Run(s.Context(), &Operation{DB: "admin", Command: sizedOps{sizedItems{5 << 20}}})
		want := 4<<20 - wire.BulkWriteOverhead - len(raw(s.T, "bulkWrite", 1))
		if e, ok := errors.AsType[fault.DocumentTooLargeError](err); !ok || e.Limit != want {
			s.Errorf("%#v, want the limit %d", err, want)
		}
	})
}

// The operations of a message and their namespaces share its room. If an operation does not fit, its new namespace
// goes, too.
func TestOperationsBringTheirNamespaces(t *testing.T) {
	body, err := sizedItems(nil).Append(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	overhead := len(body) + 1 + wire.BulkWriteOverhead
	for _, tt := range []struct {
		name       string
		items      []int
		room       int // for operations and namespaces in a message
		sections   []int
		array      []int
		namespaces []int // how many, in each form
	}{
		{"all", []int{100, 100, 100}, 1000, []int{100, 100, 100}, []int{100, 100, 100}, []int{2, 2}},
		{"a single one, exactly", []int{100, 100}, 100 + namespaceSize, []int{100}, []int{100, 100}, []int{1, 1}},
		{"exactly", []int{100, 100, 100}, 300 + 2*namespaceSize, []int{100, 100, 100}, []int{100, 100, 100}, []int{2, 2}},
		{"all but a namespace", []int{100, 100, 100}, 299 + 2*namespaceSize, []int{100, 100}, []int{100, 100, 100}, []int{1, 2}},
		{"as many as a batch has", []int{20, 20, 20, 20, 20}, 1000, []int{20, 20, 20, 20}, []int{20, 20, 20, 20}, []int{2, 2}},
		{"as many as are encrypted together", []int{maxEncryptedBatch - 200, 100, 100}, 4 << 20,
			[]int{maxEncryptedBatch - 200, 100, 100}, []int{maxEncryptedBatch - 200, 100}, []int{2, 1}},
		{"none that cannot be encoded", []int{100, -1}, 1000, nil, nil, nil},
	} {
		for _, as := range []form{inSections, inArrays} {
			op := &Operation{Command: sizedOps{tt.items}}
			e := &execution{op: op, meta: op.Command.Meta(), try: try{limits: &conn.Hello{
				MaxBSONObjectSize: 3 << 20, MaxMessageSizeBytes: int32(tt.room + overhead), MaxWriteBatchSize: 4,
			}}}
			got, err := measureItems(t, e, as)
			want := tt.sections
			if as == inArrays {
				want = tt.array
			}
			if want == nil {
				if !errors.Is(err, errUnmarshalable) {
					t.Errorf("%s, %d: %v, %v", tt.name, as, got, err)
				}
				continue
			}
			if err != nil || !slices.Equal(got["ops"], want) || len(got["nsInfo"]) != tt.namespaces[as] || e.try.sent != len(want) {
				t.Errorf("%s, %d: %v, sent %d, %v", tt.name, as, got, e.try.sent, err)
			}
		}
	}
}

// foresee counts exactly the items that the message takes.
func TestAForeseenMessageTakesWhatTheMessageDoes(t *testing.T) {
	items := sizedOps{[]int{100, 100, 100}}
	seen := map[int]bool{}
	for room := int32(100); room < 500; room++ {
		limits := description.Server{MaxBSONObjectSize: 3 << 20, MaxMessageSizeBytes: room + wire.BulkWriteOverhead, MaxWriteBatchSize: 4}
		op := &Operation{Command: items}
		e := &execution{x: &Executor{}, op: op, meta: items.Meta(), try: try{limits: limitsOf(&limits), chosen: &limits}}
		err := e.countItems()
		foreseen := e.try.sent
		got, failed := measureItems(t, e, inSections)
		if foreseen != e.try.sent || (err == nil) != (failed == nil) {
			t.Errorf("%d foreseen with room for %d, the message has %v: %v, %v", foreseen, room, got, err, failed)
		}
		seen[foreseen] = true
	}
	if len(seen) != 4 {
		t.Errorf("messages with %v items", seen)
	}
}
