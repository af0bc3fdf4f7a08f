// The other end of child.go: a request a line, a reply a line.
import readline from "node:readline";

/** Answers requests with the handlers of their op, one after another, until the input ends. */
export async function serve(handlers) {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    let reply;
    try {
      if (!handlers[request.op]) throw new Error(`${request.op} is no request of this engine`);
      reply = await handlers[request.op](request);
    } catch (error) {
      reply = { error: String(error?.message ?? error).split("\n")[0] };
    }
    process.stdout.write(JSON.stringify(reply) + "\n");
  }
}
