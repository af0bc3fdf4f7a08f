package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/msg"
)

// partial is the ending of a feature file that is not complete.
const partial = ".partial"

// WriteFeatures writes a feature file. rows gets the number of the first patch whose features are
// missing, and passes theirs to sink in the order of patches; it is nil for a file without
// features. A file that is complete already stays. The file has its name when it is complete. If
// rows fails, FILE.partial keeps what is done, and the next call with the same description
// continues it; the error is Resumable if anything is done. Another description is an error, and so
// is another process that writes the same file.
func WriteFeatures(ctx context.Context, path string, f bagio.FeatureFile,
	rows func(from int, sink func(*core.Bag) error) error,
) error {
	head, err := f.Head()
	if err != nil {
		return err
	}
	if complete(path, f, head) {
		return nil
	}
	part := path + partial
	file, err := openAlone(part)
	if err != nil {
		return err
	}
	defer file.Close()
	done, err := continued(file, f, head)
	if err != nil {
		return msg.Errorf("%w; remove %s to begin again, "+
			"or give the settings that it was begun with", err, part)
	}
	if rows != nil && done < len(f.Corners) {
		err = rows(done, func(b *core.Bag) error {
			if b.Stride() != f.Features {
				return &core.BagError{Bag: b.Name, Reason: fmt.Sprintf("the encoder returns %d "+
					"features for some patches and %d for others", f.Features, b.Stride())}
			}
			done += b.Len()
			_, err := file.Write(bagio.Float32Bytes(b.Values))
			return written(path, err)
		})
	}
	if err != nil {
		// What is done must be on the disk before somebody relies on it.
		err = errors.Join(err, written(part, file.Sync()))
		if done > 0 && ctx.Err() != nil {
			return Resumable(msg.Errorf("%w; %d of %d patches are in %s", err, done,
				len(f.Corners), part))
		}
		return err
	}
	if err := errors.Join(file.Sync(), file.Close(), os.Rename(part, path)); err != nil {
		return written(path, err)
	}
	return nil
}

// openAlone opens or creates a file that no other process writes. Two writers would mix their
// features.
func openAlone(part string) (*os.File, error) {
	file, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, msg.Errorf("%s cannot be written: %w", part, err)
	}
	alone := lockFile(file)
	if alone { // the other writer may have completed and renamed the file since it was opened
		opened, err1 := file.Stat()
		named, err2 := os.Stat(part)
		alone = err1 == nil && err2 == nil && os.SameFile(opened, named)
	}
	if !alone {
		file.Close()
		return nil, msg.Errorf("another process is writing %s; wait for it, or name another file",
			part)
	}
	return file, nil
}

// complete reports whether a file has this description and all features.
func complete(path string, f bagio.FeatureFile, head []byte) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	n := len(f.Corners)
	info, err := file.Stat()
	if err != nil || info.Size() != int64(len(head))+int64(n)*int64(4*f.Features) {
		return false
	}
	rows, err := f.Rows(file, info.Size())
	return err == nil && (rows == n || f.Features == 0)
}

// continued writes the head of a file unless it has it, and leaves the file where the features of
// the next patch go. It returns the number of patches that have theirs.
func continued(file *os.File, f bagio.FeatureFile, head []byte) (int, error) {
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	done, err := f.Rows(file, info.Size())
	if err != nil {
		return 0, err
	}
	end := int64(len(head)) + int64(done)*int64(4*f.Features)
	if done == 0 {
		_, err = file.WriteAt(head, 0)
	}
	if err = errors.Join(err, file.Truncate(end)); err != nil {
		return 0, written(file.Name(), err)
	}
	_, err = file.Seek(end, io.SeekStart)
	return done, err
}

// written returns an error of writing a file, or nil.
func written(path string, err error) error {
	if err == nil {
		return nil
	}
	return msg.Errorf("%s cannot be written: %w", path, err)
}
