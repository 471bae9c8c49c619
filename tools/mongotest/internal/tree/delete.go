package tree

import "slices"

// least is the fewest keys that a node other than the root holds.
const least = degree / 4

// Delete removes a key and reports whether it was there.
func (m *Map[K, V]) Delete(e *Edit, key K) bool {
	if _, ok := m.Get(key); !ok {
		return false
	}
	root := m.root.own(e)
	root.delete(e, key)
	if len(root.keys) == 0 {
		if root.children == nil {
			root = nil
		} else {
			root = root.children[0]
		}
	}
	m.root = root
	m.size--
	return true
}

// delete removes a key that is in the owned node or below it.
func (n *node[K, V]) delete(e *Edit, key K) {
	i, found := slices.BinarySearch(n.keys, key)
	switch {
	case n.children == nil:
		n.keys = slices.Delete(n.keys, i, i+1)
		n.values = slices.Delete(n.values, i, i+1)
	case found:
		// The largest entry below takes the place of the removed one.
		child := n.child(e, i)
		n.keys[i], n.values[i] = child.deleteLast(e)
		n.balance(e, i)
	default:
		n.child(e, i).delete(e, key)
		n.balance(e, i)
	}
}

// deleteLast removes and returns the largest entry below an owned node.
func (n *node[K, V]) deleteLast(e *Edit) (k K, v V) {
	if n.children == nil {
		last := len(n.keys) - 1
		k, v = n.keys[last], n.values[last]
		n.keys = slices.Delete(n.keys, last, last+1)
		n.values = slices.Delete(n.values, last, last+1)
		return k, v
	}
	last := len(n.children) - 1
	k, v = n.child(e, last).deleteLast(e)
	n.balance(e, last)
	return k, v
}

// child makes the i-th child owned.
func (n *node[K, V]) child(e *Edit, i int) *node[K, V] {
	c := n.children[i].own(e)
	n.children[i] = c
	return c
}

// balance refills the i-th child, when it holds too little, from a neighbour or by joining the two.
func (n *node[K, V]) balance(e *Edit, i int) {
	if len(n.children[i].keys) >= least {
		return
	}
	if i == len(n.children)-1 {
		i--
	}
	left, right := n.child(e, i), n.child(e, i+1)
	keys := append(append(slices.Clone(left.keys), n.keys[i]), right.keys...)
	values := append(append(slices.Clone(left.values), n.values[i]), right.values...)
	var children []*node[K, V]
	if left.children != nil {
		children = append(slices.Clone(left.children), right.children...)
	}
	left.keys, left.values, left.children = keys, values, children
	n.keys = slices.Delete(n.keys, i, i+1)
	n.values = slices.Delete(n.values, i, i+1)
	n.children = slices.Delete(n.children, i+1, i+2)
	if len(left.keys) > degree {
		k, v, upper := left.split(e)
		n.keys = slices.Insert(n.keys, i, k)
		n.values = slices.Insert(n.values, i, v)
		n.children = slices.Insert(n.children, i+1, upper)
	}
}
