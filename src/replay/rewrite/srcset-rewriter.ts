// Srcset rewriter: the URLs of an attribute that offers one image in several sizes, as the HTML standard parses it.
//
// A URL ends at white space, so commas within it stay; only those at its very end part it from the next. What follows a
// URL up to a comma outside parentheses describes it and is kept.

// White space is ASCII's only: texts are byte strings here, and 0xA0 is half of a letter.
const urlPattern = /[^\t\n\f\r ,][^\t\n\f\r ]*/g

export function rewriteSrcset(text: string, rewriteLink: (url: string) => string | undefined): string {
  let written = ''
  let copied = 0
  urlPattern.lastIndex = 0
  for (let match = urlPattern.exec(text); match !== null; match = urlPattern.exec(text)) {
    const url = withoutFinalCommas(match[0])
    const rewritten = rewriteLink(url)
    if (rewritten !== undefined) {
      written += text.slice(copied, match.index) + rewritten
      copied = match.index + url.length
    }
    if (url.length === match[0].length) urlPattern.lastIndex = endOfDescriptors(text, urlPattern.lastIndex)
  }
  return written + text.slice(copied)
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
