"""What pymongo does with a deployment: prints one line for each step and exits with an error at the first that fails."""
import sys

import pymongo
from pymongo.errors import DuplicateKeyError

client = pymongo.MongoClient(sys.argv[1], serverSelectionTimeoutMS=5000)


def check(step, ok):
    print(step, "ok" if ok else "FAILED")
    if not ok:
        sys.exit(1)


client.admin.command("ping")
db = client.pymongo
db.users.drop()
check("insert", len(db.users.insert_many([{"_id": i, "n": i % 3} for i in range(500)]).inserted_ids) == 500)
check("cursor", [d["_id"] for d in db.users.find({"n": 1}, batch_size=20).sort("_id", -1)] == list(range(499, 0, -3)))
check("update", db.users.update_many({"n": 2}, {"$set": {"n": 5}}).modified_count == 166)
check("upsert", db.users.replace_one({"_id": "x"}, {"n": 9}, upsert=True).upserted_id == "x")
check("count", db.users.count_documents({"n": {"$gte": 5}}) == 167)
check("distinct", sorted(db.users.distinct("n")) == [0, 1, 5, 9])
check("aggregate", list(db.users.aggregate([{"$group": {"_id": "$n", "c": {"$sum": 1}}}, {"$sort": {"_id": 1}}]))[0] == {"_id": 0, "c": 167})
check("find and modify", db.users.find_one_and_delete({"_id": "x"})["n"] == 9)
db.users.create_index("n")
check("indexes", set(db.users.index_information()) == {"_id_", "n_1"})
try:
    db.users.insert_one({"_id": 1})
    check("duplicate", False)
except DuplicateKeyError as error:
    check("duplicate", error.code == 11000)
result = db.users.bulk_write([pymongo.InsertOne({"_id": 1000}), pymongo.UpdateOne({"_id": 1000}, {"$set": {"n": 1}}), pymongo.DeleteOne({"_id": 1000})])
check("bulk write", (result.inserted_count, result.modified_count, result.deleted_count) == (1, 1, 1))
with client.start_session() as session:
    check("session", db.users.find_one({"_id": 1}, session=session)["n"] == 1)
check("delete", db.users.delete_many({}).deleted_count == 500)
