/** What gives Chromium a graphics processor that is a program on the CPU. */
export const flags = [
  "--enable-unsafe-webgpu",
  "--use-webgpu-adapter=swiftshader",
  "--enable-features=Vulkan",
];
