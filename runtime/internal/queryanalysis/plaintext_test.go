package queryanalysis

import (
	"flag"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

var (
	seeds     = flag.Int("seeds", 20_000, "how many random commands to analyse")
	firstSeed = flag.Uint64("seed", 0, "the first of them")
)

// try analyzes a random command that puts a marker at an encrypted path, or compares the path with it. The result must
// not contain the marker in plain text. try reports whether the command passed.
func try(t testing.TB, seed uint64) (passed bool) {
	w := newWorld(t, seed)
	cmd := w.raw(w.command())
	target, err := Inspect("db", cmd)
	if err != nil {
		return false
	}
	result, err := Analyze(target, cmd, Schemas{"c": w.schema, "p": nil, "v": nil})
	if err != nil {
		return false
	}
	if err := result.Command.Validate(); err != nil {
		t.Fatalf("seed %d: %s\nbecame malformed: %v", seed, cmd, err)
	}
	if at := findLeak(bson.RawValue{Type: bsontype.EmbeddedDocument, Value: result.Command}, ""); at != "" {
		t.Fatalf("seed %d: the marker leaves in plain text at %s of\n%s\nfrom\n%s\nfields %v", seed, at, result.Command, cmd, w.fields)
	}
	return true
}

// TestNoPlaintext checks the first rule of query analysis. To try more: go test -run NoPlaintext . -seeds 5000000.
func TestNoPlaintext(t *testing.T) {
	count, passed := *seeds, 0
	for seed := range uint64(count) {
		if try(t, *firstSeed+seed) {
			passed++
		}
	}
	if passed < count/8 {
		t.Errorf("only %d of %d commands passed: the test says little", passed, count)
	}
	t.Logf("%d of %d commands passed with placeholders, the others were refused", passed, count)
}

func FuzzNoPlaintext(f *testing.F) {
	for seed := range uint64(64) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { try(t, seed) })
}

// mangle replaces, repeats or wraps parts of a document at random.
func (w *world) mangle(v any, depth int) any {
	if w.chance(6) {
		return pick[any](w.Rand, nil, "$", "$$", "$$ROOT", "", int32(-1), true, bson.D{}, bson.A{}, bson.A{v}, bson.Doc("$eq", v), bson.Doc("", v), v)
	}
	switch v := v.(type) {
	case bson.D:
		out := bson.D{}
		for _, e := range v {
			if w.chance(3) {
				continue
			}
			if w.chance(3) && depth > 0 {
				e.Key = pick(w.Rand, "", "$", "$and", "$expr", "a", "a.b", "pipeline", "from", "as", "0", e.Key)
			}
			out = append(out, bson.E{Key: e.Key, Value: w.mangle(e.Value, depth+1)})
			if w.chance(3) && depth > 0 {
				out = append(out, out[len(out)-1])
			}
		}
		return out
	case bson.A:
		out := bson.A{}
		for _, e := range v {
			out = append(out, w.mangle(e, depth+1))
		}
		return out
	}
	return v
}

// TestMangledCommands analyzes commands that every server would refuse. Analysis neither panics nor yields malformed
// output.
func TestMangledCommands(t *testing.T) {
	for seed := range uint64(*seeds) {
		w := newWorld(t, *firstSeed+seed)
		doc, ok := w.mangle(w.command(), 0).(bson.D)
		if !ok || doc == nil {
			continue
		}
		cmd := w.raw(doc)
		target, err := Inspect("db", cmd)
		if err != nil {
			continue
		}
		result, err := Analyze(target, cmd, Schemas{"c": w.schema, "p": nil, "v": nil})
		if err != nil {
			continue
		}
		if err := result.Command.Validate(); err != nil {
			t.Fatalf("seed %d: %s became malformed: %v", seed, cmd, err)
		}
	}
}
