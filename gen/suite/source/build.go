package source

import "strconv"

// Line builds values that report one line of a file as their place.
type Line int

// At is the line of a value.
func At(n *Node) Line { return Line(n.Line) }

// Text is a string.
func (l Line) Text(text string) *Node { return &Node{Kind: String, Line: int(l), Text: text} }

// Flag is a boolean.
func (l Line) Flag(v bool) *Node {
	return &Node{Kind: Bool, Line: int(l), Text: strconv.FormatBool(v)}
}

// List is an array.
func (l Line) List(items ...*Node) *Node { return &Node{Kind: Array, Line: int(l), Items: items} }

// Object is an object of alternating keys and values. It leaves out a nil value and its key.
func (l Line) Object(pairs ...any) *Node {
	n := &Node{Kind: Object, Line: int(l)}
	for i := 0; i < len(pairs); i += 2 {
		if v := pairs[i+1].(*Node); v != nil {
			n.Members = append(n.Members, Member{Key: pairs[i].(string), Line: v.Line, Value: v})
		}
	}
	return n
}
