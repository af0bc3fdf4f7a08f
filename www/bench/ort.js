// ONNX Runtime, natively or in a browser, at what it can do: one forward pass after another.

/** Returns a function that opens a subject's model and bag, each once. */
export function opener(ort, bytes, sessionOptions) {
  const open = new Map();
  return async (subject) => {
    if (!open.has(subject.id)) {
      const session = await ort.InferenceSession.create(
        await bytes(subject.id + '.onnx'),
        sessionOptions,
      );
      open.set(subject.id, {
        ort,
        session,
        subject,
        values: npyValues(await bytes(subject.id + '.npy')),
      });
    }
    return open.get(subject.id);
  };
}

/** The numbers of a .npy file of float32. */
export function npyValues(bytes) {
  const start = 10 + bytes[8] + 256 * bytes[9];
  return new Float32Array(
    bytes.buffer.slice(bytes.byteOffset + start, bytes.byteOffset + bytes.length),
  );
}

/** The mean time of a forward pass, or the time of a loop over coalitions, in milliseconds. */
export async function measure(model, { task, repeat = 1, sample }) {
  const { values, subject } = model;
  const from = performance.now();
  for (let i = 0; i < repeat; i++) {
    if (task === 'forward') await forward(model, values, subject.instances);
    else
      for (const members of sample) await forward(model, gathered(model, members), members.length);
  }
  return (performance.now() - from) / repeat;
}

async function forward({ ort, session, subject }, values, instances) {
  const bag = new ort.Tensor('float32', values, [instances, ...subject.shape]);
  const outputs = await session.run({ [session.inputNames[0]]: bag });
  for (const output of Object.values(outputs)) output.dispose?.();
}

/** The values of some instances. */
function gathered({ values, subject }, members) {
  const stride = subject.shape.reduce((a, b) => a * b, 1);
  const out = new Float32Array(members.length * stride);
  members.forEach((i, at) => out.set(values.subarray(i * stride, (i + 1) * stride), at * stride));
  return out;
}
