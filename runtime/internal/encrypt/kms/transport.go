package kms

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/specdrivers/onion/generated/core/kmstable"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/conn"
)

// exchange sends a request on a new connection, from which read reads the answer.
func (s *Service) exchange(ctx context.Context, id string, to endpoint, request []byte, read func(*bufio.Reader) error) error {
	ctx, cancel := context.WithTimeout(ctx, kmstable.AttemptTimeout)
	defer cancel()
	nc, err := s.dial(ctx, id, to)
	if err != nil {
		return err
	}
	defer nc.Close()
	defer context.AfterFunc(ctx, func() { _ = nc.SetDeadline(time.Unix(1, 0)) })()
	if _, err = nc.Write(request); err == nil {
		err = read(bufio.NewReader(io.LimitReader(nc, kmstable.MaxAnswerSize)))
	}
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	return err
}

// connectName names the program's function that opens connections in errors.
const connectName = "KMSConnectCallback"

// dial connects to a service and secures the connection with the host's own name, whatever the callback connected to.
//
// Client Side Encryption, "kmsConnectCallback".
func (s *Service) dial(ctx context.Context, id string, to endpoint) (net.Conn, error) {
	dial := func(ctx context.Context) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", to.address())
	}
	if s.connect != nil {
		dial = func(ctx context.Context) (net.Conn, error) {
			return conn.DialWith(ctx, connectName, func(ctx context.Context) (net.Conn, error) { return s.connect(ctx, to.address()) })
		}
	}
	nc, err := dial(ctx)
	if err != nil {
		return nil, err
	}
	t := s.tls[id]
	if t == nil {
		t = s.plainTLS
	}
	secured, err := t.Client(ctx, nc, to.address())
	if err != nil {
		nc.Close()
		return nil, err
	}
	return t.Guard(secured), nil
}

// retry repeats a request as long as attempt says that its error may pass.
func (s *Service) retry(ctx context.Context, attempt func() (passing bool, err error)) error {
	for retries := 0; ; retries++ {
		passing, err := attempt()
		if err == nil || !passing || ctx.Err() != nil {
			return err
		}
		if retries == kmstable.MaxRetries {
			return fmt.Errorf("encrypt: KMS request failed after maximum of %d retries: %w", kmstable.MaxRetries, err)
		}
		delay := min(kmstable.RetryBase<<retries, kmstable.RetryCap)
		if err := sleep(ctx, time.Duration(s.jitter()*float64(delay))); err != nil {
			return err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("encrypt: %w before a request to a KMS was repeated", context.Cause(ctx))
	}
}

// isPassing reports whether a retry may succeed after an error of the network. A panic of the program's function does not pass. Nor
// does a failed TLS handshake: either the driver refused the certificate, or the service sent an alert.
func isPassing(err error) bool {
	if _, certificate := errors.AsType[*tls.CertificateVerificationError](err); certificate {
		return false
	}
	if _, broken := errors.AsType[fault.CallbackError](err); broken {
		return false
	}
	network, ok := errors.AsType[*net.OpError](err)
	return !ok || network.Op != alertOperation
}

// alertOperation is the operation of a net.OpError that holds an alert from the peer. Package crypto/tls does not export
// the type of the alert.
const alertOperation = "remote error"
