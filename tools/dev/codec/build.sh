#!/bin/sh
# Builds codec.wasm: OpenJPEG's decoder from Debian's source package, with a shim.
#
#	tools/dev/codec/build.sh FILE
#
# It needs Debian 12 with clang-14, lld-14, wasi-libc, libclang-rt-14-dev-wasm32 and patch. apt-get
# fetches the sources through an index of its own, so that the system's stays as it is.
set -eu
out=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

version=2.5.0-2+deb12u3
cat > checksums <<'SUMS'
007e19d772c8b6b22e35379630b06ff3549e49ba719d96453607a36ad7b4de73  openjpeg2_2.5.0.orig.tar.xz
36dedb0ca4c1659c173feac97c19b31985656f4cd112b1a4d54d54bc4133ad37  openjpeg2_2.5.0-2+deb12u3.debian.tar.xz
SUMS
cat > list <<'LIST'
deb-src http://deb.debian.org/debian bookworm main
deb-src http://deb.debian.org/debian-security bookworm-security main
LIST
mkdir -p lists/partial
apt="-qq -o Dir::Etc::SourceList=$work/list -o Dir::Etc::SourceParts=/dev/null"
apt="$apt -o Dir::State::Lists=$work/lists -o APT::Sandbox::User=root"
# shellcheck disable=SC2086
apt-get $apt update
# shellcheck disable=SC2086
apt-get $apt source --download-only "openjpeg2=$version"
sha256sum --check --quiet checksums

tar xf openjpeg2_2.5.0.orig.tar.xz
cd openjpeg-2.5.0
tar xf ../openjpeg2_$version.debian.tar.xz
grep -v '^#' debian/patches/series | while read -r name; do
	patch -s -p1 < "debian/patches/$name"
done

cd src/lib/openjp2
cp "$here/shim.c" .
printf '#define OPJ_PACKAGE_VERSION "2.5.0"\n#define OPJ_HAVE_POSIX_MEMALIGN\n#define OPJ_HAVE_INTTYPES_H 1\n' \
	> opj_config_private.h
printf '#define OPJ_HAVE_STDINT_H 1\n' > opj_config.h
printf '#define OPJ_VERSION_MAJOR 2\n#define OPJ_VERSION_MINOR 5\n' >> opj_config.h
printf '#define OPJ_VERSION_BUILD 0\n' >> opj_config.h
# The linker drops what no export reaches, such as encoders. A stack below the data makes an
# overflow a trap instead of a change of the data.
clang-14 --target=wasm32-wasi --sysroot=/usr -isystem /usr/include/wasm32-wasi \
	-O3 -msimd128 -DNDEBUG -DOPJ_STATIC -ffile-prefix-map="$PWD"=. \
	-ffunction-sections -fdata-sections -fno-builtin-fprintf -w -I. \
	-nostartfiles -Wl,--no-entry -Wl,--gc-sections -Wl,--strip-all \
	-Wl,--stack-first -Wl,-z,stack-size=1048576 -Wl,--max-memory=1073741824 \
	-Wl,--wrap=opj_pi_next -Wl,--wrap=opj_bio_read -Wl,--wrap=opj_tgt_decode \
	-L/usr/lib/wasm32-wasi -o "$out" \
	shim.c bio.c cio.c dwt.c event.c function_list.c ht_dec.c image.c invert.c j2k.c jp2.c mct.c \
	mqc.c openjpeg.c opj_malloc.c pi.c sparse_array.c t1.c t2.c tcd.c tgt.c thread.c
