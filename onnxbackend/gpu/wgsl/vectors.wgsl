// Blocks of 4 lines by 4 steps of depth for product.wgsl, read by fours along the dimension of stride 1. k, the sizes of these dimensions and
// the other strides are multiples of four. Depth beyond the end counts as zero in the left operand.

@group(0) @binding(2) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> b: array<vec4<f32>>;

// Where the four vectors of a block lie: one of each line, or one of each step of depth.
fn places(lines: Lines, depth: u32, end: u32, stride: u32) -> vec4<u32> {
    let d = min(depth, end - 4u);
    if (stride == 1u) { return (lines.first + d) / 4u; }
    return (lines.first.x + (d + vec4<u32>(0u, 1u, 2u, 3u)) * stride) / 4u;
}

fn left_block(lines: Lines, depth: u32, end: u32) -> mat4x4<f32> {
    let p = places(lines, depth, end, param(5u));
    var v = mat4x4<f32>(a[p.x], a[p.y], a[p.z], a[p.w]);
    if (depth >= end) { v = mat4x4<f32>(); }
    if (param(5u) == 1u) { return transpose(v); }
    return v;
}

fn right_block(lines: Lines, depth: u32, end: u32) -> mat4x4<f32> {
    let p = places(lines, depth, end, param(6u));
    let v = mat4x4<f32>(b[p.x], b[p.y], b[p.z], b[p.w]);
    if (param(6u) == 1u) { return transpose(v); }
    return v;
}
