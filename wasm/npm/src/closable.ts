/// <reference lib="esnext.disposable" preserve="true" />

/** Compilers of `using` look for these symbols where the standard ones are missing. */
const registered = (name: string): never => Symbol.for(name) as never;
const dispose: typeof Symbol.dispose = Symbol.dispose ?? registered("Symbol.dispose");
const asyncDispose: typeof Symbol.asyncDispose =
  Symbol.asyncDispose ?? registered("Symbol.asyncDispose");

/** What `using` and `await using` close. */
export abstract class Closable implements Disposable, AsyncDisposable {
  abstract close(): void;

  [dispose](): void {
    this.close();
  }

  async [asyncDispose](): Promise<void> {
    this.close();
  }
}
