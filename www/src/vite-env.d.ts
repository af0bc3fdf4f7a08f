/// <reference types="svelte" />
/// <reference types="vite/client" />

declare module 'bagscope/bagscope.wasm?url' {
  const url: string;
  export default url;
}
