// y = act(w * x + bias), a convolution over planes as the product that tile64.wgsl and tile128.wgsl multiply: weights (map, depth) by patches
// (depth, place), where depth runs over taps and in a tap over channels, and place over pictures and positions. Patches are never written:
// patches.wgsl and pointwise.wgsl read blocks of them where they lie. Weights are in this order, a row of them padded by zeros to a
// multiple of four.

@group(0) @binding(3) var<storage, read> w: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> bias: array<f32>;

fn positions() -> u32 { return param(6u) * param(7u); }
fn left_lines() -> u32 { return param(0u); } // maps of a part
fn right_lines() -> u32 { return param(1u) * positions(); }
fn matrices() -> u32 { return param(3u); } // parts
fn depths(part: u32) -> vec2<u32> { return vec2<u32>(0u, param(20u)); }

// Four lines of weights, of which first has the places; or four places of the result, with their first channel, and the row and the column of
// their first tap.
struct Lines { first: vec4<u32>, top: vec4<i32>, start: vec4<i32> }

fn left_at(part: u32, map: u32) -> Lines {
    var l: Lines;
    l.first = (part * param(0u) + min(map + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(param(0u) - 1u))) * param(20u);
    return l;
}

fn right_at(part: u32, place: u32) -> Lines {
    let q = min(place + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(right_lines() - 1u));
    let at = q % positions();
    var l: Lines;
    l.first = ((q / positions()) * param(3u) + part) * param(2u) * param(4u) * param(5u);
    l.top = vec4<i32>((at / param(7u)) * param(10u)) - i32(param(14u));
    l.start = vec4<i32>((at % param(7u)) * param(11u)) - i32(param(15u));
    return l;
}

// Depth beyond the end counts as zero.
fn left_block(l: Lines, depth: u32, end: u32) -> mat4x4<f32> {
    let p = (l.first + min(depth, end - 4u)) / 4u;
    if (depth >= end) { return mat4x4<f32>(); }
    return transpose(mat4x4<f32>(w[p.x], w[p.y], w[p.z], w[p.w]));
}

// put writes the numbers of map r of a part at four places, from q on.
fn put(part: u32, r: u32, q: u32, sums: vec4<f32>) {
    if (r >= param(0u)) { return; }
    let map = part * param(0u) + r;
    for (var j = 0u; j < 4u; j++) {
        if (q + j < right_lines()) {
            var v = sums[j];
            if (param(16u) != 0u) { v += bias[map]; }
            let to = ((q + j) / positions()) * param(3u) * param(0u) + map;
            y[to * positions() + (q + j) % positions()] = unary(param(17u), v, real(18u), real(19u));
        }
    }
}
