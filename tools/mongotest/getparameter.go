// The command getParameter: the parameters that it names, or all of them for "*".
//
// Left out: all parameters but those of the deployment's options and featureCompatibilityVersion.

package mongotest

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

func getParameter(r *request) (bson.Raw, error) {
	const compatibility = "featureCompatibilityVersion"
	parameters := map[string]any{}
	for name, v := range r.d.config.parameters {
		parameters[name] = v
	}
	if !r.d.isRouter() && parameters[compatibility] == nil {
		parameters[compatibility] = bson.Doc("version", r.d.config.version)
	}
	f := newReply()
	which := r.body.Lookup("getParameter")
	options, _ := which.DocumentOK()
	if all, _ := options.Lookup("allParameters").AsBoolOK(); r.text("getParameter") == "*" || all {
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
