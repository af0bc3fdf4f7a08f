// y = act(w * x + bias), a convolution over planes as a product: weights (map, depth) by patches (depth, place), where depth runs over
// channels and taps, and place over pictures and positions. Patches are never written: a tile of them is read where it lies.
// Tiles are those of product.wgsl.

@group(0) @binding(2) var<storage, read> x: array<f32>;
@group(0) @binding(3) var<storage, read> w: array<f32>;
@group(0) @binding(4) var<storage, read> bias: array<f32>;

var<workgroup> left: array<vec4<f32>, 256>;
var<workgroup> right: array<vec4<f32>, 256>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) at: u32) {
    let maps = param(0u); let pictures = param(1u); let sources = param(2u); let parts = param(3u); // maps and sources of a part
    let height = param(4u); let width = param(5u); let out_height = param(6u); let out_width = param(7u);
    let kernel_height = param(8u); let kernel_width = param(9u);
    let taps = kernel_height * kernel_width;
    let k = sources * taps;
    let positions = out_height * out_width;
    let n = pictures * positions;
    let columns = (n + 63u) / 64u;
    let rows = (maps + 63u) / 64u;
    let tile = group_of(group, groups);
    let part = tile / (rows * columns);
    if (part >= parts) { return; }
    let row = ((tile / columns) % rows) * 64u;
    let column = (tile % columns) * 64u;

    let quad = at % 16u; let lane = at / 16u;
    // Names and no indices: devices keep an indexed array in memory and not in registers.
    var s0 = vec4<f32>(); var s1 = vec4<f32>(); var s2 = vec4<f32>(); var s3 = vec4<f32>();
    var base: vec4<u32>;   // of the pictures of this invocation's four places
    var top: vec4<i32>;    // row and column of the first tap
    var start: vec4<i32>;
    for (var j = 0u; j < 4u; j++) {
        let q = min(column + quad * 4u + j, n - 1u);
        let place = q % positions;
        base[j] = ((q / positions) * parts + part) * sources * height * width;
        top[j] = i32((place / out_width) * param(10u)) - i32(param(14u));
        start[j] = i32((place % out_width) * param(11u)) - i32(param(15u));
    }

    for (var begin = 0u; begin < k; begin += 16u) {
        let ka = begin + quad;
        var v = vec4<f32>();
        if (ka < k) {
            for (var i = 0u; i < 4u; i++) {
                let r = row + lane * 4u + i;
                if (r < maps) { v[i] = w[(part * maps + r) * k + ka]; }
            }
        }
        left[quad * 16u + lane] = v;
        let kb = begin + lane;
        var z = vec4<f32>();
        if (kb < k) {
            let tap = kb % taps;
            let down = i32((tap / kernel_width) * param(12u));
            let along = i32((tap % kernel_width) * param(13u));
            let plane = (kb / taps) * height * width;
            for (var j = 0u; j < 4u; j++) {
                let r = top[j] + down;
                let s = start[j] + along;
                if (r >= 0 && s >= 0 && r < i32(height) && s < i32(width)) {
                    z[j] = x[base[j] + plane + u32(r) * width + u32(s)];
                }
            }
        }
        right[lane * 16u + quad] = z;
        workgroupBarrier();
        for (var s = 0u; s < 16u; s++) {
            let p = left[s * 16u + lane];
            let q = right[s * 16u + quad];
            s0 = fma(vec4<f32>(p.x), q, s0);
            s1 = fma(vec4<f32>(p.y), q, s1);
            s2 = fma(vec4<f32>(p.z), q, s2);
            s3 = fma(vec4<f32>(p.w), q, s3);
        }
        workgroupBarrier();
    }

    let r = row + lane * 4u;
    let q = column + quad * 4u;
    put(part, r, q, s0);
    put(part, r + 1u, q, s1);
    put(part, r + 2u, q, s2);
    put(part, r + 3u, q, s3);
}

// put writes the numbers of map r of a part at four places, from q on.
fn put(part: u32, r: u32, q: u32, sums: vec4<f32>) {
    let maps = param(0u); let positions = param(6u) * param(7u);
    if (r >= maps) { return; }
    for (var j = 0u; j < 4u; j++) {
        if (q + j < param(1u) * positions) {
            var v = sums[j];
            if (param(16u) != 0u) { v += bias[part * maps + r]; }
            let to = (((q + j) / positions) * param(3u) + part) * maps + r;
            y[to * positions + (q + j) % positions] = unary(param(17u), v, real(18u), real(19u));
        }
    }
}
