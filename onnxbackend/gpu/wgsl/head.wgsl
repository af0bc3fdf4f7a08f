// What every kernel begins with: its parameters, and which workgroup it is.
//
// Work is counted in workgroups over two dimensions, because one holds 65,535 of them at most.

@group(0) @binding(0) var<uniform> params: array<vec4<u32>, 8>;

fn param(i: u32) -> u32 { return params[i / 4u][i % 4u]; }
fn real(i: u32) -> f32 { return bitcast<f32>(param(i)); }
fn group_of(id: vec3<u32>, count: vec3<u32>) -> u32 { return id.y * count.x + id.x; }
