package main

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// try builds every module from a fresh one, as a user does who gets it from a module proxy.
func (r *repository) try(out io.Writer, version, keep string) error {
	tmp, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	proxy := filepath.Join(tmp, "proxy")
	for _, m := range r.modules {
		if err := r.publish(proxy, m, version); err != nil {
			return err
		}
	}
	for i, m := range r.modules {
		dir := filepath.Join(tmp, fmt.Sprint("user", i))
		packages, err := buildWith(dir, proxy, r.modules[0].path, m.path, version)
		if err != nil {
			return fmt.Errorf("%s %s in a fresh module: %w", m.path, version, err)
		}
		zip, err := os.ReadFile(filepath.Join(proxy, filepath.FromSlash(m.path), "@v", version+".zip"))
		if err != nil {
			return err
		}
		if keep != "" {
			if err := os.MkdirAll(keep, 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(keep, strings.ReplaceAll(m.path, "/", "-")+"-"+version+".zip"), zip, 0o644); err != nil {
				return err
			}
		}
		fmt.Fprintf(out, "%s %s: %d packages build in a fresh module, %.1f MB to download\n",
			m.path, version, packages, float64(len(zip))/1e6)
	}
	return nil
}

// publish writes one module into a directory that is laid out as a proxy.
func (r *repository) publish(proxy string, m module, version string) error {
	dir := filepath.Join(proxy, filepath.FromSlash(m.path), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	goMod, err := os.ReadFile(filepath.Join(r.dir, m.folder, "go.mod"))
	if err != nil {
		return err
	}
	info, err := json.Marshal(map[string]any{"Version": version, "Time": time.Unix(0, 0).UTC()})
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{"list": []byte(version + "\n"), version + ".mod": goMod, version + ".info": info} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	return r.zip(filepath.Join(dir, version+".zip"), m, version)
}

// zip packs the files of a module that git tracks, without the files of modules inside it.
func (r *repository) zip(name string, m module, version string) error {
	files, err := command(filepath.Join(r.dir, m.folder), "git", "ls-files", "-z")
	if err != nil {
		return err
	}
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer file.Close()
	z := zip.NewWriter(file)
	for rel := range strings.SplitSeq(strings.TrimSuffix(files, "\x00"), "\x00") {
		if rel == "" || r.isInside(m, rel) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(r.dir, m.folder, filepath.FromSlash(rel)))
		if err != nil {
			return err
		}
		w, err := z.Create(m.path + "@" + version + "/" + rel)
		if err != nil {
			return err
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
	}
	return z.Close()
}

// isInside reports whether a file of a module's folder belongs to a module further down.
func (r *repository) isInside(m module, rel string) bool {
	for dir := path.Dir(rel); dir != "."; dir = path.Dir(dir) {
		if _, err := os.Stat(filepath.Join(r.dir, m.folder, filepath.FromSlash(dir), "go.mod")); err == nil {
			return true
		}
	}
	return false
}

// buildWith adds a module to a fresh one and builds all of its packages. Only the local proxy has the modules below private.
func buildWith(dir, proxy, private, modulePath, version string) (packages int, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	upstream, err := command(dir, "go", "env", "GOPROXY")
	if err != nil {
		return 0, err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/user\n\ngo 1.26.0\n"), 0o644); err != nil {
		return 0, err
	}
	// It uses its own cache, because an earlier try of the same version must not answer. No checksum database knows
	// versions that are not published yet.
	env := []string{
		"GOPROXY=file://" + filepath.ToSlash(proxy) + "," + strings.TrimSpace(upstream), "GOWORK=off", "GOFLAGS=-mod=mod -modcacherw",
		"GONOSUMDB=" + private, "GOMODCACHE=" + filepath.Join(filepath.Dir(dir), "cache"),
	}
	if _, err := commandIn(dir, env, "go", "get", modulePath+"@"+version); err != nil {
		return 0, err
	}
	listed, err := commandIn(dir, env, "go", "list", modulePath+"/...")
	if err != nil {
		return 0, err
	}
	if strings.TrimSpace(listed) == "" {
		return 0, nil
	}
	if _, err := commandIn(dir, env, "go", "build", "-o", os.DevNull, modulePath+"/..."); err != nil {
		return 0, err
	}
	return len(strings.Fields(listed)), nil
}
