// y = act(alpha a·b + beta c) for a batch of matrices, (m, k) by (k, n), each read by its own strides: what tile64.wgsl and tile128.wgsl
// multiply. scalars.wgsl and vectors.wgsl read blocks of a and b.
//
// Where k is cut, the results of its slices lie one behind the other, alpha a·b alone, for join.wgsl.

@group(0) @binding(4) var<storage, read> c: array<f32>;

fn left_lines() -> u32 { return param(0u); }
fn right_lines() -> u32 { return param(1u); }

// The matrices of the result: of the batch, and of the slices of k.
fn matrices() -> u32 { return param(3u) * param(19u); }

fn depths(each: u32) -> vec2<u32> {
    let begin = (each / param(3u)) * param(18u);
    return vec2<u32>(begin, min(param(2u), begin + param(18u)));
}

// Where the first elements of four lines lie in a or b.
struct Lines { first: vec4<u32> }

fn lines_of(base: u32, line: u32, count: u32, stride: u32) -> Lines {
    return Lines(vec4<u32>(base) + min(vec4<u32>(line) + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(count - 1u)) * stride);
}

fn left_at(each: u32, row: u32) -> Lines { return lines_of((each % param(3u)) * param(8u), row, param(0u), param(4u)); }
fn right_at(each: u32, column: u32) -> Lines { return lines_of((each % param(3u)) * param(9u), column, param(1u), param(7u)); }

// put writes four neighbouring numbers of row r of a matrix, from column q on.
fn put(each: u32, r: u32, q: u32, sums: vec4<f32>) {
    let m = param(0u); let n = param(1u);
    if (r >= m) { return; }
    for (var j = 0u; j < 4u; j++) {
        if (q + j < n) {
            var v = real(13u) * sums[j];
            if (param(12u) != 0u) { v += real(14u) * c[r * param(10u) + (q + j) * param(11u)]; }
            y[(each * m + r) * n + q + j] = unary(param(15u), v, real(16u), real(17u));
        }
    }
}
