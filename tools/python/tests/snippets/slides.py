import bagscope

tiles = bagscope.tiles("slide.svs", "slide.h5", encoder="encoder.onnx", mpp=0.5, progress=True)
print(tiles, tiles.places.shape, tiles.features.shape)  # (k, 2) and (k, d)
e = bagscope.explain("head.onnx", tiles.bag)
e.save("slide.geojson")  # patches with scores, for QuPath

bag = bagscope.Bag("slide.svs", encoder="encoder.onnx", mpp=0.5)  # without a file of features
print(bagscope.predict("head.onnx", bag).scores)
