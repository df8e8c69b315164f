// Percent-encoding, in the two forms an archive needs.
//
// For fetching the bytes must reach the server as the page spelt them, so only the case of the hex digits is
// made one. For SURT keys every spelling of a byte must come out the same, so all are decoded, repeatedly, and
// the fewest possible encoded again.
//
// Strings here are "byte strings": one character per byte, 0 to 255. Time and memory are linear in the input.

const percent = 0x25

/** `%3a` becomes `%3A`; a `%` that encodes nothing stays. */
export function upperCasePercents(text: string): string {
  if (!text.includes('%')) return text
  return text.replace(/%[0-9a-f]{2}/gi, (encoded) => encoded.toUpperCase())
}

/**
 * Decodes until nothing changes: `%2541` is `A`.
 *
 * Doing it in rounds takes quadratic time on `%252525…`. Encoded bytes never overlap, so the order of decoding
 * does not matter: one pass over a stack, decoding whenever its top is an encoded byte, ends at the same text.
 */
export function decodeRepeatedly(bytes: string): string {
  const first = bytes.indexOf('%')
  if (first === -1) return bytes
  const stack = Buffer.allocUnsafe(bytes.length)
  let length = 0
  for (let i = first; i < bytes.length; i += 1) {
    stack[length] = bytes.charCodeAt(i)
    length += 1
    while (length >= 3 && stack[length - 3] === percent) {
      const high = hexValue(stack[length - 2]!)
      const low = hexValue(stack[length - 1]!)
      if (high === -1 || low === -1) break
      length -= 2
      stack[length - 1] = high * 16 + low
    }
  }
  return bytes.slice(0, first) + stack.toString('latin1', 0, length)
}

/** Encodes what a key must not hold as it is: controls, space, `#`, `%` and all beyond ASCII. Lower-case hex. */
export function encodeMinimally(bytes: string): string {
  return bytes.replace(/[^\x21\x22\x24\x26-\x7e]/g, encodeByte)
}

/** A string as the byte string of its UTF-8; a lone surrogate becomes U+FFFD. */
export function utf8ByteString(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

function encodeByte(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`
}

function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}
