/** What a program that runs asks of its process. */
export interface ProcessHost {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether a person reads the standard output. */
  readonly isTerminal: boolean;
  /** File descriptor that log lines go to. */
  readonly logDescriptor: number;
  print(text: string): void;
  printError(text: string): void;
  onSignal(signal: "SIGTERM" | "SIGINT", stop: (signal: string) => void): void;
  onUncaught(failed: (error: unknown) => void): void;
  /** Ends the process at once. */
  exit(code: number): void;
  /** What the process ends with when nothing holds it any more. */
  setExitCode(code: number): void;
}

/** The process that this runs in. */
export const machineProcess: ProcessHost = {
  environment: process.env,
  isTerminal: process.stdout.isTTY,
  logDescriptor: 1,
  print: (text) => void process.stdout.write(text),
  printError: (text) => void process.stderr.write(text),
  onSignal: (signal, stop) => void process.on(signal, stop),
  onUncaught: (failed) => void process.on("uncaughtException", failed),
  exit: (code) => process.exit(code),
  setExitCode: (code) => {
    process.exitCode = code;
  },
};
