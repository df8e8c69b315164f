// The bytes of a version that is to be compared or looked at in another thread.

export interface VersionBytes {
  readonly bytes: Uint8Array
  /** What is to be undone first. */
  readonly contentEncoding: string | undefined
  readonly contentType: string
  readonly url: string
  readonly capturedAtMs: number
}

/** As it came. Larger ones are not compared. */
export const versionBytesMax = 2 * 1024 * 1024

/** Gathers a body in memory that can be given to another thread: not of Buffer's pool. undefined when there is too much. */
export async function gatherVersion(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunks) {
    length += chunk.length
    if (length > versionBytesMax) return undefined
    parts.push(chunk)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
