// Sums over the members of coalitions: bits (coalition, instance) by rows (instance, column), for one slice of the instances after the other,
// whose sums join.wgsl adds up. Tiles are those of product.wgsl, 32 instances at a time: one word of each of 64 coalitions.
//
// Sums go over to others after 256 instances, so that no chain of additions is longer.

@group(0) @binding(1) var<storage, read_write> y: array<f32>; // (slice, coalition, column)
@group(0) @binding(2) var<storage, read> z: array<u32>;       // (coalition, word)
@group(0) @binding(3) var<storage, read> rows: array<f32>;    // (instance, column) of a part of the bag

var<workgroup> words: array<u32, 64>;
var<workgroup> right: array<vec4<f32>, 512>; // (instance, column/4)

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) at: u32) {
    let n = param(0u); let d = param(1u); // coalitions and columns
    let instances = param(2u); // of the part
    let stride = param(3u); let first_word = param(4u); // of a row of z, and where the part begins in it
    let slice = param(5u); let slices = param(6u); let first_slice = param(7u); // words of a slice, and slices of the part
    let columns = (d + 63u) / 64u;
    let tiles = ((n + 63u) / 64u) * columns;
    let tile = group_of(group, groups);
    if (tile >= tiles * slices) { return; }
    let row = ((tile % tiles) / columns) * 64u;
    let column = (tile % columns) * 64u;
    let end = min((tile / tiles + 1u) * slice, (instances + 31u) / 32u);

    let quad = at % 16u; let lane = at / 16u;
    var total: array<vec4<f32>, 4>;
    var sum: array<vec4<f32>, 4>;
    for (var word = (tile / tiles) * slice; word < end; word++) {
        if (at < 64u && row + at < n) { words[at] = z[(row + at) * stride + first_word + word]; }
        for (var half = 0u; half < 2u; half++) {
            let i = word * 32u + half * 16u + lane;
            var v = vec4<f32>();
            if (i < instances) {
                for (var j = 0u; j < 4u; j++) {
                    let q = column + quad * 4u + j;
                    if (q < d) { v[j] = rows[i * d + q]; }
                }
            }
            right[(half * 16u + lane) * 16u + quad] = v;
        }
        workgroupBarrier();
        let members = vec4<u32>(words[lane * 4u], words[lane * 4u + 1u], words[lane * 4u + 2u], words[lane * 4u + 3u]);
        for (var s = 0u; s < 32u; s++) {
            let v = right[s * 16u + quad];
            let is = vec4<f32>((members >> vec4<u32>(s)) & vec4<u32>(1u));
            sum[0] = fma(vec4<f32>(is.x), v, sum[0]);
            sum[1] = fma(vec4<f32>(is.y), v, sum[1]);
            sum[2] = fma(vec4<f32>(is.z), v, sum[2]);
            sum[3] = fma(vec4<f32>(is.w), v, sum[3]);
        }
        if (word % 8u == 7u || word + 1u == end) {
            for (var i = 0u; i < 4u; i++) { total[i] += sum[i]; sum[i] = vec4<f32>(); }
        }
        workgroupBarrier();
    }
    for (var i = 0u; i < 4u; i++) {
        let r = row + lane * 4u + i;
        for (var j = 0u; j < 4u; j++) {
            let q = column + quad * 4u + j;
            if (r < n && q < d) { y[((first_slice + tile / tiles) * n + r) * d + q] = total[i][j]; }
        }
    }
}
