package model

import "github.com/specdrivers/onion/gen/load"

// ExtJSON is what the emitter of the words of extended JSON sees.
type ExtJSON struct {
	Doc   string
	Words []Value
}

// NewExtJSON joins the keys and texts of extended JSON: each has one name.
func NewExtJSON(t *load.Tables) *ExtJSON {
	in := t.ExtJSON()
	out := &ExtJSON{Doc: in.Doc}
	names, texts, used := newGoNames(t), newUnique[string](t), map[string]bool{}
	add := func(r load.Row, name, text string) {
		names.add(name, r.At)
		texts.add(text, name, r.At, "%q is named twice", text)
		checkSentence(t, r.At, r.Doc)
		out.Words = append(out.Words, Value{Name: name, Doc: r.Doc, Value: text})
	}
	named := map[string]bool{}
	for _, r := range in.Rows {
		if !named[r.Key] {
			add(r.Row, r.Name, r.Key)
		}
		named[r.Key], used[r.Inner], used[r.Second] = true, true, true
	}
	for _, w := range in.Words {
		add(w.Row, w.Name, w.Word)
		named[w.Word] = true
		if !used[w.Word] && w.Spec == "" {
			t.Problemf(w.At, "no type has the key %s; a key of another section names it in spec", w.Word)
		}
	}
	for _, r := range in.Rows {
		for _, key := range []string{r.Inner, r.Second} {
			if key != "" && !named[key] {
				t.Problemf(r.At, "%s has the key %s, which has no name", r.Type, key)
			}
		}
	}
	for _, x := range in.Texts {
		add(x.Row, x.Name, x.Text)
	}
	return out
}
