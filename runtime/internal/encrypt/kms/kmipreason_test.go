package kms

import (
	"strings"
	"testing"

	"github.com/specdrivers/onion/generated/core/kmip"
)

func TestResultError(t *testing.T) {
	for _, c := range []struct {
		name           string
		status, reason int
		want           string
	}{
		{"refused", kmip.StatusOperationFailed, kmip.ReasonPermissionDenied, "result status (1): Operation Failed, result reason (12): Permission Denied"},
		{"general", kmip.StatusOperationFailed, kmip.ReasonGeneralFailure, "result status (1): Operation Failed, result reason (256): General Failure"},
		{"pending", kmip.StatusOperationPending, kmip.ReasonItemNotFound, "result status (2): Operation Pending, result reason (1): Item Not Found"},
		{"of another version", 9, 99, "result status (9): unknown, result reason (99): unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := structure(kmip.TagResponseMessage, structure(kmip.TagBatchItem,
				enumeration(kmip.TagResultStatus, c.status), enumeration(kmip.TagResultReason, c.reason)))
			if _, err := parseResponse(b); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v; want %q", err, c.want)
			}
		})
	}
}
