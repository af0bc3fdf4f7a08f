"""Compares pixels with OpenSlide's: 1,000 random regions of the levels of a slide and of pyramids that vips makes of it.

    python compare.py ../../../examples/slide/CMU-1-Small-Region.svs

Needs vips, Go, and the Python packages openslide-bin 4.0.1.2, openslide-python 1.4.7 and numpy 2.4.6. It prints the
largest difference of a channel and the part of channels that differ, and fails above 3, which rounding of the inverse
transform and of the conversion of chroma explains; without JPEG it fails above 0.
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import openslide

REGIONS = 1000
HERE = pathlib.Path(__file__).parent
#: vips' options for tiles and pyramids, and the largest difference that is allowed.
PYRAMIDS = {
    "jpeg-420": ("compression=jpeg,Q=80", 3),
    "jpeg-444": ("compression=jpeg,Q=95", 3),  # from this quality on, vips does not subsample
    "jpeg-bigtiff": ("compression=jpeg,Q=80,bigtiff", 3),
    "lzw": ("compression=lzw", 0),
    "lzw-predictor-bigtiff": ("compression=lzw,predictor=horizontal,bigtiff", 0),
    "deflate": ("compression=deflate", 0),
    "deflate-predictor": ("compression=deflate,predictor=horizontal", 0),
    "none": ("compression=none", 0),
}


def compare(program, file, most):
    slide = openslide.OpenSlide(str(file))
    random = np.random.default_rng(7)
    lines, want = [], []
    for n in range(REGIONS):
        level = n % slide.level_count
        wide, high = slide.level_dimensions[level]
        down = round(slide.level_downsamples[level])
        size = random.integers(1, min(300, wide, high), 2)
        x, y = int(random.integers(0, wide - size[0] + 1)), int(random.integers(0, high - size[1] + 1))
        lines.append(f"{level} {x} {y} {size[0]} {size[1]}")
        region = slide.read_region((x * down, y * down), level, tuple(int(s) for s in size))
        want.append(np.asarray(region.convert("RGB")).ravel())
    done = subprocess.run([program, file], input="\n".join(lines).encode(), stdout=subprocess.PIPE, check=True)
    got, want = np.frombuffer(done.stdout, "u1"), np.concatenate(want)
    off = np.abs(got.astype(int) - want)
    print(f"{file.name}: {slide.level_count} levels, {REGIONS} regions, {got.size} channels; "
          f"largest difference {off.max()}, {100 * np.mean(off > 0):.2f} % differ")
    return off.max() <= most


def main(source):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        program = folder / "regions"
        subprocess.run(["go", "build", "-o", program, "./testdata/regions"], cwd=HERE.parent, check=True)
        good = [compare(program, source, 3)]
        cut = folder / "cut.v"
        # Sides are multiples of the tiles of all levels, so that no level is shifted by part of a pixel.
        subprocess.run(["vips", "crop", source, cut, "0", "0", "2048", "2816"], check=True)
        for name, (options, most) in PYRAMIDS.items():
            file = folder / f"{name}.tif"
            subprocess.run(["vips", "tiffsave", cut, file, "--tile", "--pyramid",
                            *(f"--{o}" for o in options.split(","))], check=True)
            good.append(compare(program, file, most))
    return 0 if all(good) else "pixels differ by more than rounding"


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
