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

// The numbers and names of the protocol: Key Management Interoperability Protocol 1.4, "Result Status", "Result Reason".
func TestTexts(t *testing.T) {
	for _, c := range []struct {
		got        string
		code, want int
		text       string
	}{
		{kmip.StatusText(kmip.StatusSuccess), kmip.StatusSuccess, 0x0, "Success"},
		{kmip.StatusText(kmip.StatusOperationFailed), kmip.StatusOperationFailed, 0x1, "Operation Failed"},
		{kmip.StatusText(kmip.StatusOperationPending), kmip.StatusOperationPending, 0x2, "Operation Pending"},
		{kmip.StatusText(kmip.StatusOperationUndone), kmip.StatusOperationUndone, 0x3, "Operation Undone"},
		{kmip.ReasonText(kmip.ReasonItemNotFound), kmip.ReasonItemNotFound, 0x1, "Item Not Found"},
		{kmip.ReasonText(kmip.ReasonResponseTooLarge), kmip.ReasonResponseTooLarge, 0x2, "Response Too Large"},
		{kmip.ReasonText(kmip.ReasonAuthenticationNotSuccessful), kmip.ReasonAuthenticationNotSuccessful, 0x3, "Authentication Not Successful"},
		{kmip.ReasonText(kmip.ReasonInvalidMessage), kmip.ReasonInvalidMessage, 0x4, "Invalid Message"},
		{kmip.ReasonText(kmip.ReasonOperationNotSupported), kmip.ReasonOperationNotSupported, 0x5, "Operation Not Supported"},
		{kmip.ReasonText(kmip.ReasonMissingData), kmip.ReasonMissingData, 0x6, "Missing Data"},
		{kmip.ReasonText(kmip.ReasonInvalidField), kmip.ReasonInvalidField, 0x7, "Invalid Field"},
		{kmip.ReasonText(kmip.ReasonFeatureNotSupported), kmip.ReasonFeatureNotSupported, 0x8, "Feature Not Supported"},
		{kmip.ReasonText(kmip.ReasonOperationCanceledByRequester), kmip.ReasonOperationCanceledByRequester, 0x9, "Operation Canceled By Requester"},
		{kmip.ReasonText(kmip.ReasonCryptographicFailure), kmip.ReasonCryptographicFailure, 0xa, "Cryptographic Failure"},
		{kmip.ReasonText(kmip.ReasonIllegalOperation), kmip.ReasonIllegalOperation, 0xb, "Illegal Operation"},
		{kmip.ReasonText(kmip.ReasonPermissionDenied), kmip.ReasonPermissionDenied, 0xc, "Permission Denied"},
		{kmip.ReasonText(kmip.ReasonObjectArchived), kmip.ReasonObjectArchived, 0xd, "Object archived"},
		{kmip.ReasonText(kmip.ReasonIndexOutOfBounds), kmip.ReasonIndexOutOfBounds, 0xe, "Index Out of Bounds"},
		{kmip.ReasonText(kmip.ReasonApplicationNamespaceNotSupported), kmip.ReasonApplicationNamespaceNotSupported, 0xf, "Application Namespace Not Supported"},
		{kmip.ReasonText(kmip.ReasonKeyFormatTypeNotSupported), kmip.ReasonKeyFormatTypeNotSupported, 0x10, "Key Format Type Not Supported"},
		{kmip.ReasonText(kmip.ReasonKeyCompressionTypeNotSupported), kmip.ReasonKeyCompressionTypeNotSupported, 0x11, "Key Compression Type Not Supported"},
		{kmip.ReasonText(kmip.ReasonEncodingOptionError), kmip.ReasonEncodingOptionError, 0x12, "Encoding Option Error"},
		{kmip.ReasonText(kmip.ReasonKeyValueNotPresent), kmip.ReasonKeyValueNotPresent, 0x13, "Key Value Not Present"},
		{kmip.ReasonText(kmip.ReasonAttestationRequired), kmip.ReasonAttestationRequired, 0x14, "Attestation Required"},
		{kmip.ReasonText(kmip.ReasonAttestationFailed), kmip.ReasonAttestationFailed, 0x15, "Attestation Failed"},
		{kmip.ReasonText(kmip.ReasonGeneralFailure), kmip.ReasonGeneralFailure, 0x100, "General Failure"},
	} {
		if c.got != c.text || c.code != c.want {
			t.Errorf("%d is %q; want %d, %q", c.code, c.got, c.want, c.text)
		}
	}
}
