// Bytes for what remembers them: small ones come from Buffer's pool, of which a few keep all 64 KiB, and parts of messages keep the whole. A cache
// that counts their lengths would hold many times as much.

/** With at most as much memory again beside them: the same bytes where they are half of what they lie in or more, else a copy. */
export function ownBytes(bytes: Uint8Array): Uint8Array {
  const isHalf = 2 * bytes.length >= bytes.buffer.byteLength
  return isHalf ? bytes : new Uint8Array(bytes)
}
