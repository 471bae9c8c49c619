/* What libmongoc does with a deployment: peer URI GROUP... runs the groups of steps that are named, prints one line for each
 * step, and exits with an error at the first that fails. A pooled client monitors in the background, and streams. */
#include <mongoc/mongoc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static mongoc_client_t *client;
static atomic_int awaited, new_primary, heartbeats;
static atomic_int updates, finds; /* commands that were sent */

static void check(const char *step, bool ok, const bson_error_t *error) {
	printf("%s %s%s%s\n", step, ok ? "ok" : "FAILED", error && error->message[0] ? ": " : "", error ? error->message : "");
	if (!ok) exit(1);
}

static void heartbeat_succeeded(const mongoc_apm_server_heartbeat_succeeded_t *event) {
	atomic_fetch_add(&heartbeats, 1);
	if (mongoc_apm_server_heartbeat_succeeded_get_awaited(event)) atomic_fetch_add(&awaited, 1);
}

static void server_changed(const mongoc_apm_server_changed_t *event) {
	const char *before = mongoc_server_description_type(mongoc_apm_server_changed_get_previous_description(event));
	const char *after = mongoc_server_description_type(mongoc_apm_server_changed_get_new_description(event));
	if (!strcmp(after, "RSPrimary") && strcmp(before, "RSPrimary")) atomic_fetch_add(&new_primary, 1);
}

static void started(const mongoc_apm_command_started_t *event) {
	const char *name = mongoc_apm_command_started_get_command_name(event);
	if (!strcmp(name, "update")) atomic_fetch_add(&updates, 1);
	if (!strcmp(name, "find")) atomic_fetch_add(&finds, 1);
}

static bool run(const char *db, bson_t *command, bson_error_t *error) {
	bool ok = mongoc_client_command_simple(client, db, command, NULL, NULL, error);
	bson_destroy(command);
	return ok;
}

static int64_t count(mongoc_collection_t *c, bson_error_t *error) {
	bson_t all = BSON_INITIALIZER;
	return mongoc_collection_count_documents(c, &all, NULL, NULL, NULL, error);
}

static void crud(void) {
	bson_error_t error = {0};
	mongoc_collection_t *c = mongoc_client_get_collection(client, "libmongoc", "users");
	mongoc_collection_drop(c, NULL);
	bson_t all = BSON_INITIALIZER, reply, *docs[500], *doc;
	for (int i = 0; i < 500; i++) docs[i] = BCON_NEW("_id", BCON_INT32(i), "n", BCON_INT32(i % 3));
	check("insert", mongoc_collection_insert_many(c, (const bson_t **) docs, 500, NULL, NULL, &error), &error);
	for (int i = 0; i < 500; i++) bson_destroy(docs[i]);
	doc = BCON_NEW("_id", BCON_INT32(1));
	check("duplicate", !mongoc_collection_insert_one(c, doc, NULL, NULL, &error) && error.code == 11000, NULL);
	bson_destroy(doc);

	bson_t *query = BCON_NEW("n", BCON_INT32(1)), *opts = BCON_NEW("batchSize", BCON_INT32(20), "sort", "{", "_id", BCON_INT32(-1), "}");
	mongoc_cursor_t *cursor = mongoc_collection_find_with_opts(c, query, opts, NULL);
	const bson_t *found;
	int n = 0, last = 500;
	while (mongoc_cursor_next(cursor, &found)) {
		bson_iter_t it;
		n += bson_iter_init_find(&it, found, "_id") && bson_iter_int32(&it) < last;
		last = bson_iter_int32(&it);
	}
	check("cursor", !mongoc_cursor_error(cursor, &error) && n == 167, &error);
	mongoc_cursor_destroy(cursor);
	bson_destroy(query), bson_destroy(opts);

	query = BCON_NEW("n", BCON_INT32(2)), doc = BCON_NEW("$set", "{", "n", BCON_INT32(5), "}");
	check("update", mongoc_collection_update_many(c, query, doc, NULL, &reply, &error), &error);
	bson_iter_t it;
	check("modified", bson_iter_init_find(&it, &reply, "modifiedCount") && bson_iter_int32(&it) == 166, NULL);
	bson_destroy(&reply), bson_destroy(query), bson_destroy(doc);

	bson_t *pipeline = BCON_NEW("pipeline", "[", "{", "$group", "{", "_id", "$n", "c", "{", "$sum", BCON_INT32(1), "}", "}", "}", "{", "$sort", "{", "_id", BCON_INT32(1), "}", "}", "]");
	cursor = mongoc_collection_aggregate(c, MONGOC_QUERY_NONE, pipeline, NULL, NULL);
	check("aggregate", mongoc_cursor_next(cursor, &found) && bson_iter_init_find(&it, found, "c") && bson_iter_int32(&it) == 167, NULL);
	while (mongoc_cursor_next(cursor, &found)) {}
	mongoc_cursor_destroy(cursor);
	bson_destroy(pipeline);

	mongoc_bulk_operation_t *bulk = mongoc_collection_create_bulk_operation_with_opts(c, NULL);
	doc = BCON_NEW("_id", BCON_INT32(1000));
	mongoc_bulk_operation_insert(bulk, doc);
	mongoc_bulk_operation_remove_one(bulk, doc);
	check("bulk write", mongoc_bulk_operation_execute(bulk, NULL, &error) != 0, &error);
	mongoc_bulk_operation_destroy(bulk);
	bson_destroy(doc);

	mongoc_find_and_modify_opts_t *modify = mongoc_find_and_modify_opts_new();
	doc = BCON_NEW("$inc", "{", "n", BCON_INT32(10), "}"), query = BCON_NEW("_id", BCON_INT32(0));
	mongoc_find_and_modify_opts_set_update(modify, doc);
	mongoc_find_and_modify_opts_set_flags(modify, MONGOC_FIND_AND_MODIFY_RETURN_NEW);
	check("find and modify", mongoc_collection_find_and_modify_with_opts(c, query, modify, &reply, &error), &error);
	bson_iter_t inner;
	check("its document", bson_iter_init(&it, &reply) && bson_iter_find_descendant(&it, "value.n", &inner) && bson_iter_int32(&inner) == 10, NULL);
	bson_destroy(&reply), bson_destroy(doc), bson_destroy(query);
	mongoc_find_and_modify_opts_destroy(modify);
	check("index", run("libmongoc", BCON_NEW("createIndexes", "users", "indexes", "[", "{", "key", "{", "n", BCON_INT32(1), "}", "name", "n_1", "}", "]"), &error), &error);
	check("count", count(c, &error) == 500, &error);
	check("delete", mongoc_collection_delete_many(c, &all, NULL, NULL, &error), &error);
	mongoc_collection_destroy(c);
}

static void session(void) {
	bson_error_t error = {0};
	mongoc_client_session_t *s = mongoc_client_start_session(client, NULL, &error);
	check("session", s != NULL, &error);
	bson_t opts = BSON_INITIALIZER, *doc = BCON_NEW("x", BCON_INT32(1));
	mongoc_client_session_append(s, &opts, &error);
	mongoc_collection_t *c = mongoc_client_get_collection(client, "libmongoc", "session");
	check("a write of the session", mongoc_collection_insert_one(c, doc, &opts, NULL, &error), &error);
	mongoc_cursor_t *cursor = mongoc_collection_find_with_opts(c, doc, &opts, NULL);
	const bson_t *found;
	check("its own write", mongoc_cursor_next(cursor, &found), NULL);
	mongoc_cursor_destroy(cursor);
	bson_destroy(doc), bson_destroy(&opts);
	mongoc_collection_destroy(c);
	mongoc_client_session_destroy(s);
}

static void files(void) {
	bson_error_t error = {0};
	mongoc_database_t *db = mongoc_client_get_database(client, "libmongoc");
	mongoc_gridfs_bucket_t *bucket = mongoc_gridfs_bucket_new(db, NULL, NULL, &error);
	check("bucket", bucket != NULL, &error);
	static char content[600000], back[600000];
	for (size_t i = 0; i < sizeof content; i++) content[i] = (char) (i * 31);
	bson_value_t id;
	mongoc_stream_t *up = mongoc_gridfs_bucket_open_upload_stream(bucket, "layers", NULL, &id, &error);
	check("upload", up && mongoc_stream_write(up, content, sizeof content, 0) == sizeof content, &error);
	mongoc_stream_close(up), mongoc_stream_destroy(up);
	mongoc_stream_t *down = mongoc_gridfs_bucket_open_download_stream(bucket, &id, &error);
	check("download", down && mongoc_stream_read(down, back, sizeof back, sizeof back, 0) == sizeof back && !memcmp(content, back, sizeof back), &error);
	mongoc_stream_close(down), mongoc_stream_destroy(down);
	check("delete file", mongoc_gridfs_bucket_delete_by_id(bucket, &id, &error), &error);
	bson_value_destroy(&id);
	mongoc_gridfs_bucket_destroy(bucket);
	mongoc_database_destroy(db);
}

/* A write or a read whose connection is closed is tried again. A standalone server takes no transaction numbers. */
static void faults(bool standalone) {
	bson_error_t error = {0};
	mongoc_collection_t *c = mongoc_client_get_collection(client, "libmongoc", "once");
	mongoc_collection_drop(c, NULL);
	bson_t *doc = BCON_NEW("_id", BCON_INT32(0), "n", BCON_INT32(0)), *inc = BCON_NEW("$inc", "{", "n", BCON_INT32(1), "}"), *query = BCON_NEW("_id", BCON_INT32(0));
	check("insert", mongoc_collection_insert_one(c, doc, NULL, NULL, &error), &error);
	check("fail point", run("admin", BCON_NEW("configureFailPoint", "failCommand", "mode", "{", "times", BCON_INT32(1), "}", "data", "{", "failCommands", "[", "update", "]", "errorCode", BCON_INT32(262), "errorLabels", "[", "RetryableWriteError", "]", "}"), &error), &error);
	atomic_store(&updates, 0);
	bool ok = mongoc_collection_update_one(c, query, inc, NULL, NULL, &error);
	check("update after an error", ok != standalone && atomic_load(&updates) == (standalone ? 1 : 2), &error);
	memset(&error, 0, sizeof error);
	check("fail point", run("admin", BCON_NEW("configureFailPoint", "failCommand", "mode", "{", "times", BCON_INT32(1), "}", "data", "{", "failCommands", "[", "find", "]", "closeConnection", BCON_BOOL(true), "}"), &error), &error);
	atomic_store(&finds, 0);
	mongoc_cursor_t *cursor = mongoc_collection_find_with_opts(c, query, NULL, NULL);
	const bson_t *found;
	bson_iter_t it;
	check("find after a closed connection", mongoc_cursor_next(cursor, &found) && atomic_load(&finds) == 2, NULL);
	check("the update took effect once", bson_iter_init_find(&it, found, "n") && bson_iter_int32(&it) == (standalone ? 0 : 1), NULL);
	mongoc_cursor_destroy(cursor);
	bson_destroy(doc), bson_destroy(inc), bson_destroy(query);
	mongoc_collection_destroy(c);
}

/* The client hears of step-downs in its stream of hellos: it asks by itself once in a minute. */
static void stepdown(void) {
	bson_error_t error = {0};
	mongoc_collection_t *c = mongoc_client_get_collection(client, "libmongoc", "steps");
	for (int i = 0; i < 3; i++) {
		bson_t *doc = BCON_NEW("x", BCON_INT32(i));
		check("insert", mongoc_collection_insert_one(c, doc, NULL, NULL, &error), &error);
		bson_destroy(doc);
		int before = atomic_load(&new_primary), streamed = atomic_load(&awaited);
		run("admin", BCON_NEW("replSetStepDown", BCON_INT32(1), "force", BCON_BOOL(true)), &error);
		int64_t start = bson_get_monotonic_time();
		while (atomic_load(&new_primary) == before && bson_get_monotonic_time() - start < 5000000) {
			struct timespec moment = {0, 1000000};
			nanosleep(&moment, NULL);
		}
		check("a new primary in the stream", atomic_load(&new_primary) > before && atomic_load(&awaited) > streamed, NULL);
	}
	check("documents", count(c, &error) == 3, &error);
	mongoc_collection_destroy(c);
}

int main(int argc, char **argv) {
	mongoc_init();
	bson_error_t error = {0};
	mongoc_uri_t *uri = mongoc_uri_new_with_error(argv[1], &error);
	check("connection string", uri != NULL, &error);
	mongoc_client_pool_t *pool = mongoc_client_pool_new(uri);
	mongoc_apm_callbacks_t *callbacks = mongoc_apm_callbacks_new();
	mongoc_apm_set_server_heartbeat_succeeded_cb(callbacks, heartbeat_succeeded);
	mongoc_apm_set_server_changed_cb(callbacks, server_changed);
	mongoc_apm_set_command_started_cb(callbacks, started);
	mongoc_client_pool_set_apm_callbacks(pool, callbacks, NULL);
	client = mongoc_client_pool_pop(pool);
	check("ping", run("admin", BCON_NEW("ping", BCON_INT32(1)), &error), &error);
	bool balanced = mongoc_uri_get_option_as_bool(uri, "loadBalanced", false);
	for (int i = 2; i < argc; i++) {
		if (!strcmp(argv[i], "crud")) crud();
		else if (!strcmp(argv[i], "session")) session();
		else if (!strcmp(argv[i], "files")) files();
		else if (!strcmp(argv[i], "faults")) faults(false);
		else if (!strcmp(argv[i], "faults-standalone")) faults(true);
		else if (!strcmp(argv[i], "stepdown")) stepdown();
		else check(argv[i], false, NULL);
	}
	check("monitoring", (atomic_load(&heartbeats) == 0) == balanced, NULL);
	mongoc_client_pool_push(pool, client);
	mongoc_client_pool_destroy(pool);
	mongoc_apm_callbacks_destroy(callbacks);
	mongoc_uri_destroy(uri);
	mongoc_cleanup();
	return 0;
}
