const NAME_LENGTH_MAX = 249;
const LEGAL = /^[a-zA-Z0-9._-]+$/;
/** Names that the volume keeps for itself. */
const RESERVED_PREFIXES = ["__cluster", ".deleting-"];

/** What is wrong with a topic name, or undefined. The rules are Kafka's, and two prefixes that the volume needs. */
export function topicNameProblem(name: string): string | undefined {
  if (name === "") return "the empty string is not allowed";
  if (name === "." || name === "..") return "'.' and '..' are not allowed";
  if (name.length > NAME_LENGTH_MAX) return `the name is longer than ${NAME_LENGTH_MAX} characters`;
  if (!LEGAL.test(name)) return "only ASCII letters and digits, '.', '_' and '-' are allowed";
  const reserved = RESERVED_PREFIXES.find((prefix) => name.startsWith(prefix));
  return reserved === undefined ? undefined : `names that begin with '${reserved}' are reserved`;
}

/** Names that differ only in '.' and '_' share their metric names in Kafka, so the second is refused. */
export function collisionKey(name: string): string {
  return name.replaceAll(".", "_");
}
