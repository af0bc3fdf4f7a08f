// Blocks of four places by four channels for conv.wgsl with windows of one place, no padding and no strides, in planes whose size is a multiple
// of four: places are read by fours.

@group(0) @binding(2) var<storage, read> x: array<vec4<f32>>;

fn right_block(l: Lines, depth: u32, end: u32) -> mat4x4<f32> {
    let plane = positions() / 4u;
    let channel = min(depth + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(param(2u) - 1u));
    let p = (l.first.x + u32(l.top.x) * param(5u) + u32(l.start.x)) / 4u + channel * plane;
    return mat4x4<f32>(x[p.x], x[p.y], x[p.z], x[p.w]);
}
