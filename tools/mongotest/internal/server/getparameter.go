// The commands getParameter and setParameter: getParameter shows the named parameters, or all of them for "*";
// setParameter changes them.
//
// Left out: most parameters of a real server. Of the settable ones only acceptApiVersion2, cursorTimeoutMillis,
// requireApiVersion, transactionLifetimeLimitSeconds and those that begin with ingressConnectionEstablishment have an
// effect.

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
	parameters := r.cluster.parameters.copyAll()
	if !r.cluster.IsRouter() && parameters[compatibility] == nil {
		parameters[compatibility] = bson.Doc("version", r.cluster.Version)
	}
	f := reply.New()
	options, _ := r.Value().DocumentOK()
	if detailed, _ := options.Lookup("showDetails").AsBoolOK(); detailed {
		for name, value := range parameters {
			_, atRuntime := settable[name]
			parameters[name] = bson.Doc("value", value, "settableAtRuntime", atRuntime, "settableAtStartup", name != compatibility)
		}
	}
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

func setParameter(_ context.Context, r *request) (bson.Raw, error) {
	f, changed := reply.New(), false
	for key, value := range r.Body.All() {
		switch old, known := settable[key]; {
		case key == r.Name, r.command.fields.Knows(key):
			continue
		case !known && r.cluster.parameters.get(key) != nil:
			return nil, status.Errorf(errcode.IllegalOperation, "not allowed to change [%s] at runtime", key)
		case !known:
			return nil, status.Errorf(errcode.InvalidOptions,
				"attempted to set unrecognized parameter [%s], use help:true to see options ", key)
		default:
			next, err := r.cluster.parameters.convertLike(key, old, value)
			if err != nil {
				return nil, err
			}
			if was := r.cluster.parameters.set(key, next); !changed {
				f.Value("was", was)
			}
			changed = true
		}
	}
	if !changed {
		return nil, status.Errorf(errcode.InvalidOptions, "no option found to set, use help:true to see options ")
	}
	return f.Done(), nil
}

// convertLike converts a value to its parameter's type.
func (p *parameters) convertLike(name string, old any, value bson.RawValue) (any, error) {
	n, isNumber := value.AsInt64OK()
	switch old.(type) {
	case bool:
		if b, ok := value.AsBoolOK(); ok {
			return b, nil
		}
		return nil, status.Errorf(errcode.BadValue, "Failed to set parameter %s: expected a boolean, found %s", name, value.Type)
	case int32:
		if isNumber && int64(int32(n)) == n {
			return int32(n), nil
		}
	case bson.D:
		if doc, ok := value.DocumentOK(); ok && name == logComponents {
			return mergeVerbosity(p.get(name).(bson.D), "", doc)
		}
	case int64:
		if isNumber {
			return n, nil
		}
	case float64:
		if x, ok := value.AsFloat64OK(); ok {
			return x, nil
		}
	}
	return nil, status.Errorf(errcode.BadValue, "Failed to set parameter %s: expected a number, found %s", name, value.Type)
}
