package unified

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/tools/mongotest"
)

// awsMechanism takes its keys from the surroundings of the program.
const awsMechanism = "MONGODB-AWS"

// awsKey is the key that deployments in memory accept.
var awsKey = mongotest.AWSKey{
	AccessKeyID: "runner", SecretAccessKey: "runner", ARN: "arn:aws:iam::123456789012:user/runner",
}

// setAWSCredential gives the key to a client that uses the mechanism. The environment of the process stays as it is:
// other cases assert that it has no keys.
func (r *Run) setAWSCredential(set *options.Client, uri bson.D) {
	if m, _ := lookupFold(uri, "authMechanism"); m != awsMechanism || r.deployment.mem == nil {
		return
	}
	set.Auth = &options.Credential{AWSCredentialProvider: func(context.Context) (options.AWSCredentials, error) {
		return options.AWSCredentials{AccessKeyID: awsKey.AccessKeyID, SecretAccessKey: awsKey.SecretAccessKey}, nil
	}}
}
