package auth

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Region returns the region of the host of a security token service.
//
// Specification: auth/auth.md, "Region Calculation".
func Region(host string) (string, error) {
	labels := strings.Split(host, ".")
	switch {
	case host == "":
		return "", errors.New("auth: the server named no host of the security token service")
	case len(host) > AWSMaxHostLength:
		return "", fmt.Errorf("auth: the host of the security token service has %d bytes", len(host))
	case slices.Contains(labels, ""):
		return "", fmt.Errorf("auth: the host %q of the security token service has an empty label", host)
	case len(labels) == 1 || host == AWSDefaultHost:
		return AWSDefaultRegion, nil
	}
	return labels[1], nil
}
