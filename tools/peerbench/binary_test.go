package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// To import one of these packages costs each program some hundred kilobytes, whether it is used or not. A library could bring
// one along, which importrules does not see.
func TestTheSmallestProgramLinksNoLargePackage(t *testing.T) {
	large := []string{"net/http", "golang.org/x/net/idna", "text/template", "encoding/xml", "github.com/xdg-go/stringprep"}
	for driver, want := range map[string]bool{"onion": false, "official": true} { // the other driver shows that the test can fail
		out, err := exec.Command("go", "list", "-deps", "./binary/"+driver).Output()
		if err != nil {
			t.Fatal(err)
		}
		packages := strings.Fields(string(out))
		has := slices.ContainsFunc(large, func(name string) bool { return slices.Contains(packages, name) })
		if has != want || !slices.Contains(packages, "crypto/tls") {
			t.Errorf("%s: a large package: %t, want %t, of %d", driver, has, want, len(packages))
		}
	}
}
