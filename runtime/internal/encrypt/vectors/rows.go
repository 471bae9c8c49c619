package vectors

// row names the package in the folder of encryption whose tests read some files, or says why no test reads them.
type row struct {
	files  string // a pattern of paths below the folder of encryption; ** matches any number of folders
	reader string
	reason string
}

const (
	isRefused = "the driver refuses the command; this is what would follow"
	noProcess = "there is no process mongocryptd to say hello to: query analysis is a function call"
)

// rows are read in order; the first one that fits a file counts.
var rows = []row{
	{files: "testdata/vectors/**/ismaster-to-mongocryptd.json", reason: noProcess},
	{files: "testdata/vectors/**/mongocryptd-ismaster*.json", reason: noProcess},
	{files: "testdata/vectors/fle2-bad-str-encode-version/bad-create-cmd-*", reason: isRefused},
	{files: "testdata/vectors/fle2-bad-str-encode-version/encrypted-payload.json", reason: isRefused},
	{files: "testdata/vectors/hmac-sha256-nist-cavp.json", reader: "aead"},
	{files: "testdata/vectors/kms-*/**", reader: "kms"},
	{files: "testdata/vectors/keys/*-reply.txt", reader: "kms"},
	{files: "testdata/vectors/*/kms-*-reply*.txt", reader: "kms"},
	{files: "testdata/vectors/keys/*-key-material.txt", reader: "kms"},
	{files: "testdata/vectors/keys/*-aws-document.json", reader: "key"},
	{files: "testdata/vectors/qe_keyAltName/key-document-aws.json", reader: "key"},
	{files: "testdata/vectors/root/kms-*", reader: "kms"},
	{files: "testdata/vectors/root/kek-tests.json", reader: "kms"},
	{files: "testdata/vectors/root/cache-tests.json", reader: "key"},
	{files: "testdata/vectors/root/key-document-*", reader: "key"},
	{files: "testdata/vectors/**", reader: "encrypt"},
	{files: "aead/testdata/**", reader: "aead"},
	{files: "payload/testdata/**", reader: "payload"},
	{files: "ranges/testdata/*.gz", reader: "ranges"},
}
