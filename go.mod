module github.com/specdrivers/onion

go 1.26.0

require (
	github.com/dave/jennifer v1.7.1
	github.com/golang/snappy v1.0.0
	github.com/klauspost/compress v1.20.3
	github.com/xdg-go/scram v1.4.0
	golang.org/x/crypto v0.58.0
	golang.org/x/net v0.62.0
	golang.org/x/text v0.43.0
	gopkg.in/yaml.v3 v3.0.1
)

require github.com/xdg-go/stringprep v1.0.4
