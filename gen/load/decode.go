package load

import (
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// decoder turns YAML nodes into Go values by the `yaml` tags of struct fields. A column is required unless its tag
// says optional. A field of type Pos tagged "-" receives the place of its struct.
type decoder struct {
	tables *Tables
	file   string
}

// nodeDecoder is a type that decodes itself.
type nodeDecoder interface {
	decodeNode(d *decoder, n *yaml.Node)
}

var (
	posType     = reflect.TypeFor[Pos]()
	leadingZero = regexp.MustCompile(`^[-+]?0[0-9_]`)
)

func (d *decoder) pos(n *yaml.Node) Pos { return Pos{File: d.file, Line: n.Line} }

func (d *decoder) problemf(n *yaml.Node, format string, args ...any) {
	d.tables.record(d.pos(n), format, args...)
}

func (d *decoder) decodeStruct(n *yaml.Node, out any) {
	d.decodeValue(n, reflect.ValueOf(out).Elem(), "the table")
}

// decodeValue decodes n into v; name is the column, for messages.
func (d *decoder) decodeValue(n *yaml.Node, v reflect.Value, name string) {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		d.problemf(n, "%s: anchors and aliases are not part of the table language", name)
		return
	}
	if nd, ok := v.Addr().Interface().(nodeDecoder); ok {
		nd.decodeNode(d, n)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		d.decodeStructValue(n, v, name)
	case reflect.Slice:
		d.decodeSlice(n, v, name)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.decodeValue(n, v.Elem(), name)
	case reflect.Interface:
		v.Set(reflect.ValueOf(d.decodeScalar(n, name)))
	default:
		d.decodeBasic(n, v, name)
	}
}

// decodeSlice decodes a list. A list of one may be written as a plain value.
func (d *decoder) decodeSlice(n *yaml.Node, v reflect.Value, name string) {
	items := n.Content
	if n.Kind == yaml.ScalarNode && v.Type().Elem().Kind() == reflect.String {
		items = []*yaml.Node{n}
	} else if n.Kind != yaml.SequenceNode {
		d.problemf(n, "%s needs a list, found %s", name, kindOf(n))
		return
	}
	out := reflect.MakeSlice(v.Type(), 0, len(items))
	for _, item := range items {
		e := reflect.New(v.Type().Elem()).Elem()
		d.decodeValue(item, e, name)
		out = reflect.Append(out, e)
	}
	v.Set(out)
}

func (d *decoder) decodeBasic(n *yaml.Node, v reflect.Value, name string) {
	switch v.Kind() {
	case reflect.String:
		if n.Kind != yaml.ScalarNode || n.Tag != "!!str" {
			d.problemf(n, "%s needs text, found %s; quote it", name, kindOf(n))
			return
		}
		v.SetString(n.Value)
	case reflect.Bool:
		if n.Value != "true" && n.Value != "false" || n.Tag != "!!bool" {
			d.problemf(n, "%s needs true or false, found %s", name, kindOf(n))
			return
		}
		v.SetBool(n.Value == "true")
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		i, ok := d.decodeInteger(n, name, v.Type().Bits())
		if ok {
			v.SetInt(i)
		}
	case reflect.Float64:
		f, err := strconv.ParseFloat(n.Value, 64)
		if err != nil || n.Kind != yaml.ScalarNode {
			d.problemf(n, "%s needs a number, found %s", name, kindOf(n))
			return
		}
		v.SetFloat(f)
	default:
		d.problemf(n, "%s: the generator has no rule for %s", name, v.Type())
	}
}

func (d *decoder) decodeInteger(n *yaml.Node, name string, bits int) (int64, bool) {
	switch {
	case n.Kind == yaml.ScalarNode && leadingZero.MatchString(n.Value):
		d.problemf(n, "%s: %s has a leading zero; write it in decimal or as 0x", name, n.Value)
		return 0, false
	case n.Kind != yaml.ScalarNode || n.Tag != "!!int":
		d.problemf(n, "%s needs an integer, found %s", name, kindOf(n))
		return 0, false
	}
	i, err := strconv.ParseInt(n.Value, 0, bits)
	if err != nil {
		d.problemf(n, "%s: %s does not fit %d bits", name, n.Value, bits)
		return 0, false
	}
	return i, true
}

// decodeScalar decodes a value whose column allows text, integers, floats and booleans.
func (d *decoder) decodeScalar(n *yaml.Node, name string) any {
	if n.Kind != yaml.ScalarNode {
		d.problemf(n, "%s needs one value, found %s", name, kindOf(n))
		return ""
	}
	switch n.Tag {
	case "!!int":
		i, _ := d.decodeInteger(n, name, 64)
		return i
	case "!!float":
		f, _ := strconv.ParseFloat(n.Value, 64)
		return f
	case "!!bool":
		return n.Value == "true"
	case "!!str":
		return n.Value
	}
	d.problemf(n, "%s: found %s", name, kindOf(n))
	return ""
}

func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	if n.Tag == "!!null" {
		return "nothing"
	}
	return strings.TrimPrefix(n.Tag, "!!") + " " + n.Value
}
