package shop

import "fmt"

// item has no name of the driver in its file.
type item struct {
	Name     string `bson:"name, omitempty" json:"name,omitempty"`
	Price    int    `json:"price" bson:"price,required"`
	Stock    int    "stock, omitempty"
	Shelf    string "bson:\"shelf,omitEmpty\""
	Size     size   `bson:"inline"`
	Note     string `bson:"omitempty"`
	Since    int64  `bson:"since,omitzero,minsize"`
	Hidden   string `bson:"-"`
	Plain    string `bson:"plain,omitempty"`
	JSONOnly string `json:"a, omitempty"`
}

type size struct {
	Width int `bson:",omitempty,"`
}

func (i item) describe() string {
	return fmt.Sprint(i.Name, i.Price)
}
