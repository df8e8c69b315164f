// Srcset: the URLs in an attribute that offers one image in several sizes, as the HTML standard parses it.
//
// A URL ends at white space, so commas within it stay; only those at its very end part it from the next. What follows
// a URL up to a comma outside parentheses describes it and is skipped. One pass, linear in the text.

interface SrcsetUrl {
  readonly url: string
  /** Where it stands in the text. */
  readonly start: number
}

// White space is ASCII's only, as the standard has it: of a text with one character per byte, 0xA0 is half of a letter.
const urlPattern = /[^\t\n\f\r ,][^\t\n\f\r ]*/g

export function urlsOfSrcset(text: string): SrcsetUrl[] {
  const urls: SrcsetUrl[] = []
  urlPattern.lastIndex = 0
  for (let match = urlPattern.exec(text); match !== null; match = urlPattern.exec(text)) {
    const written = match[0]
    const url = withoutFinalCommas(written)
    urls.push({ url, start: match.index })
    if (url.length === written.length) urlPattern.lastIndex = endOfDescriptors(text, urlPattern.lastIndex)
  }
  return urls
}

function withoutFinalCommas(url: string): string {
  let end = url.length
  while (end > 0 && url.charCodeAt(end - 1) === 0x2c) end -= 1
  return url.slice(0, end)
}

function endOfDescriptors(text: string, start: number): number {
  let isInParentheses = false
  for (let i = start; i < text.length; i += 1) {
    const character = text[i]
    if (character === '(') isInParentheses = true
    else if (character === ')') isInParentheses = false
    else if (character === ',' && !isInParentheses) return i + 1
  }
  return text.length
}
