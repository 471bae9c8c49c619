package load

import "sync"

// memory holds what each content was turned into. A process that generates several times repeats only what has changed.
// Its key is the content itself.
var memory sync.Map

// content is a key of memory: T distinguishes what the same text is turned into.
type content[T any] struct{ text string }

// Remember returns what turn makes of a text, and calls it once for each text that it can turn. Callers share the result
// and must not change it.
func Remember[T any](text string, turn func() (T, error)) (T, error) {
	if kept, ok := memory.Load(content[T]{text}); ok {
		return kept.(T), nil
	}
	made, err := turn()
	if err == nil {
		memory.Store(content[T]{text}, made)
	}
	return made, err
}

// Forget empties the memory, for tests that measure a whole run.
func Forget() { memory.Clear() }
