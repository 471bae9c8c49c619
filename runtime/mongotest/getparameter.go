package mongotest

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
)

// getParameter answers with the parameters that it names, or with all of them for "*".
func getParameter(r *request) (bson.Raw, error) {
	parameters := r.d.config.parameters
	f := newReply()
	if r.text("getParameter") == "*" {
		for _, name := range sortedKeys(parameters) {
			f.value(name, parameters[name])
		}
		return f.done(), nil
	}
	found := false
	for key := range r.body.All() {
		if value, ok := parameters[key]; ok {
			f.value(key, value)
			found = true
		}
	}
	if !found {
		return nil, status.Errorf(errcode.InvalidOptions, "no option found to get")
	}
	return f.done(), nil
}
