// CSS tokens: strings and url(), with their escapes (CSS Syntax Level 3, sections 4.3.5 to 4.3.7).
//
// A value is '' where the token is a bad one. `end` always lies beyond `start`, so that reading goes on.

interface CssToken {
  readonly value: string
  readonly end: number
}

/** Longer ones are data; no need to copy them. */
const valueCharsMax = 64 * 1024

/** `start` is at the quote. A line end within ends it as a bad string; the end of the text ends it as a good one. */
export function readCssString(text: string, start: number): CssToken {
  const quote = text.charCodeAt(start)
  let i = start + 1
  for (; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if (code === quote) return { value: cssValue(text, start + 1, i), end: i + 1 }
    if (code === 0x5c) i = escapeEnd(text, i) - 1
    else if (code === 0x0a || code === 0x0d || code === 0x0c) return { value: '', end: i }
  }
  return { value: cssValue(text, start + 1, text.length), end: text.length }
}

/** `start` is just past `url(`. */
export function readCssUrl(text: string, start: number): CssToken {
  const position = skipCssSpace(text, start)
  const quote = text.charCodeAt(position)
  if (quote !== 0x22 && quote !== 0x27) return readBareUrl(text, position)
  const string = readCssString(text, position)
  const close = skipCssSpace(text, string.end)
  return { value: string.value, end: text[close] === ')' ? close + 1 : string.end }
}

/** White space and comments. */
export function skipCssSpace(text: string, start: number): number {
  let position = start
  for (;;) {
    while (isSpace(text.charCodeAt(position))) position += 1
    if (!text.startsWith('/*', position)) return position
    const end = text.indexOf('*/', position + 2)
    if (end === -1) return text.length
    position = end + 2
  }
}

function readBareUrl(text: string, start: number): CssToken {
  let isBad = false
  let end = -1
  let i = start
  for (; i < text.length && text.charCodeAt(i) !== 0x29; i += 1) {
    const code = text.charCodeAt(i)
    if (isSpace(code)) {
      if (end === -1) end = i
    } else {
      // More after white space, a quote, an opening parenthesis: bad, but it still ends at the `)`.
      if (end !== -1 || code === 0x22 || code === 0x27 || code === 0x28) isBad = true
      if (code === 0x5c) i = escapeEnd(text, i) - 1
    }
  }
  const past = Math.min(i + 1, text.length)
  return { value: isBad ? '' : cssValue(text, start, end === -1 ? Math.min(i, text.length) : end), end: past }
}

/** White space behind hex digits, and the line end behind a backslash, belong to the escape. */
const escapePattern = /\\(?:([0-9a-f]{1,6})(?:\r\n|[ \t\r\n\f])?|(\r\n|[\s\S]))/
const escapeHere = new RegExp(escapePattern, 'iy')
const everyEscape = new RegExp(escapePattern, 'gi')

function escapeEnd(text: string, start: number): number {
  escapeHere.lastIndex = start
  return escapeHere.test(text) ? escapeHere.lastIndex : start + 1
}

function cssValue(text: string, start: number, end: number): string {
  if (end - start > valueCharsMax) return ''
  const written = text.slice(start, end)
  return written.includes('\\') ? written.replace(everyEscape, unescaped) : written
}

function unescaped(_escape: string, hex: string | undefined, character: string | undefined): string {
  if (hex === undefined) return /^[\r\n\f]/.test(character!) ? '' : character!
  const codePoint = Number.parseInt(hex, 16)
  const isCharacter = codePoint > 0 && codePoint <= 0x10ffff && !(codePoint >= 0xd800 && codePoint <= 0xdfff)
  return isCharacter ? String.fromCodePoint(codePoint) : '\ufffd'
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d || code === 0x0c
}
