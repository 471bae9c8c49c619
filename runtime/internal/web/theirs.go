package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"net/url"
	"reflect"

	"github.com/specdrivers/onion/generated/options"
)

// theirs calls the method Do of an *http.Client, or of a type of the program that stands in for one. It does so by
// reflection, because to name http.Request in Go imports net/http.
type theirs struct {
	call reflect.Value // func(*http.Request) (*http.Response, error)
}

func newTheirs(own options.HTTPClient) (*theirs, error) {
	v := reflect.ValueOf(own)
	if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, nil
	}
	do := v.MethodByName("Do") // a constant, so that the linker keeps the methods of this name alone
	if !do.IsValid() || do.Type().String() != "func(*http.Request) (*http.Response, error)" ||
		do.Type().In(0).Elem().PkgPath() != "net/http" {
		return nil, fmt.Errorf("the HTTPClient is a %T: it needs the method Do of an *http.Client", own)
	}
	return &theirs{do}, nil
}

func (t *theirs) do(ctx context.Context, r Request) (Answer, error) {
	request, err := t.request(ctx, r)
	if err != nil {
		return Answer{}, err
	}
	results := t.call.Call([]reflect.Value{request})
	if err, ok := results[1].Interface().(error); ok {
		return Answer{}, err
	}
	response := results[0].Elem()
	answer := Answer{Status: int(response.FieldByName("StatusCode").Int()), Line: response.FieldByName("Status").String()}
	body, ok := response.FieldByName("Body").Interface().(io.ReadCloser)
	if !ok {
		return Answer{}, errors.New("the HTTPClient gave an answer without a body")
	}
	defer body.Close()
	if answer.Body, err = readAll(body, maxAnswerSize); err != nil {
		return Answer{}, fmt.Errorf("reading the answer of %s: %w", request.Elem().FieldByName("Host").String(), err)
	}
	return answer, nil
}

// request is an *http.Request.
func (t *theirs) request(ctx context.Context, r Request) (reflect.Value, error) {
	to, err := url.Parse(r.Address)
	if err != nil {
		return reflect.Value{}, err
	}
	request := reflect.New(t.call.Type().In(0).Elem())
	request = request.MethodByName("WithContext").Call([]reflect.Value{reflect.ValueOf(ctx)})[0]
	field := request.Elem().FieldByName
	field("Method").SetString(r.Method)
	field("URL").Set(reflect.ValueOf(to))
	field("Host").SetString(to.Host)
	header := reflect.MakeMap(field("Header").Type())
	for name, value := range r.Header {
		header.SetMapIndex(reflect.ValueOf(textproto.CanonicalMIMEHeaderKey(name)), reflect.ValueOf([]string{value}))
	}
	field("Header").Set(header)
	if len(r.Body) > 0 {
		open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(r.Body)), nil }
		body, _ := open()
		field("Body").Set(reflect.ValueOf(body))
		field("GetBody").Set(reflect.ValueOf(open))
		field("ContentLength").SetInt(int64(len(r.Body)))
	}
	return request, nil
}
