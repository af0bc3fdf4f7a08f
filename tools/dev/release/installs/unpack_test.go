package installs

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// gunzip calls a function with the decompressed bytes of a reader.
func gunzip(r io.Reader, read func(io.Reader) error) error {
	z, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	return errors.Join(read(z), z.Close())
}

// untar unpacks an archive into a folder. It accepts only what a release writes: folders and
// regular files of user 0, below the folder, without setuid bits.
func untar(r io.Reader, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for t := tar.NewReader(r); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Uid != 0 || h.Gid != 0 || h.Mode&0o6000 != 0 {
			return fmt.Errorf("%s has the user %d, the group %d and the mode %o",
				h.Name, h.Uid, h.Gid, h.Mode)
		}
		name := filepath.Clean(filepath.FromSlash(h.Name))
		switch h.Typeflag {
		case tar.TypeDir:
			err = root.MkdirAll(name, 0o755)
		case tar.TypeReg:
			err = extract(root, name, h.FileInfo().Mode().Perm(), t)
		default:
			err = fmt.Errorf("%s is neither a file nor a folder", h.Name)
		}
		if err != nil {
			return err
		}
	}
}

// extract writes one file and the folders above it.
func extract(root *os.Root, name string, mode os.FileMode, r io.Reader) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}
