import type { TextSink } from "../surroundings.js";

/** How results are written: for people, or for programs. */
export const OUTPUT_FORMATS = ["table", "json", "yaml"] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** Writes results in the format that was asked for. */
export class Output {
  readonly format: OutputFormat;
  readonly #sink: TextSink;

  constructor(format: OutputFormat, sink: TextSink) {
    this.format = format;
    this.#sink = sink;
  }

  /** Whether nobody reads any more. */
  get isClosed(): boolean {
    return this.#sink.isClosed;
  }

  text(text: string): Promise<void> {
    return this.#sink.write(text);
  }

  /** One result: `value` for programs, `table` for people. */
  async print(value: unknown, table: () => string): Promise<void> {
    if (this.format === "table") await this.#sink.write(table());
    else if (this.format === "json") await this.#sink.write(`${JSON.stringify(value, null, 2)}\n`);
    else await this.#sink.write(await yamlOf(value));
  }

  /** A list of which nobody knows how long it will be: items are written as they come, and are one document. */
  async list(): Promise<ListOutput> {
    const { format } = this;
    let count = 0;
    const write = (text: string): Promise<void> => this.#sink.write(text);
    return {
      item: async (value, table) => {
        count++;
        if (format === "table") await write(table());
        else if (format === "json") await write(`${count === 1 ? "[\n" : ",\n"}${JSON.stringify(value)}`);
        else await write(await yamlOf([value]));
      },
      end: async () => {
        if (format === "json") await write(count === 0 ? "[]\n" : "\n]\n");
        if (format === "yaml" && count === 0) await write("[]\n");
      },
    };
  }
}

/** A list that is being written. */
export interface ListOutput {
  item(value: unknown, table: () => string): Promise<void>;
  end(): Promise<void>;
}

/** Loaded when it is asked for: most runs do not need it. */
async function yamlOf(value: unknown): Promise<string> {
  const { stringify } = await import("yaml");
  return stringify(JSON.parse(JSON.stringify(value)), { lineWidth: 0 });
}
