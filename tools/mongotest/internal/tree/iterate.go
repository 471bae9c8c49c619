package tree

import (
	"cmp"
	"slices"
)

// Iterator walks a Map in either direction. It reads the version of the Map that it was made from.
type Iterator[K cmp.Ordered, V any] struct {
	stack      []frame[K, V]
	descending bool
}

// frame is a node and the next key of it to yield.
type frame[K cmp.Ordered, V any] struct {
	node *node[K, V]
	next int
}

// Ascend walks upwards from the first key that is at least from.
func (m *Map[K, V]) Ascend(from K) *Iterator[K, V] {
	it := &Iterator[K, V]{}
	for n := m.root; n != nil; {
		i, found := slices.BinarySearch(n.keys, from)
		it.stack = append(it.stack, frame[K, V]{n, i})
		if found || n.children == nil {
			break
		}
		n = n.children[i]
	}
	return it
}

// Descend walks downwards from the last key that is at most from.
func (m *Map[K, V]) Descend(from K) *Iterator[K, V] {
	it := &Iterator[K, V]{descending: true}
	for n := m.root; n != nil; {
		i, found := slices.BinarySearch(n.keys, from)
		if found {
			it.stack = append(it.stack, frame[K, V]{n, i})
			break
		}
		it.stack = append(it.stack, frame[K, V]{n, i - 1})
		if n.children == nil {
			break
		}
		n = n.children[i]
	}
	return it
}

// First walks upwards from the smallest key.
func (m *Map[K, V]) First() *Iterator[K, V] {
	it := &Iterator[K, V]{}
	it.down(m.root)
	return it
}

// Last walks downwards from the largest key.
func (m *Map[K, V]) Last() *Iterator[K, V] {
	it := &Iterator[K, V]{descending: true}
	it.down(m.root)
	return it
}

// down pushes the path to the end of the subtree at which the walk begins.
func (it *Iterator[K, V]) down(n *node[K, V]) {
	for n != nil {
		f, child := frame[K, V]{n, 0}, 0
		if it.descending {
			f.next, child = len(n.keys)-1, len(n.keys)
		}
		it.stack = append(it.stack, f)
		if n.children == nil {
			return
		}
		n = n.children[child]
	}
}

// Next returns the next entry; ok is false at the end.
func (it *Iterator[K, V]) Next() (k K, v V, ok bool) {
	for len(it.stack) > 0 {
		f := &it.stack[len(it.stack)-1]
		i := f.next
		if i < 0 || i >= len(f.node.keys) {
			it.stack = it.stack[:len(it.stack)-1]
			continue
		}
		n := f.node
		if it.descending {
			f.next--
		} else {
			f.next++
		}
		if n.children != nil {
			if it.descending {
				it.down(n.children[i])
			} else {
				it.down(n.children[i+1])
			}
		}
		return n.keys[i], n.values[i], true
	}
	return k, v, false
}
