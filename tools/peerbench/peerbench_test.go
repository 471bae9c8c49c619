package main

import (
	"testing"
	"time"
)

func TestTasksRunOnOwnDocuments(t *testing.T) {
	docs, source, err := documents(t.TempDir())
	if err != nil || len(docs) != 3 {
		t.Fatalf("%d documents from %s: %v", len(docs), source, err)
	}
	for _, doc := range docs {
		if err := doc.raw.Validate(); err != nil {
			t.Errorf("%s: %v", doc.name, err)
		}
	}
	for _, task := range bsonTasks(docs) {
		if task.sides[0].name != "official" || len(task.sides) != 2 {
			t.Errorf("%s does not compare with the official driver first", task.name)
		}
		for _, r := range measure(task.sides, 1, 10*time.Microsecond) {
			if r.Nanoseconds <= 0 {
				t.Errorf("%s: %s took no time", task.name, r.Side)
			}
		}
	}
}
