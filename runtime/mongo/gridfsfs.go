package mongo

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/gridfs"
	"github.com/specdrivers/onion/generated/options"
)

// FS returns the bucket as a read-only file system. It shows the newest revision of each file whose name is a valid
// path. Slashes in the names make the directories. A name that would be both a file and a directory is the file. The
// context bounds everything that is read through the file system. Listing a directory reads the files documents of all
// files below it.
func (b *GridFSBucket) FS(ctx context.Context) fs.FS { return gridFSTree{bucket: b, ctx: ctx} }

type gridFSTree struct {
	bucket *GridFSBucket
	ctx    context.Context // kept here because the methods of fs.FS take none
}

// Open opens a file or a folder.
func (t gridFSTree) Open(name string) (fs.File, error) {
	file, err := t.open(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return file, nil
}

func (t gridFSTree) open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, fs.ErrInvalid
	}
	if name != "." {
		stream, err := t.bucket.OpenDownloadStreamByName(t.ctx, name)
		if err == nil {
			return &gridFSOpenFile{GridFSDownloadStream: stream}, nil
		}
		if !errors.Is(err, ErrFileNotFound) {
			return nil, err
		}
		err = t.bucket.files.FindOne(t.ctx, selectBelow(name), &options.FindOne{Projection: bson.Doc("_id", 1)}).Err()
		if errors.Is(err, ErrNoDocuments) {
			return nil, fs.ErrNotExist
		}
		if err != nil {
			return nil, err
		}
	}
	return &gridFSFolder{tree: t, name: name}, nil
}

// ReadFile reads a whole file. fs.ReadFile calls it: without it, that function would allocate the length in the
// description of the file, which anything may have written. The memory follows the chunks that arrive.
func (t gridFSTree) ReadFile(name string) ([]byte, error) {
	file, err := t.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content := compactBuffer{}
	if source, ok := file.(io.WriterTo); ok {
		_, err = source.WriteTo(&content)
	} else {
		_, err = file.Read(nil)
	}
	if err != nil {
		if _, named := errors.AsType[*fs.PathError](err); !named {
			err = &fs.PathError{Op: "read", Path: name, Err: err}
		}
		return content, err
	}
	return content, nil
}

// compactBuffer is a writer whose memory grows only with what is written to it.
type compactBuffer []byte

func (g *compactBuffer) Write(p []byte) (int, error) {
	*g = append(*g, p...)
	return len(p), nil
}

// selectBelow returns the filter for all files below a folder: an interval of names, which can use the index. It ends
// at '0', the character after '/'.
func selectBelow(folder string) bson.D {
	if folder == "." {
		return bson.D{}
	}
	return bson.Doc(gridfs.FieldFilename, bson.Doc("$gte", folder+"/", "$lt", folder+"0"))
}

// gridFSOpenFile is an open file. Its stream adds Seek and WriteTo.
type gridFSOpenFile struct{ *GridFSDownloadStream }

// Stat describes the file.
func (f *gridFSOpenFile) Stat() (fs.FileInfo, error) {
	return gridFSInfo{name: path.Base(f.file.Name), file: &f.file}, nil
}

// gridFSFolder is an open folder. Its entries are read when somebody asks for them.
type gridFSFolder struct {
	tree    gridFSTree
	name    string
	entries []fs.DirEntry
	listed  bool
}

// Stat describes the folder.
func (f *gridFSFolder) Stat() (fs.FileInfo, error) { return gridFSInfo{name: path.Base(f.name)}, nil }

// Read fails: a folder has no contents.
func (f *gridFSFolder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: f.name, Err: errors.New("is a directory")}
}

// Close does nothing: a folder holds no cursor.
func (f *gridFSFolder) Close() error { return nil }

// ReadDir returns the next n entries in the order of their names, or all of them when n is not positive.
func (f *gridFSFolder) ReadDir(n int) ([]fs.DirEntry, error) {
	if !f.listed {
		entries, err := f.tree.list(f.name)
		if err != nil {
			return nil, &fs.PathError{Op: "readdir", Path: f.name, Err: err}
		}
		f.entries, f.listed = entries, true
	}
	if n > 0 && len(f.entries) == 0 {
		return nil, io.EOF
	}
	if n <= 0 || n > len(f.entries) {
		n = len(f.entries)
	}
	list := f.entries[:n:n]
	f.entries = f.entries[n:]
	return list, nil
}

// list reads the entries of a folder.
func (t gridFSTree) list(folder string) ([]fs.DirEntry, error) {
	newestFirst := &options.GridFSFind{Sort: bson.Doc(gridfs.FieldFilename, 1, gridfs.FieldUploadDate, -1)}
	cursor, err := t.bucket.Find(t.ctx, selectBelow(folder), newestFirst)
	if err != nil {
		return nil, err
	}
	found := map[string]*GridFSFile{} // nil for a folder
	for doc, err := range Each[bson.Raw](t.ctx, cursor) {
		if err != nil {
			return nil, err
		}
		file, err := parseGridFSFile(doc)
		if err != nil || !fs.ValidPath(file.Name) || file.Name == "." {
			continue // no path leads to it
		}
		name, _, inFolder := strings.Cut(strings.TrimPrefix(file.Name, folder+"/"), "/")
		if before, seen := found[name]; !inFolder && before == nil {
			found[name] = &file
		} else if inFolder && !seen {
			found[name] = nil
		}
	}
	var entries []fs.DirEntry
	for name, file := range found {
		entries = append(entries, fs.FileInfoToDirEntry(gridFSInfo{name: name, file: file}))
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// gridFSInfo describes a file, or a folder when file is nil.
type gridFSInfo struct {
	name string
	file *GridFSFile
}

func (i gridFSInfo) Name() string { return i.name }

func (i gridFSInfo) Size() int64 {
	if i.file == nil {
		return 0
	}
	return i.file.Length
}

func (i gridFSInfo) Mode() fs.FileMode {
	if i.file == nil {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

func (i gridFSInfo) ModTime() time.Time {
	if i.file == nil {
		return time.Time{}
	}
	return i.file.UploadDate
}

func (i gridFSInfo) IsDir() bool { return i.file == nil }

// Sys is the *GridFSFile of a file.
func (i gridFSInfo) Sys() any {
	if i.file == nil {
		return nil
	}
	return i.file
}
