package bagio

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/internal/advice"
	"github.com/bagscope/bagscope/internal/must"
)

// TestWayOfMINC follows the command for volumes of both versions of MINC, those of nibabel's tests:
// the file that it writes has the slices of the volume, of 10 x 20 x 20 voxels.
func TestWayOfMINC(t *testing.T) {
	book := advice.Of(t)
	for _, name := range []string{"minc1_1_scale.mnc", "minc2_1_scale.mnc"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c := exec.CommandContext(t.Context(), "python3", "-c", "import nibabel, shutil; "+
				"shutil.copy(nibabel.__path__[0] + '/tests/data/"+name+"', 'a.mnc')")
			c.Dir = dir
			if c.Run() != nil {
				book.Skip(t, "this machine cannot run "+c.String())
			}
			read := func(name string) (*Set, error) {
				data := must.Get(os.ReadFile(filepath.Join(dir, name)))(t)
				return Read(name, data, Options{})
			}
			_, err := read("a.mnc")
			must.Fail(t, err)
			book.Follow(t, dir, "a.mnc", err.Error())
			set := must.Get(read("volume.nii.gz"))(t)
			if bag := must.Get(set.Bag(0))(t); len(bag.Values) != 4000 || len(bag.Slices) == 0 {
				t.Errorf("%d values in %d slices", len(bag.Values), len(bag.Slices))
			}
		})
	}
}
