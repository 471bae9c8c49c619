package mongo

import "github.com/specdrivers/onion/generated/options"

// The writes of a bulk write.
type (
	// WriteModel is one write of a bulk write: a pointer to one of the models, such as *InsertOneModel.
	WriteModel = options.WriteModel
	// InsertOneModel inserts one document. It has the field Document.
	InsertOneModel = options.InsertOneModel
	// UpdateOneModel updates one document that matches a filter. It has the fields Filter, Update, ArrayFilters,
	// Collation, Hint, Sort and Upsert.
	UpdateOneModel = options.UpdateOneModel
	// UpdateManyModel updates every document that matches a filter. It has the fields Filter, Update, ArrayFilters,
	// Collation, Hint and Upsert.
	UpdateManyModel = options.UpdateManyModel
	// ReplaceOneModel replaces one document that matches a filter. It has the fields Filter, Replacement, Collation,
	// Hint, Sort and Upsert.
	ReplaceOneModel = options.ReplaceOneModel
	// DeleteOneModel deletes one document that matches a filter. It has the fields Filter, Collation and Hint.
	DeleteOneModel = options.DeleteOneModel
	// DeleteManyModel deletes every document that matches a filter. It has the fields Filter, Collation and Hint.
	DeleteManyModel = options.DeleteManyModel
)
