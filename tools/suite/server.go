package suite

// ServerVariable names a deployment that cases of the unified format run on instead of those in memory.
const ServerVariable = "ONION_SERVER"

// Nowhere begins the reason for which a case runs on no deployment in memory.
const Nowhere = "skipped for its requirements: "

// NotHere begins the reason for which a case does not run on the deployment that ServerVariable names.
const NotHere = "does not apply to this deployment: "

// SingleBalancerVariable and SeveralBalancerVariable name the load balancers of a load-balanced deployment: one with
// one router behind it, and one with several.
const (
	SingleBalancerVariable  = "ONION_SINGLE_BALANCER"
	SeveralBalancerVariable = "ONION_SEVERAL_BALANCER"
)
