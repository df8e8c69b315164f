// Writing all of several chunks with a system call that may write only part of them.

/** Writes some of the chunks' bytes from this position on, and says how many. */
type PartialWrite = (position: number, chunks: Uint8Array[]) => number | Promise<number>

/** Writes again what is left, until all is written. False when nothing more is taken. */
export async function writeWhole(
  write: PartialWrite,
  position: number,
  chunks: Uint8Array[],
): Promise<boolean> {
  let rest = chunks.filter((chunk) => chunk.length > 0)
  let at = position
  while (rest.length > 0) {
    const writing = write(at, rest)
    const written = writing instanceof Promise ? await writing : writing
    if (written === 0) return false
    at += written
    rest = withoutFirst(rest, written)
  }
  return true
}

function withoutFirst(chunks: Uint8Array[], bytes: number): Uint8Array[] {
  let index = 0
  let left = bytes
  while (index < chunks.length && left >= chunks[index]!.length) left -= chunks[index++]!.length
  const rest = chunks.slice(index)
  if (left > 0) rest[0] = rest[0]!.subarray(left)
  return rest
}
