// The body of a function as a list of instructions, and back.
//
// An instruction is { op, a, b }: the operation's byte and its operands. A branch names the block that it
// leaves (or the loop that it begins again) rather than how many blocks lie between, so that blocks may come
// and go around it; an `end` names the block that it ends.

import { signed, signed64, signed64Bytes, signedBytes, unsigned, unsignedBytes } from "../leb128.mjs";

/** The operations that a pass names. */
export const op = {
  ...{
    unreachable: 0x00,
    nop: 0x01,
    block: 0x02,
    loop: 0x03,
    if: 0x04,
    else: 0x05,
    end: 0x0b,
    br: 0x0c,
    brIf: 0x0d,
    brTable: 0x0e,
  },
  ...{ return: 0x0f, call: 0x10, callIndirect: 0x11, drop: 0x1a, select: 0x1b },
  ...{ localGet: 0x20, localSet: 0x21, localTee: 0x22, globalGet: 0x23, globalSet: 0x24 },
  ...{
    i32Load: 0x28,
    i64Load: 0x29,
    i32Load8U: 0x2d,
    i64Load32U: 0x35,
    i32Store: 0x36,
    i64Store: 0x37,
    i64Store32: 0x3e,
  },
  ...{ i32Const: 0x41, i64Const: 0x42, f32Const: 0x43, f64Const: 0x44 },
  ...{
    i32Eqz: 0x45,
    i32LtU: 0x49,
    i64Eqz: 0x50,
    i32Add: 0x6a,
    i32Sub: 0x6b,
    i32Mul: 0x6c,
    i32DivU: 0x6e,
    i32And: 0x71,
    i64Add: 0x7c,
    i64Or: 0x84,
    i64ShrU: 0x88,
  },
  ...{ i32WrapI64: 0xa7, i64ExtendI32S: 0xac, i64ExtendI32U: 0xad, wide: 0xfc },
};

/** The block type of one that takes and leaves nothing. */
export const empty = 0x40;

export const isBlock = ({ op: o }) => o >= op.block && o <= op.if;
export const isLoad = ({ op: o }) => o >= 0x28 && o <= 0x35;
export const isStore = ({ op: o }) => o >= 0x36 && o <= 0x3e;

/**
 * The instructions of a body, which ends with its last `end`; that one's block is `body`, as is the target
 * of a branch out of the function. Null for a body with an instruction that Go 1.26 does not write.
 */
export function decode(bytes) {
  const reader = { bytes, at: 0 };
  const body = { op: 0 };
  const open = [body];
  const list = [];
  const target = () => open.at(-1 - unsigned(reader));
  while (reader.at < bytes.length) {
    const from = reader.at;
    const i = { op: bytes[reader.at++] };
    list.push(i);
    if (isBlock(i)) {
      i.a = bytes[reader.at++];
      open.push(i);
    } else if (i.op === op.end) i.a = open.pop();
    else if (i.op === op.else) i.a = open.at(-1);
    else if (i.op === op.br || i.op === op.brIf) i.a = target();
    else if (i.op === op.brTable) i.a = Array.from({ length: unsigned(reader) + 1 }, target);
    else if (i.op === op.call || (i.op >= op.localGet && i.op <= op.globalSet)) i.a = unsigned(reader);
    else if (isLoad(i) || isStore(i)) [i.a, i.b] = [unsigned(reader), unsigned(reader)];
    else if (i.op === op.i32Const) i.a = signed(reader);
    else if (i.op === op.i64Const) i.a = signed64(reader);
    else if (!skip(reader, i.op)) return null;
    else i.raw = bytes.subarray(from, reader.at);
  }
  return list;
}

/** Moves behind the operands of an instruction that is kept as it is. */
function skip(reader, operation) {
  if (operation === op.f32Const) reader.at += 4;
  else if (operation === op.f64Const) reader.at += 8;
  else if (operation === 0x3f || operation === 0x40)
    reader.at++; // memory.size and memory.grow
  else if (operation === op.callIndirect) [unsigned(reader), unsigned(reader)];
  else if (operation === op.wide) {
    const which = unsigned(reader);
    if (which === 10)
      reader.at += 2; // memory.copy
    else if (which === 11)
      reader.at++; // memory.fill
    else if (which > 7) return false; // up to 7, conversions from floats
  } else return operation < 0xc5 && (operation >= 0x45 || operation <= op.select);
  return true;
}

/** The bytes of a list of instructions. */
export function encode(list) {
  const bytes = [];
  const open = [];
  const depth = (block) => unsignedBytes(open.length - 1 - open.lastIndexOf(block)); // out of the function: of none
  for (const i of list) {
    if (i.raw) {
      bytes.push(...i.raw);
      continue;
    }
    bytes.push(i.op);
    if (isBlock(i)) {
      bytes.push(i.a);
      open.push(i);
    } else if (i.op === op.end) open.pop();
    else if (i.op === op.br || i.op === op.brIf) bytes.push(...depth(i.a));
    else if (i.op === op.brTable) bytes.push(...unsignedBytes(i.a.length - 1), ...i.a.flatMap(depth));
    else if (i.op === op.i32Const) bytes.push(...signedBytes(i.a));
    else if (i.op === op.i64Const) bytes.push(...signed64Bytes(i.a));
    else if (isLoad(i) || isStore(i)) bytes.push(...unsignedBytes(i.a), ...unsignedBytes(i.b));
    else if (i.op !== op.else && i.a !== undefined) bytes.push(...unsignedBytes(i.a));
  }
  return bytes;
}
