/** The name that was probably meant: few letters away, or undefined when none is near. */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let nearestDistance = Math.max(2, Math.floor(name.length / 4)) + 1;
  for (const candidate of names) {
    if (Math.abs(candidate.length - name.length) >= nearestDistance) continue;
    const distance = editDistance(name.toLowerCase(), candidate);
    if (distance >= nearestDistance) continue;
    nearest = candidate;
    nearestDistance = distance;
  }
  return nearest;
}

/** Levenshtein's distance: insertions, deletions and substitutions that make one text of the other. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const substituted = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}
