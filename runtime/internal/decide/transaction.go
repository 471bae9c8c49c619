package decide

import (
	"github.com/specdrivers/onion/generated/core/withtransaction"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/fault"
)

// DescribeTransaction describes the error of a step of withTransaction.
func DescribeTransaction(e *withtransaction.Event, err error) {
	if fault.HasErrorLabel(err, fault.LabelTransientTransactionError) {
		e.Transience = withtransaction.Transient
	}
	if fault.HasErrorLabel(err, fault.LabelUnknownTransactionCommitResult) {
		e.Result = withtransaction.ResultUnknown
	}
	if fault.HasErrorLabel(err, fault.LabelSystemOverloadedError) {
		e.Load = withtransaction.Overloaded
	}
	if fault.HasErrorCode(err, errcode.MaxTimeMSExpired) {
		e.Code = withtransaction.MaxTimeMSExpired
	}
}
