package main

import (
	"errors"
	"strings"
	"testing"
)

const gridMini = `class GridFSBucketOptions {

  /**
   * A name. Defaults to 'cellar'.
   */
  bucketName : String optional;

  /**
   * A size. Defaults to 2 KiB.
   */
  chunkSizeBytes : Int32 optional;
}
`

const propertiesMini = `
### All of them

- mechanism_properties

    - More of them.
### ONE

- mechanism_properties

    - FIRST_NAME

        It may be given. The default is "adam".

    - LAST

        If there, the value MUST be one of
        ` + "`[\"x\", \"y\"]`" + `.

### TWO

- mechanism_properties

    - LAST

        As above.

    - PLACES

        They MUST default to ` + "`[\"*.a\", \"b\"]`" + `.

### THREE

- mechanism_properties

    MUST NOT be specified.

TODO
`

const handshakeMini = "### Connection handshake\n\nAll MUST include `backpressure: \"7\"` in their handshake request.\n\n#### More\n"

func valueDocuments() map[string]string {
	return map[string]string{gridDoc: gridMini, authDoc: propertiesMini, handshakeDoc: handshakeMini}
}

func TestValueReaders(t *testing.T) {
	documents := openShelf(valueDocuments())
	for _, c := range []struct {
		name string
		read reader
		want string
	}{
		{"buckets", readGridFS, `gridfs/values.yaml rows DefaultBucketName: value=cellar
gridfs/values.yaml rows DefaultChunkSize: value=2048
`},
		{"backpressure", readHandshake, "wire/values.yaml rows BackpressureVersion: value=7\n"},
		{"properties", readProperties, `auth/properties.yaml rows FIRST_NAME: property=FIRST_NAME mechanisms=[ONE] default=adam
auth/properties.yaml rows LAST: property=LAST mechanisms=[ONE, TWO] values=[x, y]
auth/properties.yaml rows PLACES: property=PLACES mechanisms=[TWO] hosts=[*.a, b]
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.read(documents)
			if err != nil {
				t.Fatal(err)
			}
			if spellTables(got) != c.want {
				t.Errorf("got\n%swant\n%s", spellTables(got), c.want)
			}
		})
	}
}

func TestValueReadersRefuseWhatTheyDoNotKnow(t *testing.T) {
	for _, c := range []struct {
		name, path, old, text string
		read                  reader
		line                  int
	}{
		{"a default in other words", gridDoc, "Defaults to 2 KiB", "It is 2 KiB", readGridFS, 11},
		{"a default in another unit", gridDoc, "2 KiB", "2 furlongs", readGridFS, 11},
		{"an option that is gone", gridDoc, "  chunkSizeBytes", "  chunks", readGridFS, 12},
		{"a declaration that is gone", gridDoc, "GridFSBucketOptions", "Options", readGridFS, 1},
		{"a version in other words", handshakeDoc, "MUST include", "may include", readHandshake, 1},
		{"a bullet", authDoc, "- PLACES", "- Places of old", readProperties, 28},
	} {
		t.Run(c.name, func(t *testing.T) {
			documents := valueDocuments()
			if !strings.Contains(documents[c.path], c.old) {
				t.Fatalf("%s does not say %q", c.path, c.old)
			}
			documents[c.path] = strings.Replace(documents[c.path], c.old, c.text, 1)
			_, err := runReader(c.read, documents)
			at, ok := errors.AsType[errorAt](err)
			if !ok || at.path != c.path || at.line != c.line {
				t.Errorf("got %v, want %s:%d", err, c.path, c.line)
			}
		})
	}
}
