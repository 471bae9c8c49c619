"""What pymongo does with a deployment: peer.py URI GROUP... runs the groups of steps that are named, prints one line for each
step, and exits with an error at the first that fails."""
import sys

import bson
import gridfs
import pymongo
from pymongo import monitoring
from pymongo.errors import AutoReconnect, BulkWriteError, DuplicateKeyError, OperationFailure, WriteError


class Commands(monitoring.CommandListener):
    """Keeps the names of the commands that were sent, and of those that failed."""

    def __init__(self):
        self.sent, self.failed_ones = [], []

    def started(self, event):
        self.sent.append(event.command_name)

    def succeeded(self, event):
        pass

    def failed(self, event):
        self.failed_ones.append(event.command_name)


seen = Commands()
client = pymongo.MongoClient(sys.argv[1], heartbeatFrequencyMS=500, event_listeners=[seen])
client.admin.command("ping")
db = client.pymongo
standalone = "setName" not in client.admin.command("isMaster") and client.admin.command("isMaster").get("msg") != "isdbgrid"


def check(step, ok):
    print(step, "ok" if ok else "FAILED")
    if not ok:
        sys.exit(1)


def code_of(run, kind=OperationFailure):
    try:
        run()
    except kind as error:
        return error.code
    return None


def crud():
    db.users.drop()
    check("insert", len(db.users.insert_many([{"_id": i, "n": i % 3} for i in range(500)]).inserted_ids) == 500)
    check("cursor", [d["_id"] for d in db.users.find({"n": 1}, batch_size=20).sort("_id", -1)] == list(range(499, 0, -3)))
    check("projection", db.users.find_one({"_id": 4}, {"_id": 0, "n": 1}) == {"n": 1})
    check("update", db.users.update_many({"n": 2}, {"$set": {"n": 5}}).modified_count == 166)
    check("upsert", db.users.replace_one({"_id": "x"}, {"n": 9}, upsert=True).upserted_id == "x")
    check("count", db.users.count_documents({"n": {"$gte": 5}}) == 167)
    check("estimated count", db.users.estimated_document_count() == 501)
    check("distinct", sorted(db.users.distinct("n")) == [0, 1, 5, 9])
    group = [{"$group": {"_id": "$n", "c": {"$sum": 1}}}, {"$sort": {"_id": 1}}]
    check("aggregate", list(db.users.aggregate(group))[0] == {"_id": 0, "c": 167})
    check("find and modify", db.users.find_one_and_delete({"_id": "x"})["n"] == 9)
    check("duplicate", code_of(lambda: db.users.insert_one({"_id": 1}), DuplicateKeyError) == 11000)
    result = db.users.bulk_write([pymongo.InsertOne({"_id": 1000}), pymongo.UpdateOne({"_id": 1000}, {"$set": {"n": 1}}), pymongo.DeleteOne({"_id": 1000})])
    check("bulk write", (result.inserted_count, result.modified_count, result.deleted_count) == (1, 1, 1))
    check("unordered bulk write", code_of(lambda: db.users.bulk_write([pymongo.InsertOne({"_id": 1}), pymongo.InsertOne({"_id": 1001})], ordered=False), BulkWriteError) == 65)
    check("the rest of the unordered bulk write", db.users.find_one({"_id": 1001}) is not None)
    with client.start_session(causal_consistency=True) as session:
        check("session", db.users.find_one({"_id": 1}, session=session)["n"] == 1)
    filtered = db.users.update_one({"_id": 7}, {"$set": {"a": [1, 5, 9]}}) and db.users.update_one({"_id": 7}, {"$inc": {"a.$[e]": 1}}, array_filters=[{"e": {"$gt": 3}}])
    check("array filters", filtered.modified_count == 1 and db.users.find_one({"_id": 7})["a"] == [1, 6, 10])
    check("delete", db.users.delete_many({}).deleted_count == 501)
    db.types.drop()
    values = {"_id": 1, "int64": bson.Int64(2**40), "decimal": bson.Decimal128("1.10"), "binary": bson.Binary(b"x", 5), "regex": bson.Regex("^a", "i"), "code": bson.Code("f()"),
              "timestamp": bson.Timestamp(1, 2), "min": bson.MinKey(), "max": bson.MaxKey(), "null": None, "nested": {"a": [{"b": [1.5, True]}]}}
    db.types.insert_one(values)
    check("types", db.types.find_one() == values)


def collections():
    for name in ("things", "ring", "view", "checked"):
        db.drop_collection(name)
    db.things.create_index([("n", pymongo.ASCENDING), ("m", pymongo.DESCENDING)], unique=True)
    check("indexes", set(db.things.index_information()) == {"_id_", "n_1_m_-1"})
    db.things.insert_many([{"_id": 1, "n": 1, "m": 1}, {"_id": 2, "n": 2, "m": 1}])
    check("unique index", code_of(lambda: db.things.insert_one({"n": 1, "m": 1}), DuplicateKeyError) == 11000)
    db.things.drop_index("n_1_m_-1")
    check("dropped index", set(db.things.index_information()) == {"_id_"})
    db.create_collection("ring", capped=True, size=4096, max=2)
    db.ring.insert_many([{"_id": i} for i in range(4)])
    cursor = db.ring.find(cursor_type=pymongo.CursorType.TAILABLE)
    check("capped and tailable", [d["_id"] for d in cursor] == [2, 3] and cursor.alive)
    db.ring.insert_one({"_id": 9})
    check("the tail", [d["_id"] for d in cursor] == [9])
    cursor.close()
    db.create_collection("view", viewOn="things", pipeline=[{"$match": {"n": 2}}])
    check("view", [d["_id"] for d in db.view.find()] == [2])
    db.create_collection("checked", validator={"n": {"$gte": 0}})
    check("validator", code_of(lambda: db.checked.insert_one({"n": -1}), WriteError) == 121)
    check("collation", db.things.count_documents({"s": "a"}, collation={"locale": "en", "strength": 2}) == 0)
    check("lists", {"things", "ring", "view", "checked"} <= set(db.list_collection_names()) and "pymongo" in client.list_database_names())
    db.things.rename("renamed", dropTarget=True)
    check("rename", db.renamed.count_documents({}) == 2)
    joined = list(db.renamed.aggregate([{"$lookup": {"from": "ring", "localField": "m", "foreignField": "_id", "as": "r"}}, {"$out": "joined"}]))
    check("$lookup and $out", joined == [] and db.joined.count_documents({"r": []}) == 2)


def files():
    db.drop_collection("fs.files"), db.drop_collection("fs.chunks")
    bucket = gridfs.GridFSBucket(db, chunk_size_bytes=1000)
    content = bytes(range(256)) * 50
    id = bucket.upload_from_stream("layers", content)
    check("upload", db["fs.chunks"].count_documents({}) == 13)
    check("download", bucket.open_download_stream(id).read() == content)
    bucket.delete(id)
    check("deleted file", db["fs.chunks"].count_documents({}) == 0)


def fail(mode, **data):
    client.admin.command("configureFailPoint", "failCommand", mode=mode, data=data)


def faults():
    """A write or a read that fails once is tried again, and takes effect once. A standalone server takes no transaction numbers."""
    db.once.drop()
    db.once.insert_one({"_id": 0, "n": 0})
    n = 0
    wire = client.admin.command("isMaster")["maxWireVersion"]
    for data in ({"closeConnection": True}, {"errorCode": 262, "errorLabels": ["RetryableWriteError"]},
                 {"writeConcernError": {"code": 91, "errmsg": "stopping"}, "errorLabels": ["RetryableWriteError"]}):
        # Old versions look for the label of a write concern error in the wrong place, and do not try again.
        again = not standalone and ("writeConcernError" not in data or wire < 9 or pymongo.version_tuple >= (3, 12))
        fail({"times": 1}, failCommands=["update"], **data)
        del seen.sent[:]
        try:
            db.once.update_one({"_id": 0}, {"$inc": {"n": 1}})
            n += 1
            check("update is tried twice", again and seen.sent.count("update") == 2)
        except (AutoReconnect, OperationFailure) as error:
            check("update is tried once: " + str(error), not again and seen.sent.count("update") == 1)
            n += "writeConcernError" in data
    check("updates took effect once", db.once.find_one()["n"] == n)
    for data in ({"closeConnection": True}, {"errorCode": 91}):
        fail({"times": 1}, failCommands=["find"], **data)
        del seen.sent[:]
        check("find is tried twice", db.once.find_one() is not None and seen.sent.count("find") == 2)
    fail({"times": 1}, failCommands=["find"], errorCode=8)
    check("another error comes out", code_of(db.once.find_one) == 8)
    fail({"times": 1}, failCommands=["insert"], blockConnection=True, blockTimeMS=20)
    check("a blocked command", db.once.insert_one({}).acknowledged)


def stepdown():
    """The primary steps down; the client finds the next one and goes on."""
    db.steps.drop()
    for i in range(3):
        before = client.primary
        client.admin.command("replSetStepDown", 1, force=True)
        db.steps.insert_one({"_id": i})
        check("another primary", client.primary != before)
    check("documents", db.steps.count_documents({}) == 3)
    secondary = db.get_collection("steps", read_preference=pymongo.ReadPreference.SECONDARY)
    check("read from a secondary", len(list(secondary.find())) == 3)
    majority = db.get_collection("steps", read_concern=pymongo.read_concern.ReadConcern("majority"), write_concern=pymongo.WriteConcern(w=3, wtimeout=1000))
    majority.insert_one({"_id": 10})
    check("majority", majority.find_one({"_id": 10}) is not None)
    impossible = db.get_collection("steps", write_concern=pymongo.WriteConcern(w=7))
    check("write concern error", code_of(lambda: impossible.insert_one({}), OperationFailure) == 100)


for group in sys.argv[2:]:
    {"crud": crud, "collections": collections, "files": files, "faults": faults, "stepdown": stepdown}[group]()
client.close()
