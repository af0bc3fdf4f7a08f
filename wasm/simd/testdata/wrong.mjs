// Modules with one mistake.

/** The bytes of a module in base64. */
export const decode = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));

/** Where the module adds vectors of float32 or of float64: a vector's prefix and the operator. */
export function additions(module) {
  const ADD = [0xe4, 0xf0];
  const found = [];
  for (let i = 0; i + 2 < module.length; i++) {
    if (module[i] === 0xfd && ADD.includes(module[i + 1]) && module[i + 2] === 0x01) found.push(i);
  }
  return found;
}

/** The module with one addition, by number, turned into a subtraction. */
export function wrong(module, number) {
  const copy = module.slice();
  copy[additions(module)[number] + 1]++;
  return copy;
}
