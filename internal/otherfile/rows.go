package otherfile

// rows lists the kinds of files. The first row that fits counts.
var rows = []row{
	{begins: "PK\x03\x04", holds: "/code/__torch__", File: File{
		What: "a TorchScript program", Bags: true, Model: exportModule}},
	{begins: "PK\x03\x04", holds: "/models/model.json", File: File{
		What: "a program of torch.export.save", Bags: true, Model: exportModule}},
	{begins: "PK\x03\x04", holds: "data.pkl", File: torchFile},
	{begins: "PK\x03\x04", holds: "model.weights.h5", File: File{
		What: "a model of Keras", Bags: true, Bag: openAsModel + byKeras, Model: byKeras}},
	{begins: "PK\x03\x04", holds: "xl/", File: excel},
	{begins: "PK\x03\x04", holds: ".npy", File: arrays},
	{begins: "PK\x03\x04", holds: ".zarray", File: zarr},
	{begins: "PK\x03\x04", holds: "zarr.json", File: zarr},
	{begins: "PK\x03\x04", File: File{What: "a zip archive", Bags: true,
		Bag:   "unpack it and open the file of features in it",
		Model: "unpack it and open the ONNX file in it"}},
	// PyTorch before 1.6, in protocols 2 and 3, 4 and 5, and 0 and 1
	{at: 2, begins: torchMagic, File: torchFile},
	{at: 11, begins: torchMagic, File: torchFile},
	{begins: "L119547037146038801333356L\n.", File: torchFile},
	{begins: "\x80\x02", File: pickle},
	{begins: "\x80\x03", File: pickle},
	{begins: "\x80\x04", File: pickle},
	{begins: "\x80\x05", File: pickle},
	{begins: "(", test: isOldPickle, File: pickle},
	{begins: "c", test: isOldPickle, File: pickle},
	{begins: "x\x01", test: isBinary, File: byZlib},
	{begins: "x\x5e", test: isBinary, File: byZlib},
	{begins: "x\x9c", test: isBinary, File: byZlib},
	{begins: "x\xda", test: isBinary, File: byZlib},
	{begins: "MATLAB 5.0 MAT-file", File: File{What: "a MATLAB file of version 5", Bags: true}},
	{begins: "MATLAB 7.3 MAT-file", File: File{What: "a MATLAB file of version 7.3", Bags: true}},
	{begins: "\x89HDF\r\n\x1a\n", holds: "minc-2.0", File: minc},
	{begins: "CDF\x01", holds: "MINC", test: isBinary, File: minc},
	{begins: "\x89HDF\r\n\x1a\n", holds: "model_config", File: File{
		What: "a model of Keras", Bags: true, Model: byKeras}},
	{begins: "\x89HDF\r\n\x1a\n", File: File{What: "an HDF5 file", Bags: true,
		Model: "weights of Keras belong to a model in Python, which bagscope.export writes as " +
			"ONNX; features are a bag, so open them as the bag"}},
	{at: 8, begins: "{", holds: `"data_offsets"`, File: File{
		What: "a .safetensors file, which holds weights without a graph", Bags: true,
		Model: exportModule + "; features are a bag, so open them as the bag"}},
	{at: 4, begins: "TFL3", test: isBinary, File: File{What: "a TensorFlow Lite model",
		Bag: openAsModel + byTFLite, Model: byTFLite}},
	{at: 4, begins: "ORTM", test: isBinary, File: File{
		What: "a model in the format of ONNX Runtime",
		Bag:  openAsModel + original, Model: original}},
	{begins: "\x0a", holds: "Placeholder", test: isBinary, File: tensorFlow},
	{begins: "\x08\x01\x12", holds: "saver_filename", File: tensorFlow},
	{begins: "\x08\x01\x12", holds: "saved_model", File: tensorFlow},
	{begins: "\x1f\x8b", File: File{What: "compressed by gzip", Bags: true,
		Model: "unpack it (gunzip) and open what it holds"}},
	{begins: "\x93NUMPY", File: arrays},
	{begins: "\x89PNG", File: picture},
	{begins: "\xff\xd8\xff", File: picture},
	{begins: "II*\x00", File: picture},
	{begins: "MM\x00*", File: picture},
	{begins: "RIFF", holds: "WEBP", File: picture},
	{begins: "GIF8", test: isBinary, File: File{What: "a GIF picture", Slide: true,
		Bag: "save it as PNG"}},
	{begins: "X\n\x00\x00\x00", File: rData}, // what gzip unpacks of an RDS file
	{begins: "RDX", test: isBinary, File: rData},
	{begins: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", File: File{What: "an Office file, such " +
		"as Excel writes as .xls", Bag: "save its table as CSV"}},
	{begins: "PAR1", test: isBinary, File: File{What: "a Parquet file", Bags: true,
		Bag: "pandas writes its table as CSV: python3 -c \"import pandas; " +
			"pandas.read_parquet('FILE').to_csv('bag.csv', index=False)\""}},
	{begins: "ARROW1\x00\x00", File: File{What: "a table of Arrow (Feather)", Bags: true,
		Bag: "pandas writes its table as CSV: python3 -c \"import pandas; " +
			"pandas.read_feather('FILE').to_csv('bag.csv', index=False)\""}},
	{begins: "\xff\xff\xff\xff", test: isBinary, File: File{
		What: "a stream of Arrow, or of another unknown kind",
		Bag: "if it is a stream, pyarrow writes it as Feather: python3 -c \"import pyarrow as p, " +
			"pyarrow.feather; p.feather.write_feather(p.ipc.open_stream('FILE').read_all(), " +
			"'bag.feather')\""}},
	{at: 344, begins: "n+1\x00", File: nifti},
	{at: 344, begins: "ni1\x00", File: pair},
	{at: 4, begins: "ni2\x00", File: pair},
	{at: 4, begins: "n+2\x00", File: nifti},
	{at: 128, begins: "DICM", test: isBinary, File: File{What: "a DICOM file", Bags: true,
		Slide: true}},
	{begins: "version https://git-lfs", File: File{
		What: "a pointer of Git LFS instead of the file", Bag: pull, Model: pull}},
	{begins: "<IMAGE_PROPERTIES", File: File{What: "the description of a Zoomify " +
		"picture, which is not read",
		Bag: "libvips writes a Deep Zoom picture, slide.dzi, of the slide: " +
			"vips dzsave SLIDE slide"}},
	{test: isPage, File: File{What: "a web page", Bag: downloaded, Model: downloaded}},
	{begins: "<", test: isONNXText, File: onnxText("a model in the text form of ONNX",
		"onnxtxt")},
	{test: isProtoText, File: onnxText("a model in the text form of protobuf", "textproto")},
	{begins: "{", test: isONNXJSON, File: onnxText("a model in the JSON form of ONNX",
		"json")},
	{test: isXML, File: File{What: "XML"}},
	{test: IsARFF, File: File{What: "an ARFF file of Weka", Bags: true}},
	{test: IsLibSVM, File: File{What: "a file of LIBSVM", Bags: true}},
}

// What files are, and the ways out.
var (
	torchFile = File{What: "a file of PyTorch, which holds weights, a module or features",
		Bags: true, Model: "for a model, " + exportModule +
			"; features are a bag, so open them as the bag"}
	pickle = File{What: "a Python pickle, such as joblib.dump writes, which can run any program, " +
		"so that bagscope never loads it",
		Bag:   "load it in Python if you trust it, and save its features with numpy.save",
		Model: loadTrusted}
	byZlib = File{What: "compressed by zlib, as joblib.dump does", Model: loadTrusted,
		Bag: "load it in Python if you trust it, and save its features with numpy.save"}
	tensorFlow = File{What: "a TensorFlow graph", Bag: openAsModel + byTensorFlow,
		Model: byTensorFlow}
	arrays = File{What: "a file of arrays", Bags: true,
		Model: "open it as the bag, and an ONNX file as the model"}
	picture = File{What: "a picture", Bags: true, Slide: true,
		Model: "open it as the bag, and an ONNX file as the model"}
	excel = File{What: "a table of Excel", Bags: true,
		Bag: "pandas writes it as CSV: python3 -c \"import pandas; " +
			"pandas.read_excel('FILE').to_csv('bag.csv', index=False)\""}
	zarr  = File{What: "a Zarr store in a zip archive", Bags: true}
	rData = File{What: "data of R (RDS or RData)"}
	nifti = File{What: "a NIfTI volume", Bags: true}
	pair  = File{What: "the header of a NIfTI volume whose voxels are in another file",
		Bag: "nibabel writes both into one: python3 -c \"import nibabel; " +
			"nibabel.save(nibabel.load('FILE'), 'volume.nii.gz')\""}
	minc = File{What: "a MINC volume (.mnc)",
		Bag: "nibabel writes it as NIfTI: python3 -c \"import h5py, nibabel; " +
			"nibabel.save(nibabel.load('FILE'), 'volume.nii.gz')\""}
)

const (
	torchMagic   = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."
	exportModule = "make the module in Python, load its weights, and write it as ONNX with " +
		"bagscope.export or torch.onnx.export"
	loadTrusted = "load it in Python if you trust it, and write the model as ONNX with " +
		"bagscope.export"
	byKeras = "load it in Python with keras.models.load_model, and write it as ONNX with " +
		"bagscope.export"
	byTFLite     = "convert it with tf2onnx"
	byTensorFlow = "load it with Keras in Python and write it with bagscope.export"
	original     = "open the .onnx file that it was converted from"
	openAsModel  = "a model is opened as the model, and not as the bag; "
	pull         = "run git lfs pull"
	downloaded   = "if it was downloaded, the address returned a page, such as that of a login, " +
		"instead of the file"
)

// onnxText returns a kind of model as text, which the package onnx reads in a format of its own
// name.
func onnxText(what, format string) File {
	way := "Python's onnx converts it: python3 -c \"import onnx; " +
		"onnx.save(onnx.load('FILE', format='" + format + "'), 'model.onnx')\""
	return File{What: what, Bag: openAsModel + way, Model: way}
}
