// The command getParameter: the parameters that it names, or all of them for "*".
//
// Left out: all parameters but the ones from the deployment's options and featureCompatibilityVersion.

package server

import (
	"context"
	"maps"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

func getParameter(_ context.Context, r *request) (bson.Raw, error) {
	const compatibility = "featureCompatibilityVersion"
	parameters := maps.Clone(r.cluster.Parameters)
	if !r.cluster.IsRouter() && parameters[compatibility] == nil {
		parameters[compatibility] = bson.Doc("version", r.cluster.Version)
	}
	f := reply.New()
	options, _ := r.Value().DocumentOK()
	if all, _ := options.Lookup("allParameters").AsBoolOK(); r.Text(r.Name) == "*" || all {
		for _, name := range slices.Sorted(maps.Keys(parameters)) {
			f.Value(name, parameters[name])
		}
		return f.Done(), nil
	}
	found := false
	for key := range r.Body.All() {
		if value, ok := parameters[key]; ok {
			f.Value(key, value)
			found = true
		}
	}
	if !found {
		return nil, status.Errorf(errcode.InvalidOptions, "no option found to get")
	}
	return f.Done(), nil
}
