// Lines of a byte stream, in bounded memory whatever the stream holds.

const newline = 0x0a
const carriageReturn = 0x0d

/** A line longer than `bytesMax` comes cut to that length: whoever reads it will find it malformed. */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  bytesMax = 64 * 1024,
): AsyncIterable<string> {
  let parts: Uint8Array[] = []
  let length = 0
  const keep = (part: Uint8Array) => {
    const room = bytesMax - length
    if (room > 0 && part.length > 0) parts.push(part.subarray(0, room))
    length += Math.min(part.length, Math.max(room, 0))
  }
  const take = () => {
    const line = Buffer.concat(parts)
    parts = []
    length = 0
    return line.toString('utf8', 0, line.at(-1) === carriageReturn ? line.length - 1 : line.length)
  }
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      keep(chunk.subarray(start, end))
      yield take()
      start = end + 1
    }
    keep(chunk.subarray(start))
  }
  if (length > 0) yield take()
}
