// Base32 (RFC 4648) without padding, as SHA-1 digests are written in WARC files.

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

const valueByCode = new Int8Array(128).fill(-1)
for (const [value, letter] of [...alphabet].entries()) {
  valueByCode[letter.charCodeAt(0)] = value
  valueByCode[letter.toLowerCase().charCodeAt(0)] = value
}

export function base32Of(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let bitCount = 0
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xfff
    bitCount += 8
    while (bitCount >= 5) {
      bitCount -= 5
      text += alphabet[(bits >> bitCount) & 31]
    }
  }
  return bitCount === 0 ? text : text + alphabet[(bits << (5 - bitCount)) & 31]
}

/** Undefined if a letter is foreign, or if bits are left over that no encoder would have set. */
export function bytesOfBase32(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(Math.floor((text.length * 5) / 8))
  let bits = 0
  let bitCount = 0
  let length = 0
  for (let i = 0; i < text.length; i += 1) {
    const value = valueByCode[text.charCodeAt(i)] ?? -1
    if (value === -1) return undefined
    bits = ((bits << 5) | value) & 0xfff
    bitCount += 5
    if (bitCount >= 8) {
      bitCount -= 8
      bytes[length] = bits >> bitCount
      length += 1
    }
  }
  return (bits & ((1 << bitCount) - 1)) === 0 ? bytes : undefined
}
