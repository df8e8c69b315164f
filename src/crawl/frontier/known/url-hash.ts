// URL hash: the identity of a URL in the set of known ones, 96 bits made fast enough for every link of every page.
//
// Why not SHA-256: called for each link it would cost more than the rest of the seen test (measured: over 1 µs against
// 0.1). Ninety-six bits of MurmurHash3 make two URLs of a site the same by accident once in 10^11 sites of a billion
// URLs. Somebody who wants to can make two URLs of his own site that collide, and so hide one of them from us; not
// linking to it is easier.
//
// The first 64 bits serve the filter and the cache of recent ones. MurmurHash3_x86_128, read with one byte a character
// (hrefs are ASCII), its fourth word left out.

export const urlHashBytes = 12

export class UrlHash {
  a = 0
  b = 0
  c = 0

  /** Fills this hash, so that a loop over links makes no garbage. */
  of(text: string, seed: number): this {
    let h1 = seed | 0
    let h2 = seed | 0
    let h3 = seed | 0
    let h4 = seed | 0
    const { length } = text
    const wholeEnd = length - (length % 16)
    for (let at = 0; at < wholeEnd; at += 16) {
      h1 ^= mixed(word(text, at), c1, 15, c2)
      h1 = (Math.imul(rotated(h1, 19) + h2, 5) + 0x561ccd1b) | 0
      h2 ^= mixed(word(text, at + 4), c2, 16, c3)
      h2 = (Math.imul(rotated(h2, 17) + h3, 5) + 0x0bcaa747) | 0
      h3 ^= mixed(word(text, at + 8), c3, 17, c4)
      h3 = (Math.imul(rotated(h3, 15) + h4, 5) + 0x96cd1c35) | 0
      h4 ^= mixed(word(text, at + 12), c4, 18, c1)
      h4 = (Math.imul(rotated(h4, 13) + h1, 5) + 0x32ac3b17) | 0
    }
    if (wholeEnd < length) {
      h1 ^= mixed(lastWord(text, wholeEnd), c1, 15, c2)
      h2 ^= mixed(lastWord(text, wholeEnd + 4), c2, 16, c3)
      h3 ^= mixed(lastWord(text, wholeEnd + 8), c3, 17, c4)
      h4 ^= mixed(lastWord(text, wholeEnd + 12), c4, 18, c1)
    }
    h1 ^= length
    h2 ^= length
    h3 ^= length
    h4 ^= length
    h1 = (h1 + h2 + h3 + h4) | 0
    h2 = (h2 + h1) | 0
    h3 = (h3 + h1) | 0
    h4 = (h4 + h1) | 0
    h1 = finished(h1)
    h2 = finished(h2)
    h3 = finished(h3)
    h1 = (h1 + h2 + h3 + finished(h4)) | 0
    this.a = h1 >>> 0
    this.b = (h2 + h1) >>> 0
    this.c = (h3 + h1) >>> 0
    return this
  }

  /** Its bytes as text, one a character. */
  toText(): string {
    const { a, b, c } = this
    return String.fromCharCode(
      a >>> 24,
      (a >>> 16) & 255,
      (a >>> 8) & 255,
      a & 255,
      b >>> 24,
      (b >>> 16) & 255,
      (b >>> 8) & 255,
      b & 255,
      c >>> 24,
      (c >>> 16) & 255,
      (c >>> 8) & 255,
      c & 255,
    )
  }

  fromText(text: string, at: number): this {
    this.a = bigEndian(text, at)
    this.b = bigEndian(text, at + 4)
    this.c = bigEndian(text, at + 8)
    return this
  }

  writeTo(bytes: Buffer, position: number): void {
    bytes.writeUInt32BE(this.a, position)
    bytes.writeUInt32BE(this.b, position + 4)
    bytes.writeUInt32BE(this.c, position + 8)
  }

  readFrom(bytes: Buffer, position: number): this {
    this.a = bytes.readUInt32BE(position)
    this.b = bytes.readUInt32BE(position + 4)
    this.c = bytes.readUInt32BE(position + 8)
    return this
  }
}

const c1 = 0x239b961b
const c2 = 0xab0e9789 | 0
const c3 = 0x38b34ae5
const c4 = 0xa1e38b93 | 0

function word(text: string, at: number): number {
  return (
    text.charCodeAt(at) |
    (text.charCodeAt(at + 1) << 8) |
    (text.charCodeAt(at + 2) << 16) |
    (text.charCodeAt(at + 3) << 24)
  )
}

function bigEndian(text: string, at: number): number {
  const bits =
    (text.charCodeAt(at) << 24) |
    (text.charCodeAt(at + 1) << 16) |
    (text.charCodeAt(at + 2) << 8) |
    text.charCodeAt(at + 3)
  return bits >>> 0
}

/** With zeros for what lies past the end. */
function lastWord(text: string, at: number): number {
  let bits = 0
  for (let index = Math.min(at + 3, text.length - 1); index >= at; index--)
    bits = (bits << 8) | text.charCodeAt(index)
  return bits
}

function mixed(value: number, before: number, turn: number, after: number): number {
  return Math.imul(rotated(Math.imul(value, before), turn), after)
}

function rotated(value: number, turn: number): number {
  return (value << turn) | (value >>> (32 - turn))
}

function finished(value: number): number {
  let bits = value
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return bits ^ (bits >>> 16)
}
