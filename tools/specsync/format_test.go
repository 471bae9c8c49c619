package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

const schemaMini = `{
  "title": "Menu",
  "required": ["name"],
  "additionalProperties": false,
  "properties": {
    "name": {"type": "string"},
    "dishes": {"type": "array", "items": {"$ref": "#/definitions/dish"}},
    "size": {"oneOf": [{"type": "boolean"}, {"$ref": "#/definitions/size"}]},
    "notes": {"type": "object"}
  },
  "definitions": {
    "size": {"enum": ["small", "large"]},
    "dish": {
      "additionalProperties": false,
      "minProperties": 1,
      "properties": {"soup": {"type": "string"}, "salad": {"type": "string"}},
      "allOf": [{"not": {"required": ["soup", "salad"]}}]
    }
  }
}
`

const formatMini = `enums:
  size: [small, large]
objects:
  file:
    fields:
      name: string
      dishes: list of dish
      size: boolean or size
      notes: object
    required: [name]
  dish:
    fields:
      soup: string
      salad: string
    atLeast: 1
    apart:
      - [soup, salad]
`

func TestFormat(t *testing.T) {
	for _, test := range []struct {
		name         string
		old, schema  string
		mine, format string
		want         string // after the name of the table
	}{
		{name: "the same"},
		{name: "a new member", old: `"soup": {`, schema: `"tart": {}, "soup": {`, want: ":12 dish: the schema has tart\n"},
		{name: "a member that is gone", old: `"soup": {"type": "string"}, `, want: ":13 dish: the schema has no soup\n"},
		{name: "a new value", old: `"large"]`, schema: `"large", "huge"]`, want: ":2 size: the schema has [small, large, huge]\n"},
		{name: "a required member", old: `["name"]`, schema: `["name", "size"]`, want: ":5 file required: [name] in the table, [name, size] in the schema\n"},
		{name: "a bound", old: `"minProperties": 1`, schema: `"minProperties": 2`, want: ":12 dish atLeast: 1 in the table, 2 in the schema\n"},
		{name: "an exclusion", old: `["soup", "salad"]`, schema: `["salad"]`, want: ":12 dish apart: \"[soup, salad]\" in the table, \"[salad]\" in the schema\n"},
		{name: "other names", old: "  \"additionalProperties\": false,\n  \"prop", schema: `  "prop`, want: ":5 file: members of other names are allowed: false in the table, true in the schema\n"},
		{name: "a form that is gone", old: `, {"$ref": "#/definitions/size"}`, want: ":8 file.size: \"boolean or size\" are 1 forms, the schema has 0\nerror specs/unified/format.yaml:2 the schema has no use for size\n"},
		{name: "an object of ours alone", mine: "  dish:\n", format: "  plate:\n    fields: {rim: string}\n  dish:\n", want: ":11 the schema has no use for plate\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(schemaMini, test.old) || !strings.Contains(formatMini, test.mine) {
				t.Fatal("there is nothing to change")
			}
			out, err := formats(t, strings.Replace(schemaMini, test.old, test.schema, 1), strings.Replace(formatMini, test.mine, test.format, 1))
			if err != nil {
				t.Fatal(err)
			}
			if test.want != "" {
				test.want = "error specs/unified/format.yaml" + test.want
			}
			if out != test.want {
				t.Errorf("got\n%swant\n%s", out, test.want)
			}
		})
	}
}

func TestFormatRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, test := range []struct{ name, old, schema, want string }{
		{"a word", `"minProperties"`, `"dependencies"`, schemaDoc + ":15: \"dependencies\" is not a word of a schema"},
		{"a reference", "definitions/dish", "definitions/cup", schemaDoc + ":7: \"#/definitions/cup\" leads nowhere"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := formats(t, strings.Replace(schemaMini, test.old, test.schema, 1), formatMini); err == nil || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// formats compares a table with a schema, and says what is reported.
func formats(t *testing.T, schema, table string) (string, error) {
	t.Helper()
	from, specs := t.TempDir(), t.TempDir()
	write(t, filepath.Join(from, "source", filepath.FromSlash(schemaDoc)), schema)
	write(t, filepath.Join(specs, "unified", "format.yaml"), table)
	var stdout bytes.Buffer
	behind, err := newSession(options{from: from, specs: specs, library: newLibrary()}).syncFormat(&stdout)
	if behind != (stdout.Len() > 0) {
		t.Errorf("behind is %t with the report %q", behind, &stdout)
	}
	return stdout.String(), err
}
