/** A program that locks the directory it is given, says so, and waits to be killed. */
import { posixFileSystem } from "../file-system/posix.js";

await posixFileSystem.lock(process.argv[2] as string);
process.stdout.write("locked\n");
setInterval(() => undefined, 60_000);
