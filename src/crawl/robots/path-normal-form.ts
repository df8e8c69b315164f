// Normal form of paths, so that spellings of one octet compare equal (RFC 9309, section 2.2.2).
//
// Unreserved characters stand for themselves, encoded or not; everything else is percent-encoded, in upper case, but
// for the four delimiters `/ ? = &`, where `/` and `%2F` name different resources. The RFC's own table shows an
// exception to that: in a query, `https://` and `https%3A%2F%2F` are the same.
//
// Strings in and out are byte strings: one character per octet. Time is linear in the input.

const plainPattern = /^[A-Za-z0-9\-._~/?=&]*$/
const unitPattern = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~/?=&]/g
const unreservedPattern = /[A-Za-z0-9\-._~]/

/** Of a path, or of a piece of one. */
export function pathNormalForm(octets: string): string {
  return plainPattern.test(octets) ? octets : octets.replace(unitPattern, normalUnit)
}

/** Of a query: its slashes and question marks delimit nothing, so both spellings come out as one. */
export function queryNormalForm(octets: string): string {
  return pathNormalForm(octets).replaceAll('%2F', '/').replaceAll('%3F', '?')
}

/** A request target in both spellings that its query can have; mostly they are one. */
export interface TargetForms {
  readonly plain: string
  readonly encoded: string
}

export function targetForms(target: string): TargetForms {
  const octets = isAscii(target) ? target : Buffer.from(target, 'utf8').toString('latin1')
  const question = octets.indexOf('?')
  if (question === -1) {
    const form = pathNormalForm(octets)
    return { plain: form, encoded: form }
  }
  const path = `${pathNormalForm(octets.slice(0, question))}?`
  const query = queryNormalForm(octets.slice(question + 1))
  const encoded = query.replaceAll('/', '%2F').replaceAll('?', '%3F')
  return { plain: path + query, encoded: path + encoded }
}

function normalUnit(unit: string): string {
  // A `%` that encodes nothing stands for itself.
  if (unit.length === 1) return encodeOctet(unit.charCodeAt(0))
  const octet = Number.parseInt(unit.slice(1), 16)
  const character = String.fromCharCode(octet)
  return unreservedPattern.test(character) ? character : unit.toUpperCase()
}

function encodeOctet(octet: number): string {
  return `%${octet.toString(16).toUpperCase().padStart(2, '0')}`
}

function isAscii(text: string): boolean {
  return !/[^\x00-\x7f]/.test(text)
}
