package conn

import (
	"testing"

	"github.com/specdrivers/onion/generated/core/wire"
)

// OP_COMPRESSED, "MongoDB Handshake Amendment".
func TestHandshakeListsItsCompressors(t *testing.T) {
	for _, tt := range []struct {
		name        string
		compressors []wire.CompressorID
		want        string
	}{
		{"none", nil, "[]"},
		{"one", []wire.CompressorID{wire.CompressorZlib}, `["zlib"]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hello := (&Handshake{Compressors: tt.compressors}).command()
			if got := hello.Lookup(wire.FieldCompression).String(); got != tt.want {
				t.Errorf("compression %s, want %s", got, tt.want)
			}
		})
	}
}
