#!/bin/sh
# Writes the explanation that content/stored.md shows, before the site is built. The addresses are
# those of the finished site, seen from the page. BAGSCOPE names the command.
set -eu
cd "$(dirname "$0")"
mkdir -p explained
"${BAGSCOPE:-bagscope}" embed --model ../digits/model.onnx --bag ../digits/bags.npz --index 2 \
	--model-url ../digits/model.onnx --bag-url ../digits/bags.npz --out explained/digits.html
