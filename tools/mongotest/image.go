package mongotest

import (
	"fmt"
	"regexp"
	"strings"
)

// Image sets the server version from the name of a container image, such as mongo:7 or
// mongodb/mongodb-community-server:8.0.4-ubi9, for tests that list images in a table. A name without a version, such as
// mongo:latest, means [DefaultVersion]. A version without a minor number means the last minor version that mongotest
// knows.
func Image(name string) Option {
	return func(c *config) {
		tagged, _, _ := strings.Cut(name, "@") // without the digest
		m := imageTag.FindStringSubmatch(tagged)
		switch {
		case m == nil:
			c.Version = DefaultVersion
		case m[2] != "":
			c.Version = m[1] + m[2]
		case lastMinor[m[1]] != "":
			c.Version = lastMinor[m[1]]
		default:
			c.err = fmt.Errorf("mongotest: no version for the image %s", name)
		}
	}
}

// imageTag finds the version at the start of a tag.
var imageTag = regexp.MustCompile(`:v?(\d+)(\.\d+)?[^:/]*$`)

// lastMinor are the versions that tags without a minor number mean.
var lastMinor = map[string]string{"4": "4.4", "5": "5.0", "6": "6.0", "7": "7.0", "8": "8.2", "9": "9.0"}
