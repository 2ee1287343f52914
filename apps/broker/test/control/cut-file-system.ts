import type { FileHandle, FileSystem } from "@kaas/storage";

type Call = (...args: never[]) => unknown;

/** A way to a file system that can be cut: nothing that is asked meanwhile is answered before it is mended. */
export class CutFileSystem {
  readonly fileSystem: FileSystem;
  #mended: Promise<void> = Promise.resolve();
  #mend: () => void = () => undefined;

  constructor(fileSystem: FileSystem) {
    this.fileSystem = this.#through(fileSystem);
  }

  cut(): void {
    this.#mended = new Promise((resolve) => {
      this.#mend = resolve;
    });
  }

  mend(): void {
    this.#mend();
  }

  #through<Target extends FileSystem | FileHandle>(target: Target): Target {
    return new Proxy(target, {
      get: (_, name): unknown => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        const call = member.bind(target) as Call;
        if (String(name).endsWith("Sync") && name !== "dataSync") return call;
        return async (...args: never[]): Promise<unknown> => {
          await this.#mended;
          const result = await call(...args);
          return name === "open" ? this.#through(result as FileHandle) : result;
        };
      },
    });
  }
}
