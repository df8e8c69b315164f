// CSS links: what a style sheet, a style element or a style attribute loads: url(), @import, image-set().
//
// Not a parser: it looks for the few tokens that matter and steps over comments and strings, so that nothing in those
// is taken for a link. One pass, linear in the text; what the text ends in the middle of counts as ended, as CSS says.

import { readCssString, readCssUrl, skipCssSpace } from './css-token.ts'

type CssLinkSource = 'css url' | 'css import'

const tokenPattern =
  /\/\*|["']|@import\b|@namespace\b|\\.|(?<![\w-])url\(|(?<![\w])(?:-webkit-)?image-set\(/gis
const imageSetPattern = /\/\*|["']|(?<![\w-])url\(|\\.|[()]/gis
const worthReading = /url\(|@import|image-set\(/i

/** Calls `found` for each URL, data: URLs left out. */
export function scanCss(text: string, found: (url: string, source: CssLinkSource) => void): void {
  if (worthReading.test(text)) new CssScanner(text, found).scan()
}

class CssScanner {
  readonly #text: string
  readonly #found: (url: string, source: CssLinkSource) => void

  constructor(text: string, found: (url: string, source: CssLinkSource) => void) {
    this.#text = text
    this.#found = found
  }

  scan(): void {
    let position = 0
    for (
      let match = this.#next(tokenPattern, 0);
      match !== null;
      match = this.#next(tokenPattern, position)
    ) {
      position = this.#readToken(match[0].toLowerCase(), match.index, match.index + match[0].length)
    }
  }

  /** Just past the token and all that belongs to it. */
  #readToken(token: string, start: number, end: number): number {
    if (token === '/*') return this.#past('*/', end)
    if (token === '"' || token === "'") return readCssString(this.#text, start).end
    if (token === '@import') return this.#readImport(end)
    if (token === '@namespace') return this.#past(';', end)
    if (token === 'url(') return this.#readUrl(end, 'css url')
    return token.endsWith('image-set(') ? this.#readImageSet(end) : end
  }

  #readImport(start: number): number {
    const position = skipCssSpace(this.#text, start)
    const quote = this.#text[position]
    if (quote === '"' || quote === "'") return this.#readString(position, 'css import')
    const isUrl = this.#text.slice(position, position + 4).toLowerCase() === 'url('
    return isUrl ? this.#readUrl(position + 4, 'css import') : position
  }

  /** Strings directly within are URLs; those in functions, as in `type("image/avif")`, are not. */
  #readImageSet(start: number): number {
    let depth = 1
    let position = start
    while (depth > 0) {
      const match = this.#next(imageSetPattern, position)
      if (match === null) return this.#text.length
      const token = match[0].toLowerCase()
      position = match.index + token.length
      if (token === '(') depth += 1
      else if (token === ')') depth -= 1
      else if (depth === 1 && (token === '"' || token === "'"))
        position = this.#readString(match.index, 'css url')
      else position = this.#readToken(token, match.index, position)
    }
    return position
  }

  #readString(start: number, source: CssLinkSource): number {
    const { value, end } = readCssString(this.#text, start)
    this.#tell(value, source)
    return end
  }

  #readUrl(start: number, source: CssLinkSource): number {
    const { value, end } = readCssUrl(this.#text, start)
    this.#tell(value, source)
    return end
  }

  #tell(url: string, source: CssLinkSource): void {
    if (url !== '' && !/^\s*data:/i.test(url)) this.#found(url, source)
  }

  #past(mark: string, start: number): number {
    const found = this.#text.indexOf(mark, start)
    return found === -1 ? this.#text.length : found + mark.length
  }

  #next(pattern: RegExp, position: number): RegExpExecArray | null {
    pattern.lastIndex = position
    return pattern.exec(this.#text)
  }
}
