"""Writes bag_30.h5: the bag of 30 instances of models/zoo/abmil_batch_first as TRIDENT stores features, and
"other/embedding", the same with each value negated.

Run in this folder: pip install -r ../../core/bagio/internal/hdf5/testdata/requirements.txt && python make.py
"""
import h5py
import numpy as np

bag = np.load("../models/zoo/abmil_batch_first/bag_30.npy")
with h5py.File("bag_30.h5", "w") as f:
    f.create_dataset("features", data=bag, compression="gzip", shuffle=True)
    i = np.arange(bag.shape[1])
    f["coords"] = np.stack([i % 6 * 512, i // 6 * 512], 1)
    f["coords"].attrs["patch_size_level0"] = 512
    f["coords"].attrs["level0_width"] = 4000
    f["coords"].attrs["level0_height"] = 3000
    f["other/embedding"] = -bag
