"""Makes lossy WebP pictures, and PNG pictures of what libwebp decodes from them.

Run in this folder: python make.py
Made with pillow 13.0.0 and numpy 2.4.6.
"""
import numpy as np
from PIL import Image

WIDE, HIGH = 61, 43
y, x = np.mgrid[:HIGH, :WIDE]
pixels = np.stack([255 - 4 * x, 120 + 3 * y, 90 + (x + 2 * y)], 2).astype("u1")
pixels[(x - 20) ** 2 + (y - 20) ** 2 < 200] = [170, 40, 130]
pixels[:, 50:] = 255
opacity = (255 - 5 * y).astype("u1")
for name, picture in (("opaque", pixels), ("opacity", np.dstack([pixels, opacity]))):
    Image.fromarray(picture).save(f"{name}.webp", quality=70)
    Image.open(f"{name}.webp").save(f"{name}.png")
