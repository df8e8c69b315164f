// Token shape: whether a string was made by chance or by a digest, not by a person: "9f3a61c0", "eyJhbGciOi…", a UUID.
//
// When in doubt it is not: words, names of products ("iPhone15Pro") and numbers that people read are none.

const charsMin = 8

/** Of the characters that tokens are written in; nothing else, and no spaces. */
const tokenPattern = /^[A-Za-z0-9+/_=.~%:!*-]+$/
const uuidPattern = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i

export function isToken(text: string): boolean {
  if (text.length < charsMin || text.length > 8_192 || !tokenPattern.test(text)) return false
  if (uuidPattern.test(text)) return true
  const bare = text.replace(/[^A-Za-z0-9]/g, '')
  if (bare.length < charsMin) return false
  if (/^[0-9a-f]+$/i.test(bare)) return /\d/.test(bare) && /[a-f]/i.test(bare)
  if (/^\d+$/.test(bare)) return false
  if (switchesIn(bare) < Math.min(6, 2 + bare.length / 8)) return false
  if (bare.length >= 16 && ((bare.match(/\d+/g)?.length ?? 0) >= 2 || isUnspeakable(bare))) return true
  return !looksWritten(text)
}

/** Of a part of an identifier, which may be short: digits among its letters, or capitals all over. */
export function looksRandom(part: string): boolean {
  if (part.length < 4) return false
  if (/\d/.test(part)) return /[A-Za-z]/.test(part)
  return (part.match(/[a-z][A-Z]|[A-Z]{2}[a-z]/g)?.length ?? 0) > (part.length > 8 ? 2 : 1)
}

/** How often letters turn to digits, or small letters to capitals, and back. */
function switchesIn(text: string): number {
  let switches = 0
  let last = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    const kind = code < 0x3a ? 1 : code < 0x5b ? 2 : 3
    if (last !== 0 && kind !== last) switches++
    last = kind
  }
  return switches
}

/** Parts between capitals that have no vowel. */
function isUnspeakable(text: string): boolean {
  const parts = text.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? []
  return parts.filter((part) => part.length > 1 && !/[aeiouy]/i.test(part)).length >= 2
}

/** Words in small letters of some length, with separators or capitals between: a name or a sentence, not chance. */
function looksWritten(text: string): boolean {
  const words = text.match(/[A-Z]?[a-z]{3,}/g) ?? []
  const letters = words.reduce((sum, word) => sum + word.length, 0)
  return letters * 10 > text.length * 6
}
