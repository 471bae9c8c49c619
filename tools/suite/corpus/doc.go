// Package corpus serves compiled tests, not users: it runs the cases of the BSON corpus: documents as BSON and as extended
// JSON that mean the same, and input that must be refused. BSON Corpus, "Testing validity".
package corpus
