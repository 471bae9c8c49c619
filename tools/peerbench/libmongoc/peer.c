/* Runs one task of the benchmarking specification with libmongoc and prints the seconds of each iteration.
 *
 *   peer URI TASK COUNT SECONDS [FILE]
 *
 * COUNT is how often an iteration does the task. FILE holds the document as BSON, or the bytes of a GridFS file. The
 * first iteration warms up and is not printed. */
#include <mongoc/mongoc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint8_t *data;
static size_t size;
static mongoc_client_t *client;
static mongoc_collection_t *corpus;
static mongoc_gridfs_bucket_t *bucket;
static bson_error_t error;

static void check (bool ok, const char *doing)
{
   if (!ok) {
      fprintf (stderr, "%s: %s\n", doing, error.message);
      exit (1);
   }
}

static double now (void)
{
   struct timespec t;
   clock_gettime (CLOCK_MONOTONIC, &t);
   return (double) t.tv_sec + (double) t.tv_nsec / 1e9;
}

static void read_file (const char *name)
{
   FILE *f = fopen (name, "rb");
   if (!f) {
      perror (name);
      exit (1);
   }
   fseek (f, 0, SEEK_END);
   size = (size_t) ftell (f);
   rewind (f);
   data = malloc (size + 1);
   if (!data || fread (data, 1, size, f) != size) {
      perror (name);
      exit (1);
   }
   fclose (f);
}

static void view (bson_t *doc)
{
   if (!bson_init_static (doc, data, size)) {
      fprintf (stderr, "the file holds no document\n");
      exit (1);
   }
}

/* libbson has no values but documents. So decoding visits every value, and encoding appends every value to a new one. */
static volatile int64_t seen;

static void visit (bson_iter_t *i)
{
   while (bson_iter_next (i)) {
      bson_iter_t child;
      seen += bson_iter_value (i)->value_type + bson_iter_key (i)[0];
      if ((BSON_ITER_HOLDS_DOCUMENT (i) || BSON_ITER_HOLDS_ARRAY (i)) && bson_iter_recurse (i, &child)) {
         visit (&child);
      }
   }
}

static void append_all (bson_t *to, bson_iter_t *i)
{
   while (bson_iter_next (i)) {
      bson_iter_t child;
      bson_t inner;
      if (BSON_ITER_HOLDS_DOCUMENT (i) && bson_iter_recurse (i, &child)) {
         bson_append_document_begin (to, bson_iter_key (i), -1, &inner);
         append_all (&inner, &child);
         bson_append_document_end (to, &inner);
      } else if (BSON_ITER_HOLDS_ARRAY (i) && bson_iter_recurse (i, &child)) {
         bson_append_array_begin (to, bson_iter_key (i), -1, &inner);
         append_all (&inner, &child);
         bson_append_array_end (to, &inner);
      } else {
         bson_append_iter (to, bson_iter_key (i), -1, i);
      }
   }
}

static void decode (int count)
{
   bson_t doc;
   bson_iter_t i;
   view (&doc);
   while (count--) {
      bson_iter_init (&i, &doc);
      visit (&i);
   }
}

static void encode (int count)
{
   bson_t doc;
   bson_iter_t i;
   view (&doc);
   while (count--) {
      bson_t to = BSON_INITIALIZER;
      bson_iter_init (&i, &doc);
      append_all (&to, &i);
      bson_destroy (&to);
   }
}

static void run_command (int count)
{
   bson_t *command = BCON_NEW ("hello", BCON_BOOL (true)), reply;
   while (count--) {
      check (mongoc_client_command_simple (client, "perftest", command, NULL, &reply, &error), "hello");
      bson_destroy (&reply);
   }
   bson_destroy (command);
}

static void find (bson_t *filter, const bson_t *opts, int want)
{
   const bson_t *doc;
   int found = 0;
   mongoc_cursor_t *cursor = mongoc_collection_find_with_opts (corpus, filter, opts, NULL);
   while (mongoc_cursor_next (cursor, &doc)) {
      found++;
   }
   check (!mongoc_cursor_error (cursor, &error), "find");
   if (found != want) {
      fprintf (stderr, "%d documents, want %d\n", found, want);
      exit (1);
   }
   mongoc_cursor_destroy (cursor);
}

static void find_by_id (int count)
{
   bson_t *opts = BCON_NEW ("limit", BCON_INT64 (1), "singleBatch", BCON_BOOL (true));
   for (int id = 1; id <= count; id++) {
      bson_t *filter = BCON_NEW ("_id", BCON_INT32 (id));
      find (filter, opts, 1);
      bson_destroy (filter);
   }
   bson_destroy (opts);
}

static void find_all (int count)
{
   bson_t filter = BSON_INITIALIZER;
   find (&filter, NULL, count);
}

static void insert_one (int count)
{
   bson_t doc;
   view (&doc);
   while (count--) {
      check (mongoc_collection_insert_one (corpus, &doc, NULL, NULL, &error), "insert");
   }
}

static void insert_many (int count)
{
   bson_t doc;
   const bson_t **docs = malloc (sizeof *docs * (size_t) count);
   view (&doc);
   for (int i = 0; i < count; i++) {
      docs[i] = &doc;
   }
   check (mongoc_collection_insert_many (corpus, docs, (size_t) count, NULL, NULL, &error), "insert many");
   free (docs);
}

static void bulk (int count, bool mixed)
{
   bson_t doc, empty = BSON_INITIALIZER;
   mongoc_bulk_operation_t *b = mongoc_collection_create_bulk_operation_with_opts (corpus, NULL);
   view (&doc);
   while (count--) {
      check (mongoc_bulk_operation_insert_with_opts (b, &doc, NULL, &error), "bulk insert");
      if (mixed) {
         check (mongoc_bulk_operation_replace_one_with_opts (b, &empty, &doc, NULL, &error), "bulk replace");
         check (mongoc_bulk_operation_remove_one_with_opts (b, &empty, NULL, &error), "bulk remove");
      }
   }
   check (mongoc_bulk_operation_execute (b, NULL, &error), "bulk");
   mongoc_bulk_operation_destroy (b);
}

static void bulk_insert (int count) { bulk (count, false); }

static void bulk_mixed (int count) { bulk (count, true); }

static void upload (int count)
{
   bson_value_t id;
   mongoc_stream_t *s = mongoc_gridfs_bucket_open_upload_stream (bucket, "gridfstest", NULL, &id, &error);
   check (s && count > 0, "opening an upload");
   check (mongoc_stream_write (s, data, size, 0) == (ssize_t) size, "upload");
   mongoc_stream_close (s);
   mongoc_stream_destroy (s);
   bson_value_destroy (&id);
}

static void download (int count)
{
   static uint8_t buffer[1 << 18];
   bson_value_t id;
   ssize_t n;
   mongoc_stream_t *s;
   id.value_type = BSON_TYPE_UTF8;
   id.value.v_utf8.str = "gridfstest";
   id.value.v_utf8.len = 10;
   s = mongoc_gridfs_bucket_open_download_stream (bucket, &id, &error);
   check (s && count > 0, "opening a download");
   while ((n = mongoc_stream_read (s, buffer, sizeof buffer, 1, 0)) > 0) {
      seen += n;
   }
   check (n == 0 && !mongoc_gridfs_bucket_stream_error (s, &error), "download");
   mongoc_stream_destroy (s);
}

/* What a task needs before each iteration. */
enum before { nothing, empty_corpus, empty_bucket };

static const struct {
   const char *name;
   void (*run) (int count);
   enum before before;
} tasks[] = {
   {"encode", encode, nothing},
   {"decode", decode, nothing},
   {"runCommand", run_command, nothing},
   {"findByID", find_by_id, nothing},
   {"findAll", find_all, nothing},
   {"insertOne", insert_one, empty_corpus},
   {"insertMany", insert_many, empty_corpus},
   {"bulkInsert", bulk_insert, empty_corpus},
   {"bulkMixed", bulk_mixed, empty_corpus},
   {"upload", upload, empty_bucket},
   {"download", download, nothing},
};

static void prepare (enum before before)
{
   if (before == empty_corpus) {
      (void) mongoc_collection_drop (corpus, NULL); /* it may not exist */
   }
   if (before == empty_bucket) {
      mongoc_database_t *db = mongoc_client_get_database (client, "perftest");
      const char *names[] = {"fs.files", "fs.chunks"};
      for (int i = 0; i < 2; i++) {
         mongoc_collection_t *c = mongoc_database_get_collection (db, names[i]);
         (void) mongoc_collection_drop (c, NULL);
         mongoc_collection_destroy (c);
      }
      mongoc_database_destroy (db);
   }
}

int main (int argc, char **argv)
{
   if (argc < 5) {
      fprintf (stderr, "usage: peer URI TASK COUNT SECONDS [FILE]\n");
      return 1;
   }
   mongoc_init ();
   if (argc > 5) {
      read_file (argv[5]);
   }
   if (argv[1][0]) {
      mongoc_database_t *db;
      client = mongoc_client_new (argv[1]);
      check (client != NULL, "the URI");
      corpus = mongoc_client_get_collection (client, "perftest", "corpus");
      db = mongoc_client_get_database (client, "perftest");
      bucket = mongoc_gridfs_bucket_new (db, NULL, NULL, &error);
      check (bucket != NULL, "the bucket");
   }
   for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
      if (strcmp (tasks[i].name, argv[2]) != 0) {
         continue;
      }
      double limit = atof (argv[4]), spent = 0;
      for (int round = 0; round < 2 || spent < limit; round++) {
         double began, took;
         prepare (tasks[i].before);
         began = now ();
         tasks[i].run (atoi (argv[3]));
         took = now () - began;
         spent += took;
         if (round > 0) {
            printf ("%.9f\n", took);
         }
      }
      return 0;
   }
   fprintf (stderr, "no task is called %s\n", argv[2]);
   return 1;
}
