package conn_test

import (
	"testing"

	"github.com/specdrivers/onion/generated/core/wire"
)

// Numbers that other servers and clients share.
func TestNumbersOfTheWireProtocol(t *testing.T) {
	for _, tt := range []struct {
		name      string
		got, want int
	}{
		{"OP_REPLY", int(wire.OpReply), 1},
		{"OP_QUERY", int(wire.OpQuery), 2004},
		{"OP_COMPRESSED", int(wire.OpCompressed), 2012},
		{"OP_MSG", int(wire.OpMsg), 2013},
		{"checksumPresent", int(wire.ChecksumPresent), 1},
		{"moreToCome", int(wire.MoreToCome), 2},
		{"exhaustAllowed", int(wire.ExhaustAllowed), 1 << 16},
		{"unknown required bits", int(wire.MsgFlag(0xFFFFFFFF).Unknown()), 0xFFFC},
		{"body", wire.KindBody, 0},
		{"document sequence", wire.KindDocumentSequence, 1},
		{"header", wire.HeaderSize, 16},
		{"maxBsonObjectSize", wire.DefaultMaxBSONObjectSize, 16 * 1024 * 1024},
		{"maxMessageSizeBytes", wire.DefaultMaxMessageSizeBytes, 48_000_000},
		{"maxWriteBatchSize", wire.DefaultMaxWriteBatchSize, 100_000},
		{"room for a command", wire.CommandOverhead, 16 * 1024},
		{"room for bulkWrite", wire.BulkWriteOverhead, 1000},
		{"Header: MessageLength", wire.HeaderMessageLengthAt, 0},
		{"Header: RequestID", wire.HeaderRequestIDAt, 4},
		{"Header: ResponseTo", wire.HeaderResponseToAt, 8},
		{"Header: OpCode", wire.HeaderOpCodeAt, 12},
		{"Msg: FlagBits", wire.MsgFlagBitsAt, 0},
		{"Msg: Sections", wire.MsgSectionsAt, 4},
		{"Msg: Checksum", wire.MsgChecksumSize, 4},
		{"Section: PayloadType", wire.SectionPayloadTypeAt, 0},
		{"Section: Payload", wire.SectionPayloadAt, 1},
		{"Sequence: Size", wire.SequenceSizeAt, 0},
		{"Sequence: Identifier", wire.SequenceIdentifierAt, 4},
		{"Compressed: OriginalOpcode", wire.CompressedOriginalOpcodeAt, 0},
		{"Compressed: UncompressedSize", wire.CompressedUncompressedSizeAt, 4},
		{"Compressed: CompressorID", wire.CompressedCompressorIDAt, 8},
		{"Compressed: Message", wire.CompressedMessageAt, 9},
		{"least wire version", wire.MinSupportedWireVersion, 8},
		{"zlib default", wire.ZlibDefaultLevel, -1},
		{"zlib without compression", wire.ZlibNoCompression, 0},
		{"zlib fastest", wire.ZlibBestSpeed, 1},
		{"zlib smallest", wire.ZlibBestCompression, 9},
	} {
		if tt.got != tt.want {
			t.Errorf("%s is %d, want %d", tt.name, tt.got, tt.want)
		}
	}
}

func TestCompressorsHaveTheirNumbers(t *testing.T) {
	for i, name := range []string{"noop", "snappy", "zlib", "zstd"} {
		id, ok := wire.CompressorByName(name)
		if !ok || int(id) != i || id.String() != name {
			t.Errorf("CompressorByName(%s) = %d, %t, %s", name, id, ok, id)
		}
	}
}

// OP_COMPRESSED, "Messages not allowed to be compressed".
func TestCommandsThatAreNotCompressed(t *testing.T) {
	for _, name := range []string{
		"hello", "isMaster", "ismaster", "saslStart", "saslContinue", "getnonce", "authenticate", "createUser", "updateUser",
		"copydbSaslStart", "copydbgetnonce", "copydb",
	} {
		if !wire.Uncompressible(name) {
			t.Errorf("%s is compressed", name)
		}
	}
	for _, name := range []string{"", "find", "insert", "ping"} {
		if wire.Uncompressible(name) {
			t.Errorf("%s is not compressed", name)
		}
	}
}

func TestArgumentsThatTravelAsSequences(t *testing.T) {
	for command, argument := range map[string]string{"insert": "documents", "update": "updates", "delete": "deletes", "bulkWrite": "ops"} {
		if got := wire.SequenceIdentifier(command); got != argument {
			t.Errorf("the sequence of %s is %q", command, got)
		}
	}
	if got := wire.CompanionIdentifier("bulkWrite"); got != "nsInfo" {
		t.Errorf("the companion of bulkWrite's ops is %q", got)
	}
	if got := wire.CompanionIdentifier("insert"); got != "" {
		t.Errorf("the companion of insert's documents is %q", got)
	}
	if got := wire.SequenceIdentifier("find"); got != "" {
		t.Errorf("the sequence of find is %q", got)
	}
}

// Wire version specification: each release speaks one version.
func TestWireVersionsOfReleases(t *testing.T) {
	for version, release := range map[int32]string{
		2: "2.6", 3: "3.0", 4: "3.2", 5: "3.4", 6: "3.6", 7: "4.0", 8: "4.2", 9: "4.4", 13: "5.0", 14: "5.1", 15: "5.2", 16: "5.3",
		17: "6.0", 18: "6.1", 19: "6.2", 20: "6.3", 21: "7.0", 22: "7.1", 23: "7.2", 24: "7.3", 25: "8.0", 26: "8.1", 27: "8.2",
		10: "", 12: "", 1: "",
	} {
		if got := wire.VersionFor(version); got != release {
			t.Errorf("wire version %d is of release %q, want %q", version, got, release)
		}
		if got, ok := wire.WireVersionOf(release); ok != (release != "") || ok && got != version {
			t.Errorf("release %q speaks %d, %t, want %d", release, got, ok, version)
		}
	}
	if wire.MinSupportedVersion != wire.VersionFor(wire.MinSupportedWireVersion) {
		t.Errorf("the least release is %s", wire.MinSupportedVersion)
	}
}
