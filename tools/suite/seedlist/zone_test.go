package seedlist_test

import (
	"errors"
	"net"
	"testing"

	"github.com/specdrivers/onion/tools/suite/seedlist"
)

func TestZoneAnswersLikeAResolver(t *testing.T) {
	z := seedlist.Zone{seedlist.SRV("_mongodb._tcp.a.example", 5, "h.example"), seedlist.SRV("_other._tcp.a.example", 6, "h.example"), seedlist.TXT("a.example", "x=y")}
	_, found, err := z.LookupSRV(t.Context(), "mongodb", "tcp", "A.example.")
	if err != nil || len(found) != 1 || found[0].Port != 5 || found[0].Target != "h.example." {
		t.Errorf("SRV: %v, %v", found, err)
	}
	if text, err := z.LookupTXT(t.Context(), "a.example"); err != nil || len(text) != 1 || text[0] != "x=y" {
		t.Errorf("TXT: %v, %v", text, err)
	}
	_, _, err = z.LookupSRV(t.Context(), "mongodb", "tcp", "b.example")
	if e, ok := errors.AsType[*net.DNSError](err); !ok || !e.IsNotFound {
		t.Errorf("no SRV: %v", err)
	}
	_, err = z.LookupTXT(t.Context(), "b.example")
	if e, ok := errors.AsType[*net.DNSError](err); !ok || !e.IsNotFound {
		t.Errorf("no TXT: %v", err)
	}
}
