// Package encode turns what a program passes into BSON: documents to insert, filters, updates, pipelines and the models of
// bulk writes. It refuses what no server must see, with an error that says what to pass instead.
//
// Package mongo and the rooms below it import it. It knows no operation and no client.
package encode
