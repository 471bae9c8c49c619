package main

import (
	"strings"

	"github.com/specdrivers/onion/tools/suite"
)

// environment has the variables that tell tests of a server, and of load balancers before one and before several servers; without
// a server, tests start their own.
func environment(server, single, several string) []string {
	if server == "" {
		return nil
	}
	return []string{
		suite.ServerVariable + "=" + server, suite.SingleBalancerVariable + "=" + single,
		suite.SeveralBalancerVariable + "=" + several,
	}
}

// reasonToSkip is the reason of a test that skipped itself as it may: there is no deployment for it. Otherwise it is empty.
func reasonToSkip(message string, server bool) string {
	switch {
	case server:
		return suite.NotHere
	case strings.Contains(message, suite.Nowhere):
		return suite.Nowhere
	}
	return ""
}
