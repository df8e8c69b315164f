// What S3 answers in XML: lists and errors, flat enough to be read without a parser. Elements that we do not know are passed over.

/** The texts of all elements of this name. */
export function elementsOf(xml: string, name: string): string[] {
  const found: string[] = []
  const open = `<${name}>`
  const close = `</${name}>`
  for (let at = xml.indexOf(open); at >= 0; at = xml.indexOf(open, at)) {
    const end = xml.indexOf(close, at)
    if (end < 0) break
    found.push(xml.slice(at + open.length, end))
    at = end + close.length
  }
  return found
}

export function elementOf(xml: string, name: string): string | undefined {
  const text = elementsOf(xml, name)[0]
  return text === undefined ? undefined : unescaped(text)
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescaped(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\da-fA-F]+)|(\w+));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities[name] ?? whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
