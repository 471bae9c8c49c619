package unified

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongo"
)

// Error is what an error must be; a field that is empty asks for nothing. Unified Test Format, "expectedError".
type Error struct {
	IsClientError, IsTimeoutError *bool
	Contains                      string
	Code                          *int
	CodeName                      string
	LabelsContain, LabelsOmit     []string
	WriteErrors                   any
	WriteConcernErrors            []any
	Response                      any
	Result                        any
}

// Fails asserts that the operation failed, and how.
func (x *Result) Fails(want Error) *Result {
	x.run.t.Helper()
	if x.err == nil {
		x.run.failf("%s succeeded, and must fail", x.name)
	}
	if err := want.check(x); err != nil {
		x.run.failf("%s: %v\n\tthe error is %T: %v", x.name, err, x.err, x.err)
	}
	return x
}

func (want Error) check(x *Result) error {
	err := x.err
	if want.IsClientError != nil && *want.IsClientError == isFromServer(err) {
		return fmt.Errorf("the error comes from the server: %v", isFromServer(err))
	}
	if want.IsTimeoutError != nil && *want.IsTimeoutError != mongo.IsTimeout(err) {
		return fmt.Errorf("the error is a timeout: %v", mongo.IsTimeout(err))
	}
	if want.Contains != "" && !strings.Contains(strings.ToLower(message(err)), strings.ToLower(want.Contains)) {
		return fmt.Errorf("the error does not contain %q", want.Contains)
	}
	if want.Code != nil && !slices.Contains(codes(err), errcode.Code(*want.Code)) {
		return fmt.Errorf("the error has the codes %v, not %d", codes(err), *want.Code)
	}
	if want.CodeName != "" && !slices.ContainsFunc(codeNames(err), func(n string) bool { return strings.EqualFold(n, want.CodeName) }) {
		return fmt.Errorf("the error has the names %v, not %s", codeNames(err), want.CodeName)
	}
	for _, label := range want.LabelsContain {
		if !mongo.HasErrorLabel(err, label) {
			return fmt.Errorf("the error has no label %s", label)
		}
	}
	for _, label := range want.LabelsOmit {
		if mongo.HasErrorLabel(err, label) {
			return fmt.Errorf("the error has the label %s", label)
		}
	}
	return want.checkParts(x)
}

// message returns the text that errorContains looks at. For clientBulkWrite, it belongs to the error of the whole operation
// only. Unified Test Format, "clientBulkWrite".
func message(err error) string {
	bulk, ok := errors.AsType[mongo.ClientBulkWriteException](err)
	switch {
	case !ok:
		return err.Error()
	case bulk.Err == nil:
		return ""
	}
	return bulk.Err.Error()
}

// checkParts compares the documents that an error holds.
func (want Error) checkParts(x *Result) error {
	if want.Response != nil {
		if err := (matcher{}).match(want.Response, rawDocument(response(x.err)), true, "response"); err != nil {
			return err
		}
	}
	if want.Result != nil {
		if err := x.matches(want.Result); err != nil {
			return err
		}
	}
	if want.WriteErrors == nil && want.WriteConcernErrors == nil {
		return nil
	}
	bulk, ok := errors.AsType[mongo.ClientBulkWriteException](x.err)
	if !ok && x.name != "clientBulkWrite" {
		return errors.New("the error is not that of clientBulkWrite")
	}
	return want.checkBulk(bulk) // an error of another type, as of a command that fails as a whole, has no such parts
}

// checkBulk compares the errors of single writes.
func (want Error) checkBulk(got mongo.ClientBulkWriteException) error {
	if list, ok := want.WriteErrors.(bson.D); ok {
		if len(list) != len(got.WriteErrors) {
			return fmt.Errorf("there are %d write errors, want %d", len(got.WriteErrors), len(list))
		}
		for _, e := range list {
			i, _ := strconv.Atoi(e.Key)
			one, there := got.WriteErrors[i]
			if !there {
				return fmt.Errorf("write %d has no error", i)
			}
			d := writeFailure(int32(one.Code), one.Message, one.Details)
			if err := (matcher{}).match(e.Value, raw(d), true, "writeErrors."+e.Key); err != nil {
				return err
			}
		}
	}
	if want.WriteConcernErrors == nil {
		return nil
	}
	if len(want.WriteConcernErrors) != len(got.WriteConcernErrors) {
		return fmt.Errorf("there are %d write concern errors, want %d", len(got.WriteConcernErrors), len(want.WriteConcernErrors))
	}
	for i, w := range want.WriteConcernErrors {
		one := got.WriteConcernErrors[i]
		d := writeFailure(int32(one.Code), one.Message, one.Details)
		if err := (matcher{}).match(w, raw(d), true, "writeConcernErrors."+strconv.Itoa(i)); err != nil {
			return err
		}
	}
	return nil
}

// writeFailure returns the document that stands for a write error or a write concern error. One without details has no such
// field.
func writeFailure(code int32, message string, details bson.Raw) bson.D {
	d := bson.Doc("code", code, "message", message)
	if len(details) > 0 {
		d = append(d, bson.E{Key: "details", Value: details})
	}
	return d
}

// serverErrors lists the errors inside err that a server has sent.
func serverErrors(err error) []mongo.ServerError {
	var out []mongo.ServerError
	var walk func(error)
	walk = func(err error) {
		switch e := err.(type) {
		case nil:
			return
		case mongo.ClientBulkWriteException: // the single writes count only for writeErrors and writeConcernErrors
			walk(e.Err)
			return
		case mongo.CommandError, mongo.WriteError, mongo.BulkWriteError, mongo.WriteConcernError:
			out = append(out, e.(mongo.ServerError))
			return
		}
		switch u := err.(type) {
		case interface{ Unwrap() error }:
			walk(u.Unwrap())
		case interface{ Unwrap() []error }:
			for _, inner := range u.Unwrap() {
				walk(inner)
			}
		}
	}
	walk(err)
	return out
}

func isFromServer(err error) bool {
	if bulk, ok := errors.AsType[mongo.ClientBulkWriteException](err); ok && len(bulk.WriteErrors)+len(bulk.WriteConcernErrors) > 0 {
		return true
	}
	return len(serverErrors(err)) > 0
}

func codes(err error) []errcode.Code {
	var out []errcode.Code
	for _, e := range serverErrors(err) {
		out = append(out, e.ErrorCodes()...)
	}
	return out
}

// codeNames returns the names that the server gave, and the names of the codes that it gave without one.
func codeNames(err error) []string {
	var out []string
	for _, e := range serverErrors(err) {
		switch e := e.(type) {
		case mongo.CommandError:
			out = append(out, e.Name)
		case mongo.WriteConcernError:
			out = append(out, e.Name)
		}
		for _, code := range e.ErrorCodes() {
			out = append(out, code.String())
		}
	}
	return out
}

// response returns the server's reply inside an error.
func response(err error) bson.Raw {
	if e, ok := errors.AsType[mongo.CommandError](err); ok {
		return e.Raw
	}
	if e, ok := errors.AsType[mongo.WriteException](err); ok {
		return e.Raw
	}
	return nil
}
