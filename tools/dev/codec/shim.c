// The exports of codec.wasm: a raw JPEG 2000 code stream (ISO/IEC 15444-1, or HTJ2K) in memory to
// interleaved samples. The module imports nothing, so that a host needs no system interface.
//
// A host calls take(n), writes n bytes there, calls decode, and reads the result. An instance may
// decode again; after a trap it must be thrown away.
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openjpeg.h"

#define EXPORT(name) __attribute__((export_name(name)))

// What the C library would ask a system for. None of it is there.
int fprintf(FILE *f, const char *format, ...) { return 0; }
int __stdio_close(FILE *f) { return 0; }
off_t __stdio_seek(FILE *f, off_t to, int whence) { return -1; }
size_t __stdio_write(FILE *f, const unsigned char *from, size_t n) { return 0; }
size_t __stdout_write(FILE *f, const unsigned char *from, size_t n) { return 0; }
char *getenv(const char *name) { return 0; }
void abort(void) { __builtin_trap(); }

// sbrk grows the heap up to the most bytes of memory that the host allows, so that a decoder gets
// no memory instead of more than that.
extern uint8_t __heap_base;
static uintptr_t heap_end, most_memory = 1 << 24;

void *sbrk(intptr_t more) {
    const uintptr_t page = 1 << 16;
    if (!heap_end) heap_end = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
    uintptr_t before = heap_end, have = __builtin_wasm_memory_size(0) * page;
    if (more < 0 || (uintptr_t)more > UINTPTR_MAX - before) return (void *)-1;
    uintptr_t end = before + (uintptr_t)more;
    if (end > have) {
        if (end > most_memory) return (void *)-1;
        if (__builtin_wasm_memory_grow(0, (end - have + page - 1) / page) == (size_t)-1) {
            return (void *)-1;
        }
    }
    heap_end = end;
    return (void *)before;
}

// The linker puts these before the functions that reading packets calls (--wrap). A stream can claim
// more packets than it has bytes, and each then costs time: a decoder stops after the steps that
// the host allows.
static uint32_t steps;

static void step(uint32_t n) {
    if (steps < n) __builtin_trap();
    steps -= n;
}

typedef struct opj_pi_iterator opj_pi_iterator_t;
OPJ_BOOL __real_opj_pi_next(opj_pi_iterator_t *packets);
OPJ_BOOL __wrap_opj_pi_next(opj_pi_iterator_t *packets) {
    step(32);
    return __real_opj_pi_next(packets);
}

typedef struct opj_bio opj_bio_t;
OPJ_UINT32 __real_opj_bio_read(opj_bio_t *bits, OPJ_UINT32 n);
OPJ_UINT32 __wrap_opj_bio_read(opj_bio_t *bits, OPJ_UINT32 n) {
    step(1);
    return __real_opj_bio_read(bits, n);
}

typedef struct opj_tgt_tree opj_tgt_tree_t;
OPJ_UINT32 __real_opj_tgt_decode(opj_bio_t *, opj_tgt_tree_t *, OPJ_UINT32, OPJ_INT32);
OPJ_UINT32 __wrap_opj_tgt_decode(opj_bio_t *bits, opj_tgt_tree_t *tree, OPJ_UINT32 leaf,
                                 OPJ_INT32 threshold) {
    step(1);
    return __real_opj_tgt_decode(bits, tree, leaf, threshold);
}

// The result of decode, in the order in which hosts read it.
static struct {
    uint32_t samples; // place of the samples: pixel by pixel, 1 or 2 bytes each, little endian
    uint32_t width, height, channels;
    uint32_t bits;    // bits of a sample, 1 to 16
    uint32_t sign;    // 1 if samples are in two's complement
    uint32_t message; // place of the first error, which ends with a zero
} result;

static char message[256];
static uint8_t *input, *output;

static void keep_first(const char *text, void *unused) {
    if (!message[0]) {
        strncpy(message, text, sizeof message - 1);
    }
}

static void ignore(const char *text, void *unused) {}

struct source { const uint8_t *bytes; size_t length, at; };

static OPJ_SIZE_T read_source(void *to, OPJ_SIZE_T n, void *data) {
    struct source *s = data;
    size_t left = s->length - s->at;
    if (left == 0) return (OPJ_SIZE_T)-1;
    if (n > left) n = left;
    memcpy(to, s->bytes + s->at, n);
    s->at += n;
    return n;
}

static OPJ_OFF_T skip_source(OPJ_OFF_T n, void *data) {
    struct source *s = data;
    if (n < 0) return -1;
    size_t left = s->length - s->at;
    if ((uint64_t)n > left) n = left;
    s->at += n;
    return n;
}

static OPJ_BOOL seek_source(OPJ_OFF_T to, void *data) {
    struct source *s = data;
    if (to < 0 || (uint64_t)to > s->length) return OPJ_FALSE;
    s->at = to;
    return OPJ_TRUE;
}

static const char *interleave(const opj_image_t *m) {
    uint32_t width = m->x1 - m->x0, height = m->y1 - m->y0, channels = m->numcomps;
    const opj_image_comp_t *c = m->comps;
    for (uint32_t i = 0; i < channels; i++) {
        if (!c[i].data || !c[i].w || !c[i].h || c[i].factor || c[i].prec != c[0].prec ||
            c[i].sgnd != c[0].sgnd) {
            return "a component is missing or unlike the others";
        }
    }
    if (c[0].prec < 1 || c[0].prec > 16) return "samples have more than 16 bits";
    uint32_t size = c[0].prec > 8 ? 2 : 1;
    uint64_t bytes = (uint64_t)width * height * channels * size;
    output = bytes < UINT32_MAX ? malloc(bytes) : 0;
    if (!output) return "not enough memory for the samples";
    int32_t least = c[0].sgnd ? -(1 << (c[0].prec - 1)) : 0;
    int32_t largest = least + (int32_t)((1u << c[0].prec) - 1);
    for (uint32_t i = 0; i < channels; i++) {
        // The sample of a pixel is the one at or before it in the grid of the component.
        uint32_t x0 = (m->x0 + c[i].dx - 1) / c[i].dx, y0 = (m->y0 + c[i].dy - 1) / c[i].dy;
        for (uint32_t y = 0; y < height; y++) {
            uint32_t row = (m->y0 + y) / c[i].dy;
            row = row < y0 ? 0 : row - y0;
            if (row >= c[i].h) row = c[i].h - 1;
            const int32_t *from = c[i].data + (size_t)row * c[i].w;
            uint8_t *to = output + ((size_t)y * width * channels + i) * size;
            uint32_t column = m->x0 / c[i].dx, phase = m->x0 % c[i].dx;
            column = column < x0 ? 0 : column - x0;
            int before = m->x0 / c[i].dx < x0; // pixels before the first sample take that one
            for (uint32_t x = 0; x < width; x++, to += channels * size) {
                int32_t v = from[column < c[i].w ? column : c[i].w - 1];
                v = v < least ? least : v > largest ? largest : v;
                to[0] = (uint8_t)v;
                if (size == 2) to[1] = (uint8_t)(v >> 8);
                if (++phase == c[i].dx) {
                    phase = 0;
                    if (before) before = 0;
                    else column++;
                }
            }
        }
    }
    result.width = width;
    result.height = height;
    result.channels = channels;
    result.bits = c[0].prec;
    result.sign = c[0].sgnd;
    return 0;
}

// take returns a place for n bytes of input, or 0. Until the next call, most bounds the memory of the
// instance in bytes, and work the steps of reading packets, of some nanoseconds each.
EXPORT("take") uint8_t *take(uint32_t n, uint32_t most, uint32_t work) {
    most_memory = most;
    steps = work;
    free(input);
    free(output);
    output = 0;
    return input = malloc(n);
}

// decode decodes the n bytes at the place that take returned. It returns the place of the result;
// without samples it has a message.
EXPORT("decode") void *decode(uint32_t n) {
    memset(&result, 0, sizeof result);
    memset(message, 0, sizeof message);
    struct source source = {input, n, 0};
    opj_codec_t *codec = opj_create_decompress(OPJ_CODEC_J2K);
    opj_stream_t *stream = opj_stream_create(1 << 16, OPJ_TRUE);
    opj_image_t *image = 0;
    opj_dparameters_t parameters;
    opj_set_default_decoder_parameters(&parameters);
    const char *why = "not enough memory for the decoder";
    if (codec && stream) {
        opj_set_error_handler(codec, keep_first, 0);
        opj_set_warning_handler(codec, ignore, 0);
        opj_set_info_handler(codec, ignore, 0);
        opj_stream_set_user_data(stream, &source, 0);
        opj_stream_set_user_data_length(stream, n);
        opj_stream_set_read_function(stream, read_source);
        opj_stream_set_skip_function(stream, skip_source);
        opj_stream_set_seek_function(stream, seek_source);
        why = "the code stream is damaged";
        if (opj_setup_decoder(codec, &parameters) && opj_read_header(stream, codec, &image) &&
            opj_decode(codec, stream, image) && opj_end_decompress(codec, stream)) {
            why = interleave(image);
        }
    }
    opj_image_destroy(image);
    opj_destroy_codec(codec);
    opj_stream_destroy(stream);
    free(input);
    input = 0;
    if (why) {
        keep_first(why, 0);
        result.message = (uint32_t)message;
    } else {
        result.samples = (uint32_t)output;
    }
    return &result;
}
