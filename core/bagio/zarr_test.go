package bagio

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// unzippedStore unpacks a store into a folder of its own.
func unzippedStore(t *testing.T, name string) string {
	dir := t.TempDir()
	data := testdata(t, "zarr/"+name)
	r := must.Get(zip.NewReader(bytes.NewReader(data), int64(len(data))))(t)
	must.Do(t, os.CopyFS(dir, r))
	return dir
}

// TestZarr reads arrays that zarr packed by every codec, from archives and folders.
func TestZarr(t *testing.T) {
	paths := must.Get(filepath.Glob("testdata/zarr/v*.zarr.zip"))(t)
	must.Equal(t, len(paths), 16)
	for _, path := range paths {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			set := must.Get(Read(name, testdata(t, "zarr/"+name), Options{}))(t)
			bag := must.Get(set.Bag(0))(t)
			must.Equal(t, reflect.DeepEqual(bag.Shape, []int{4}), true, bag.Len(), bag.Shape)
			must.Equal(t, bag.Len(), 7, bag.Shape)
			for i, got := range bag.Values {
				must.Equal(t, got, float32(i*37%251-100), i)
			}
			must.Equal(t, len(bag.Boxes), 7, bag.Boxes, set.Notes())
			must.Equal(t, bag.Boxes[3], square(768, 512, 256), bag.Boxes, set.Notes())
			folder := must.Get(ReadFolder(os.DirFS(unzippedStore(t, name)), Options{}))(t)
			again := must.Get(folder.Bag(0))(t)
			again.Name = bag.Name
			must.Equal(t, reflect.DeepEqual(bag, again), true, again)
		})
	}
}

// TestZarrOfAnnData reads AnnData equal from stores and from HDF5: dense and sparse, with bags and
// labels of obs.
func TestZarrOfAnnData(t *testing.T) {
	for _, o := range []Options{
		{BagBy: "patient"},
		{BagBy: "batch", Array: "layers/dense"},
		{BagBy: "patient", Array: "layers/columns",
			Columns: "response=label; stage=instance_label"},
		{BagBy: "stage", Array: "obsm/X_pca"},
		{Name: "all"},
	} {
		want := must.Get(Read("cells.h5ad", testdata(t, "zarr/cells.h5ad"), o))(t)
		for _, name := range []string{"cells2.zarr.zip", "cells3.zarr.zip"} {
			got := must.Get(Read(name, testdata(t, "zarr/"+name), o))(t)
			if !reflect.DeepEqual(got.Names(), want.Names()) {
				t.Errorf("%s, %+v: bags %q, want %q", name, o, got.Names(), want.Names())
			}
			for i := range want.Len() {
				a, b := must.Get(want.Bag(i))(t), must.Get(got.Bag(i))(t)
				if !reflect.DeepEqual(a, b) {
					t.Errorf("%s, %+v: bag %d is %+v, want %+v", name, o, i, b, a)
				}
			}
		}
	}
}

// TestZarrRefused names what is not read, with a next step.
func TestZarrRefused(t *testing.T) {
	for name, want := range map[string]string{
		"transposed.zarr.zip": "features: the codec transpose is not supported; write",
		"picture.zarr.zip":    "a picture of OME-Zarr in its folder images/slide; give that folder",
	} {
		_, err := Read(name, testdata(t, "zarr/"+name), Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		typed(t, err)
	}
}
