// Data of the module github.com/specdrivers/onion, apart from it so that nobody downloads it with the driver. There are no packages here.
module github.com/specdrivers/onion/runtime/internal/encrypt/payload/testdata

go 1.26.0
