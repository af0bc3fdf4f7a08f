import { readFileSync } from "node:fs";

/** The largest resident set that a process had, in bytes. */
export function peakOf(pid) {
  const found = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  if (!found) throw new Error("this system does not tell how large a process grew");
  return Number(found[1]) * 1024;
}
