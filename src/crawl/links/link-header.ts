// Link header: `Link: </style.css>; rel="preload stylesheet"; as=style, <…>; …` (RFC 8288, section 3).
//
// Lenient as the RFC's appendix B.2: what is no link is skipped up to the next comma outside quotes. Links whose
// `anchor` is elsewhere speak of another page and are left out. One pass, linear in the text.

interface HeaderLink {
  readonly url: string
  readonly rel: string
  readonly type: string
}

const headerCharsMax = 64 * 1024
const parameterPattern = /([^\s;,="<>]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"?|([^\s;,"]*)))?[^;,"]*/y

export function parseLinkHeader(value: string): HeaderLink[] {
  const text = value.slice(0, headerCharsMax)
  const links: HeaderLink[] = []
  let position = text.indexOf('<')
  while (position !== -1) {
    const end = text.indexOf('>', position)
    if (end === -1) break
    const { parameters, next } = readParameters(text, end + 1)
    const anchor = parameters.get('anchor') ?? ''
    if (anchor === '' || anchor.startsWith('#')) {
      const url = text.slice(position + 1, end).trim()
      links.push({ url, rel: parameters.get('rel') ?? '', type: parameters.get('type') ?? '' })
    }
    position = text.indexOf('<', next)
  }
  return links
}

/** Up to the comma that ends the link; of a name given twice the first counts. */
function readParameters(text: string, start: number): { parameters: Map<string, string>; next: number } {
  const parameters = new Map<string, string>()
  let position = start
  while (position < text.length && text[position] !== ',') {
    parameterPattern.lastIndex = position
    const match = parameterPattern.exec(text)
    if (match === null) {
      // Semicolons, white space, and what does not belong here.
      position += 1
      continue
    }
    const name = match[1]!.toLowerCase()
    const written = match[2]?.replace(/\\(.)/g, '$1') ?? match[3] ?? ''
    if (!parameters.has(name)) parameters.set(name, written)
    position = parameterPattern.lastIndex
  }
  return { parameters, next: position }
}
