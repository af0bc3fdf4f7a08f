// The convolution of conv.wgsl with an invocation for four neighbours in a row of the result: for parts of few maps, of which a tile of 64 would
// compute more beside the matter than of it, as in depthwise layers. Without strides and dilations, four neighbours read of a tap
// what they read of the tap before, moved by one place, so that each element is read once for a row of the window.

@group(0) @binding(2) var<storage, read> x: array<f32>;
@group(0) @binding(3) var<storage, read> w: array<f32>;
@group(0) @binding(4) var<storage, read> bias: array<f32>;

// An element of a row of the picture, or the padding.
fn element(row: u32, s: i32) -> f32 {
    if (s < 0 || s >= i32(param(5u))) { return 0.0; }
    return x[row + u32(s)];
}

// What four neighbours read of a tap.
fn neighbours(row: u32, s: i32) -> vec4<f32> {
    let step = i32(param(11u));
    return vec4<f32>(element(row, s), element(row, s + step), element(row, s + 2 * step), element(row, s + 3 * step));
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) at: u32) {
    let maps = param(0u); let pictures = param(1u); let sources = param(2u); let parts = param(3u);
    let height = param(4u); let width = param(5u); let out_height = param(6u); let out_width = param(7u);
    let kernel_height = param(8u); let kernel_width = param(9u);
    let fours = (out_width + 3u) / 4u;
    let i = group_of(group, groups) * 256u + at;
    if (i >= pictures * parts * maps * out_height * fours) { return; }
    let column = (i % fours) * 4u;
    let line = (i / fours) % out_height;
    let plane_out = i / (fours * out_height); // a plane is a picture and a map
    let map = plane_out % (parts * maps);
    let picture = plane_out / (parts * maps);
    let top = i32(line * param(10u)) - i32(param(14u));
    let start = i32(column * param(11u)) - i32(param(15u));
    let slides = param(11u) == 1u && param(13u) == 1u;
    var v = vec4<f32>();
    var weight = map * sources * kernel_height * kernel_width;
    for (var source = 0u; source < sources; source++) {
        let plane = ((picture * parts + map / maps) * sources + source) * height * width;
        for (var p = 0u; p < kernel_height; p++) {
            let r = top + i32(p * param(12u));
            if (r >= 0 && r < i32(height)) {
                let row = plane + u32(r) * width;
                var read = neighbours(row, start);
                for (var q = 0u; q < kernel_width; q++) {
                    v = fma(vec4<f32>(w[weight + q]), read, v);
                    if (slides) {
                        read = vec4<f32>(read.yzw, element(row, start + i32(q) + 4));
                    } else {
                        read = neighbours(row, start + i32((q + 1u) * param(13u)));
                    }
                }
            }
            weight += kernel_width;
        }
    }
    if (param(16u) != 0u) { v += bias[map]; }
    for (var j = 0u; j < 4u; j++) {
        if (column + j < out_width) {
            y[(plane_out * out_height + line) * out_width + column + j] = unary(param(17u), v[j], real(18u), real(19u));
        }
    }
}
