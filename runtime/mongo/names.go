package mongo

import (
	"fmt"
	"strings"
)

// The driver refuses a name that no server accepts before it sends anything. It leaves to the server what servers judge
// differently, such as the length of a name or a "$" in it.

// checkDatabaseName refuses a name that no database can have.
func checkDatabaseName(name string) error {
	if name == "" {
		return fmt.Errorf("mongo: the name of the database is empty: name one, such as in client.Database(%q)", "shop")
	}
	for i := range len(name) {
		switch name[i] {
		case '.':
			return fmt.Errorf("mongo: the name of the database, %q, contains a dot: name the collection in Collection", name)
		case 0, '/', '\\', ' ', '"':
			return fmt.Errorf("mongo: the name of the database, %q, contains %q: leave it out", name, name[i:i+1])
		}
	}
	return nil
}

// checkCollectionName refuses a name that no collection can have.
func checkCollectionName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("mongo: the name of the collection is empty: name one, such as in database.Collection(%q)", "users")
	case strings.HasPrefix(name, "."):
		return fmt.Errorf("mongo: the name of the collection, %q, begins with a dot: leave it out", name)
	case strings.IndexByte(name, 0) >= 0:
		return fmt.Errorf("mongo: the name of the collection, %q, contains a zero byte: leave it out", name)
	}
	return nil
}

// checkIndexName refuses a name that no index can have.
func checkIndexName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("mongo: the name of the index is empty: leave Name unset to have it made from the keys")
	case name == "*":
		return fmt.Errorf("mongo: the name of the index is *, which stands for all indexes: choose another")
	case strings.Contains(name, "\x00"):
		return fmt.Errorf("mongo: the name of the index, %q, contains a zero byte: leave it out", name)
	}
	return nil
}

// checkFieldName refuses an empty name and one with a zero byte.
func checkFieldName(what, name string) error {
	switch {
	case name == "":
		return fmt.Errorf("mongo: the %s is empty: name a field, such as %q", what, "address.city")
	case strings.Contains(name, "\x00"):
		return fmt.Errorf("mongo: the %s, %q, contains a zero byte: leave it out", what, name)
	}
	return nil
}

// checkIndexField refuses a field that no index can have.
func checkIndexField(name string) error {
	if err := checkFieldName("field of an index key", name); err != nil {
		return err
	}
	for part := range strings.SplitSeq(name, ".") {
		if part == "" {
			return fmt.Errorf("mongo: the field of an index key, %q, has an empty part: put a name on each side of a dot", name)
		}
	}
	return nil
}
