// CSS rewriter: the URLs that a style sheet, a style element or a style attribute loads: url(), @import, image-set().
//
// Not a parser: it looks for the few tokens that matter and steps over comments and strings. One pass, linear in the
// text. All else stays byte for byte.

import type { PartModifier } from '../replay-address.ts'

export type RewriteLink = (url: string, modifier: PartModifier) => string | undefined

const worthReading = /url\(|@import|image-set\(/i
const tokenPattern =
  /\/\*|["']|@import\b|@namespace\b|\\[\s\S]|(?<![\w-])(?:url|src)\(|(?<!\w)(?:-webkit-)?image-set\(|[()]/gi

export function rewriteCss(text: string, rewriteLink: RewriteLink): string {
  return worthReading.test(text) ? new CssRewriter(text, rewriteLink).rewritten() : text
}

class CssRewriter {
  readonly #text: string
  readonly #rewriteLink: RewriteLink
  #written = ''
  #copied = 0

  constructor(text: string, rewriteLink: RewriteLink) {
    this.#text = text
    this.#rewriteLink = rewriteLink
  }

  rewritten(): string {
    const text = this.#text
    /** Parentheses open within image-set(), where strings right inside are URLs; 0 outside. */
    let depth = 0
    let position = 0
    for (;;) {
      tokenPattern.lastIndex = position
      const match = tokenPattern.exec(text)
      if (match === null) break
      const token = match[0].toLowerCase()
      const end = match.index + token.length
      if (token === '(' || token === 'url(' || token === 'src(') depth = depth > 0 ? depth + 1 : 0
      else if (token === ')') depth = depth > 0 ? depth - 1 : 0
      else if (token.endsWith('image-set(')) depth = depth > 0 ? depth + 1 : 1
      position = this.#readToken(token, match.index, end, depth)
    }
    tokenPattern.lastIndex = 0
    return this.#written === '' ? text : this.#written + text.slice(this.#copied)
  }

  /** Just past the token and all that belongs to it. */
  #readToken(token: string, start: number, end: number, depth: number): number {
    switch (token) {
      case '/*':
        return this.#past('*/', end)
      case '"':
      case "'":
        return depth === 1 ? this.#readString(start, 'im_') : endOfString(this.#text, start)
      case '@import':
        return this.#readImport(end)
      case '@namespace':
        return this.#past(';', end)
      case 'url(':
      case 'src(':
        return this.#readUrl(end, 'im_')
      default:
        return end
    }
  }

  #readImport(start: number): number {
    const position = skipSpace(this.#text, start)
    const first = this.#text[position]
    if (first === '"' || first === "'") return this.#readString(position, 'cs_')
    const isUrl = /^(?:url|src)\($/i.test(this.#text.slice(position, position + 4))
    return isUrl ? this.#readUrl(position + 4, 'cs_') : position
  }

  #readString(start: number, modifier: PartModifier): number {
    const end = endOfString(this.#text, start)
    const isClosed = end - start > 1 && this.#text[end - 1] === this.#text[start]
    if (isClosed) this.#replace(start + 1, end - 1, modifier)
    return end
  }

  #readUrl(start: number, modifier: PartModifier): number {
    const text = this.#text
    const position = skipSpace(text, start)
    const first = text[position]
    if (first === '"' || first === "'") return this.#readString(position, modifier)
    barePattern.lastIndex = position
    const bare = barePattern.exec(text)?.[0] ?? ''
    const end = position + bare.length
    // A quote, a parenthesis or white space within makes it a bad one, which loads nothing.
    const isGood = /^[^"'(\x00-\x20]+$/.test(bare) && isEndOfUrl(text, skipBlanks(text, end))
    if (isGood) this.#replace(position, end, modifier)
    return end
  }

  #replace(start: number, end: number, modifier: PartModifier): void {
    const written = this.#text.slice(start, end)
    const isPlain = !written.includes('\\')
    const rewritten = this.#rewriteLink(isPlain ? written : unescaped(written), modifier)
    if (rewritten === undefined) return
    // Safe in a string of either kind and bare: what is rewritten has no white space within.
    const safe = isPlain
      ? rewritten
      : rewritten.replace(/["'()\\\t\n\f\r ]/g, (character) => `\\${character}`)
    this.#written += this.#text.slice(this.#copied, start) + (isPlain ? escapedPrefix(safe, written) : safe)
    this.#copied = end
  }

  #past(mark: string, start: number): number {
    const found = this.#text.indexOf(mark, start)
    return found === -1 ? this.#text.length : found + mark.length
  }
}

// White space is ASCII's only: texts are byte strings here, and 0xA0 is half of a letter.
const barePattern = /(?:[^)\t\n\f\r \\]|\\[\s\S])*/y

/** The base that came before what was written may hold quotes or parentheses of its own. */
function escapedPrefix(rewritten: string, written: string): string {
  const added = rewritten.endsWith(written) ? rewritten.length - written.length : rewritten.length
  const prefix = rewritten.slice(0, added)
  return /["'()\\\t\n\f\r ]/.test(prefix)
    ? prefix.replace(/["'()\\\t\n\f\r ]/g, (character) => `\\${character}`) + rewritten.slice(added)
    : rewritten
}

/** A line end within ends a bad string; the end of the text ends a good one. */
function endOfString(text: string, start: number): number {
  const quote = text.charCodeAt(start)
  for (let i = start + 1; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if (code === quote) return i + 1
    if (code === 0x5c) i += 1
    else if (code === 0x0a || code === 0x0d || code === 0x0c) return i
  }
  return text.length
}

function skipSpace(text: string, start: number): number {
  let position = start
  for (;;) {
    position = skipBlanks(text, position)
    if (!text.startsWith('/*', position)) return position
    const end = text.indexOf('*/', position + 2)
    if (end === -1) return text.length
    position = end + 2
  }
}

function isEndOfUrl(text: string, position: number): boolean {
  return position >= text.length || text.charCodeAt(position) === 0x29
}

function skipBlanks(text: string, start: number): number {
  let position = start
  while (isSpace(text.charCodeAt(position))) position += 1
  return position
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d || code === 0x0c
}

function unescaped(written: string): string {
  return written.replace(/\\(?:([0-9a-f]{1,6})[ \t\r\n\f]?|(\r\n|[\s\S]))/gi, (_escape, hex, character) => {
    if (hex === undefined) return /^[\r\n\f]/.test(character) ? '' : character
    const codePoint = Number.parseInt(hex, 16)
    // Texts are byte strings here: see text-bytes.ts.
    return codePoint > 0 && codePoint <= 0x10ffff
      ? Buffer.from(String.fromCodePoint(codePoint)).toString('latin1')
      : ''
  })
}
