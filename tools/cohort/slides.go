package cohort

import (
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// addEncoder opens the encoder beside a model that its card names, for bags that are whole slides.
// Results depend on it, so that the hash of the model contains its files.
func (m *model) addEncoder(ctx context.Context, modelName string, hash hash.Hash) error {
	name := m.engine.Card().Encoder
	if name == "" {
		return nil
	}
	name = beside(modelName, name)
	data, err := readFile(ctx, name, maxFile)
	if err != nil {
		return err
	}
	card, err := readFile(ctx, strings.TrimSuffix(name, path.Ext(name))+".bagscope.json", maxFile)
	if err != nil && !notThere(err) {
		return err
	}
	for _, part := range [][]byte{data, card} {
		sum := sha256.Sum256(part)
		hash.Write(sum[:])
	}
	external, done, err := tensorsBeside(ctx, name, func(_ string, _ int64, data []byte) {
		sum := sha256.Sum256(data)
		hash.Write(sum[:])
	})
	if err != nil {
		return err
	}
	defer done()
	m.encoder, err = onnxbackend.OpenEncoder(data, onnxbackend.Options{Name: base(name), Card: card,
		External: external, Workers: 1, Limits: onnxbackend.LimitsIn(quota.MemoryOf(ctx))})
	return err
}

// slideReader returns bagio.Options.Slide for a file: the patches of a slide are encoded. It is nil
// if neither an encoder nor the model encodes them, and slides are pictures.
func (m *model) slideReader(ctx context.Context, file string, l Layout,
) func(name string, r io.ReaderAt, size int64) (*bagio.Set, error) {
	lay := l.Tiling.Lay(l.ReadOptions)
	if m.encoder == nil && !lay.Streams(m.engine) {
		return nil
	}
	return func(name string, r io.ReaderAt, size int64) (*bagio.Set, error) {
		if err := l.ForSlides(); err != nil {
			return nil, err
		}
		var beside fs.FS
		if !inBucket(file) {
			beside = os.DirFS(folderOf(file, name))
		}
		return ask.Slides{Encoder: m.encoder, Lay: lay, Beside: beside}.Reader(ctx, m.engine)(
			name, r, size)
	}
}

// folderOf returns the folder of a slide. file is the slide, or a folder that holds it by a name.
func folderOf(file, name string) string {
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return filepath.Join(file, filepath.Dir(filepath.FromSlash(name)))
	}
	return filepath.Dir(file)
}

// hashSlide hashes what belongs to the file of a slide beside it.
func hashSlide(hash io.Writer, name string, r io.ReaderAt, size int64) error {
	switch {
	case slide.IsDZI(name):
		return hashTiles(hash, name)
	case slide.IsDICOM(name, r, size):
		return hashFolder(hash, filepath.Dir(name), "", 0)
	}
	return nil
}

// hashDrawn hashes the files that state the tissue or the patches of a slide: results are computed
// again if they change. A folder is hashed with the files of all slides.
func hashDrawn(hash io.Writer, slide string, l Layout) error {
	for _, named := range []*string{l.Tissue, l.Exclude, l.Places} {
		if named == nil || !filepath.IsLocal(filepath.FromSlash(*named)) {
			continue
		}
		name := filepath.Join(filepath.Dir(slide), filepath.FromSlash(*named))
		info, err := os.Stat(name)
		switch {
		case err != nil: // reading the slide says so
			continue
		case info.IsDir():
			err = hashFolder(hash, name, *named, 1)
		default:
			err = hashFile(hash, name, *named, info)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// hashTiles hashes the names and bytes of the tiles of a Deep Zoom picture on a disk. They lie in
// folders of levels.
func hashTiles(hash io.Writer, description string) error {
	folder := slide.DZIFolder(filepath.ToSlash(description))
	return hashFolder(hash, filepath.FromSlash(folder), "", 1)
}

// hashFolder hashes the files of a folder and of folders within it, down to a depth. below is the
// folder's name in the hash. Symbolic links are followed, as they are when tiles are read.
func hashFolder(hash io.Writer, folder, below string, depth int) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return &FileError{Path: folder, Err: err}
	}
	for _, e := range entries {
		name, named := filepath.Join(folder, e.Name()), below+"/"+e.Name()
		info, err := os.Stat(name)
		switch {
		case err != nil:
			return &FileError{Path: name, Err: err}
		case !info.IsDir():
			err = hashFile(hash, name, named, info)
		case depth > 0:
			err = hashFolder(hash, name, named, depth-1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// hashFile hashes the name, the size and the bytes of a file. named is its name in the hash.
func hashFile(hash io.Writer, name, named string, info fs.FileInfo) error {
	fmt.Fprintf(hash, "%q %d\n", named, info.Size())
	if !info.Mode().IsRegular() { // opening a pipe waits for its writer
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return &FileError{Path: name, Err: err}
	}
	defer f.Close()
	_, err = io.Copy(hash, f)
	return err
}
