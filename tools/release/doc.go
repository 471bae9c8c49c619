// Release says what a release would break, and prepares one.
//
//	go run ./tools/release -check            # what would break a user since the last tag
//	go run ./tools/release -write v0.3.0     # real versions in every nested go.mod, and in CHANGELOG.md
//	go run ./tools/release -try v0.3.0       # each module in a fresh one, from a local file proxy
//	go run ./tools/release -tag v0.3.0       # one tag for each module
//	go run ./tools/release -develop          # nested modules use this tree again
//
// -check compares what each package for users exports with the last tag; README.md says which packages those are. It uses
// apidiff of golang.org/x/exp, which tools/lint pins. A repository without a tag has nothing to break, and -check says so.
//
// -write replaces the versions and the replace directives that nested modules use while they are developed. -try zips
// every module as the Go module proxy would, and builds all of its packages from a module that knows nothing of this
// repository; -keep DIR leaves the zips in DIR, for whoever attests where they come from. -tag makes the tags, signed if git has
// a key, but does not push them. What is tagged has no replace directives; -develop puts them back for the next commit, because
// nested modules would otherwise be built with the release, and have no sum of it. The release workflow calls the four in this order.
package main
