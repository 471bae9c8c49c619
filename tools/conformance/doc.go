// Conformance compiles the tests of a checkout of the MongoDB specifications into Go, runs them, and reports how many
// cases of each suite pass.
//
//	go run ./tools/conformance -specs DIR [-suite NAME,...] [-run RE] [-json FILE] [-html FILE] [-readme FILE] [-pending] [-repeat]
//	go run ./tools/conformance -specs DIR -server URI [-single-balancer URI -several-balancer URI] ...
//	go run ./tools/conformance -rows
//
// Every case in the files counts as passed, failed or skipped. A case that cannot be compiled or built has failed, with
// the reason as its message. A case is skipped only by a row of specs/skips.yaml, or by its file, for every driver. The
// exit status is 1 when a case fails; with -pending, when the failures differ from the list in specs/pending.yaml.
//
// The 4,473 cases of the checkout of June 2026 compile to 984 files with 99,300 lines, 5.3 MB; those of specs/cases to
// 201 files with 24,900 lines, 1.1 MB. To build and vet the whole module with them, and to link every test, takes 371
// seconds of processor time with an empty cache, a little over 3 minutes on two cores, and 9 seconds when nothing has
// changed.
//
// Cases of the unified format run on deployments in memory: on every topology that they accept, with the oldest server,
// the newest and 8.0, in virtual time. With -server they run on that deployment instead, on the real clock; cases whose
// requirements it does not meet are skipped. The deployment must have the parameter enableTestCommands, and its data is
// lost.
//
// With -repeat everything runs three times: as it is, with the race detector, and while other work keeps every
// processor busy. The exit status is 1 when the outcome of a case on a deployment differs between runs.
//
// With -rows it looks at our own tests instead. A case in specs/cases must touch each row of each table in specs. For the
// tables whose rows the cases do not record, one of our tests must name the row in an identifier or a string. A test that
// names a row does not necessarily check it; tools/mutate measures that. specs/coverage.yaml lists the rows that neither
// reaches, with the upstream suite that exercises them, and pins their number. Rows that decide nothing are left out: error
// codes without a class, how texts fold, and the files of load.FilesWithoutBehaviour.
package main
