module github.com/specdrivers/onion/tools/simulate

go 1.26.0

replace github.com/specdrivers/onion => ../..

require (
	github.com/anishathalye/porcupine v1.3.1
	github.com/specdrivers/onion v0.0.0-00010101000000-000000000000
)

require (
	github.com/blevesearch/snowballstem v0.9.0 // indirect
	github.com/dlclark/regexp2/v2 v2.5.2 // indirect
	github.com/golang/snappy v1.0.0 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/kljensen/snowball v0.10.0 // indirect
	github.com/xdg-go/scram v1.4.0 // indirect
	github.com/xdg-go/stringprep v1.0.4 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)
