package tree

import (
	"cmp"
	"slices"
)

// degree is the most keys that a node holds.
const degree = 64

// Edit marks the nodes that one writer owns. Each batch of changes has its own. It must not be of size zero.
type Edit struct{ _ byte }

// Map is an ordered map. The zero Map is empty.
type Map[K cmp.Ordered, V any] struct {
	root *node[K, V]
	size int
}

type node[K cmp.Ordered, V any] struct {
	owner    *Edit
	keys     []K
	values   []V
	children []*node[K, V] // nil in a leaf, else one more than keys
}

// Len returns the number of entries.
func (m *Map[K, V]) Len() int { return m.size }

// Get finds a key.
func (m *Map[K, V]) Get(key K) (v V, ok bool) {
	for n := m.root; n != nil; {
		i, found := slices.BinarySearch(n.keys, key)
		if found {
			return n.values[i], true
		}
		if n.children == nil {
			break
		}
		n = n.children[i]
	}
	return v, false
}

// Set adds or replaces an entry.
func (m *Map[K, V]) Set(e *Edit, key K, v V) {
	if m.root == nil {
		m.root = &node[K, V]{owner: e}
	}
	root := m.root.own(e)
	if added := root.set(e, key, v); added {
		m.size++
	}
	if len(root.keys) > degree {
		k, val, right := root.split(e)
		root = &node[K, V]{owner: e, keys: []K{k}, values: []V{val}, children: []*node[K, V]{root, right}}
	}
	m.root = root
}

// own returns the node itself if e owns it, otherwise a copy that e owns.
func (n *node[K, V]) own(e *Edit) *node[K, V] {
	if n.owner == e {
		return n
	}
	c := &node[K, V]{owner: e, keys: grow(n.keys), values: grow(n.values)}
	if n.children != nil {
		c.children = grow(n.children)
	}
	return c
}

// grow copies with room for one more.
func grow[T any](s []T) []T {
	return append(make([]T, 0, len(s)+1), s...)
}

func (n *node[K, V]) set(e *Edit, key K, v V) (added bool) {
	i, found := slices.BinarySearch(n.keys, key)
	if found {
		n.values[i] = v
		return false
	}
	if n.children == nil {
		n.keys = slices.Insert(n.keys, i, key)
		n.values = slices.Insert(n.values, i, v)
		return true
	}
	child := n.children[i].own(e)
	n.children[i] = child
	added = child.set(e, key, v)
	if len(child.keys) > degree {
		k, val, right := child.split(e)
		n.keys = slices.Insert(n.keys, i, k)
		n.values = slices.Insert(n.values, i, val)
		n.children = slices.Insert(n.children, i+1, right)
	}
	return added
}

// split moves the upper part of an owned node into a new one and takes the middle entry out. A leaf that grew at its end,
// as with ascending keys, keeps most of its entries.
func (n *node[K, V]) split(e *Edit) (K, V, *node[K, V]) {
	mid := len(n.keys) / 2
	if n.children == nil {
		mid = len(n.keys) * 3 / 4
	}
	k, v := n.keys[mid], n.values[mid]
	right := &node[K, V]{owner: e, keys: slices.Clone(n.keys[mid+1:]), values: slices.Clone(n.values[mid+1:])}
	if n.children != nil {
		right.children = slices.Clone(n.children[mid+1:])
		clear(n.children[mid+1:])
		n.children = n.children[:mid+1]
	}
	clear(n.keys[mid:])
	clear(n.values[mid:])
	n.keys, n.values = n.keys[:mid], n.values[:mid]
	return k, v, right
}

// Ceiling finds the first entry whose key is at least key.
func (m *Map[K, V]) Ceiling(key K) (k K, v V, ok bool) {
	for n := m.root; n != nil; {
		i, found := slices.BinarySearch(n.keys, key)
		if i < len(n.keys) {
			k, v, ok = n.keys[i], n.values[i], true
		}
		if found || n.children == nil {
			break
		}
		n = n.children[i]
	}
	return k, v, ok
}
