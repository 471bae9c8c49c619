package uri_test

import (
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/options"
)

// The client's behaviour when its user sets nothing.
func TestDefaults(t *testing.T) {
	for _, tt := range []struct {
		name      string
		got, want any
	}{
		{"connectTimeoutMS", options.DefaultConnectTimeout, 10 * time.Second},
		{"directConnection", options.DefaultDirectConnection, false},
		{"enableOverloadRetargeting", options.DefaultEnableOverloadRetargeting, false},
		{"heartbeatFrequencyMS", options.DefaultHeartbeatFrequency, 10 * time.Second},
		{"loadBalanced", options.DefaultLoadBalanced, false},
		{"localThresholdMS", options.DefaultLocalThreshold, 15 * time.Millisecond},
		{"maxAdaptiveRetries", options.DefaultMaxAdaptiveRetries, 2},
		{"maxConnecting", options.DefaultMaxConnecting, 2},
		{"maxIdleTimeMS", options.DefaultMaxIdleTime, time.Duration(0)},
		{"length of logged documents", options.DefaultMaxLogDocumentLength, 1000},
		{"maxPoolSize", options.DefaultMaxPoolSize, 100},
		{"minPoolSize", options.DefaultMinPoolSize, 0},
		{"proxyPort", options.DefaultProxyPort, 1080},
		{"retryReads", options.DefaultRetryReads, true},
		{"retryWrites", options.DefaultRetryWrites, true},
		{"srvMaxHosts", options.DefaultSRVMaxHosts, 0},
		{"srvServiceName", options.DefaultSRVServiceName, "mongodb"},
		{"serverSelectionTimeoutMS", options.DefaultServerSelectionTimeout, 30 * time.Second},
		{"socketTimeoutMS", options.DefaultSocketTimeout, time.Duration(0)},
		{"tlsAllowInvalidCertificates", options.DefaultTLSAllowInvalidCertificates, false},
		{"tlsAllowInvalidHostnames", options.DefaultTLSAllowInvalidHostnames, false},
		{"tlsDisableCertificateRevocationCheck", options.DefaultTLSDisableCertificateRevocationCheck, false},
		{"tlsDisableOCSPEndpointCheck", options.DefaultTLSDisableOCSPEndpointCheck, false},
		{"tlsInsecure", options.DefaultTLSInsecure, false},
		{"waitQueueTimeoutMS", options.DefaultWaitQueueTimeout, time.Duration(0)},
		{"zlibCompressionLevel", options.DefaultZlibLevel, -1},
	} {
		if tt.got != tt.want {
			t.Errorf("%s is %v, want %v", tt.name, tt.got, tt.want)
		}
	}
}
