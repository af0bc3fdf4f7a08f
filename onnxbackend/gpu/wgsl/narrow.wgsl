// The convolution of conv.wgsl with an invocation for each element of the result: for parts of few maps, of which a tile of 64 would
// compute more beside the matter than of it, as in depthwise layers.

@group(0) @binding(2) var<storage, read> x: array<f32>;
@group(0) @binding(3) var<storage, read> w: array<f32>;
@group(0) @binding(4) var<storage, read> bias: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) at: u32) {
    let maps = param(0u); let pictures = param(1u); let sources = param(2u); let parts = param(3u);
    let height = param(4u); let width = param(5u); let out_height = param(6u); let out_width = param(7u);
    let kernel_height = param(8u); let kernel_width = param(9u);
    let positions = out_height * out_width;
    let i = group_of(group, groups) * 256u + at;
    if (i >= pictures * parts * maps * positions) { return; }
    let place = i % positions;
    let map = (i / positions) % (parts * maps);
    let picture = i / (positions * parts * maps);
    let top = i32((place / out_width) * param(10u)) - i32(param(14u));
    let start = i32((place % out_width) * param(11u)) - i32(param(15u));
    var v = 0.0;
    var weight = map * sources * kernel_height * kernel_width;
    for (var c = 0u; c < sources; c++) {
        let plane = ((picture * parts + map / maps) * sources + c) * height * width;
        for (var p = 0u; p < kernel_height; p++) {
            let r = top + i32(p * param(12u));
            for (var q = 0u; q < kernel_width; q++) {
                let s = start + i32(q * param(13u));
                if (r >= 0 && s >= 0 && r < i32(height) && s < i32(width)) {
                    v = fma(w[weight], x[plane + u32(r) * width + u32(s)], v);
                }
                weight++;
            }
        }
    }
    if (param(16u) != 0u) { v += bias[map]; }
    y[i] = unary(param(17u), v, real(18u), real(19u));
}
