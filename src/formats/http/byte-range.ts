// Byte range: the part of a body that a `Range` header asks for (RFC 9110, section 14).
//
// One range is answered; several are answered with the whole, as the standard allows: players never send them, and a
// thousand overlapping ones are an attack. What cannot be read as a range is ignored, as the standard demands.

export interface ByteRange {
  readonly start: number
  /** Excluded. */
  readonly end: number
}

/** undefined: answer with the whole. `unsatisfiable`: there is nothing there. */
export function parseByteRange(
  header: string | undefined,
  sizeBytes: number,
): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=[ \t]*([0-9]{0,15})-([0-9]{0,15})[ \t]*$/i.exec(header ?? '')
  if (match === null) return undefined
  const [, first = '', last = ''] = match
  if (first === '') {
    if (last === '') return undefined
    const count = Math.min(Number(last), sizeBytes)
    return count === 0 ? 'unsatisfiable' : { start: sizeBytes - count, end: sizeBytes }
  }
  const start = Number(first)
  const end = last === '' ? sizeBytes : Math.min(Number(last) + 1, sizeBytes)
  if (last !== '' && Number(last) < start) return undefined
  return start >= sizeBytes ? 'unsatisfiable' : { start, end }
}

/** Just those bytes of what flows. Stops reading at their end. */
export async function* sliceOf(
  chunks: AsyncIterable<Uint8Array>,
  { start, end }: ByteRange,
): AsyncGenerator<Uint8Array> {
  let position = 0
  for await (const chunk of chunks) {
    const from = Math.max(0, start - position)
    const to = Math.min(chunk.length, end - position)
    if (from < to) yield chunk.subarray(from, to)
    position += chunk.length
    if (position >= end) return
  }
}
