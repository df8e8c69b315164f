// Typed URL: what a person typed or pasted, made absolute the way a browser's address bar does it.
//
// `example.com/a` means http. `localhost:8080` and `example.com:80/a` name a port, although a URL parser reads
// them as the schemes `localhost:` and `example.com:`. `mailto:x@y` and `javascript:1` stay what they are, for
// the caller to refuse. Nothing is validated here: see url.ts.

/** Schemes whose rest may be digits only, so that `tel:110` is not taken for a host and a port. */
const schemesWithDigits = new Set([
  'about',
  'blob',
  'callto',
  'cid',
  'data',
  'fax',
  'javascript',
  'mailto',
  'mid',
  'news',
  'sip',
  'sms',
  'tel',
  'urn',
])

const schemePattern = /^([a-z][a-z0-9+.-]*):/i
const portPattern = /^:[0-9]{1,5}(?:[/?#\\]|$)/
const emptyPortPattern = /^:(?:\/(?!\/)|[?#\\]|$)/

/** `http://https://example.com` comes from a form that put its own scheme before a pasted one: the last counts. */
const repeatedSchemePattern = /^(?:https?:\/\/)+(?=https?:\/\/)/i

/** The text with a scheme in front, http unless it names one. */
export function absoluteFromTyped(typed: string): string {
  const text = trimUrl(typed).replace(repeatedSchemePattern, '')
  if (text === '') return ''
  if (text.startsWith('//')) return `http:${text}`
  // A path, of which nobody knows the host.
  if (text.startsWith('/')) return text
  const scheme = schemePattern.exec(text)?.[1]
  if (scheme === undefined || isHostBeforePort(scheme, text)) return `http://${text}`
  return text
}

function isHostBeforePort(name: string, text: string): boolean {
  const rest = text.slice(name.length)
  if (portPattern.test(rest)) return !schemesWithDigits.has(name.toLowerCase())
  return name.includes('.') && emptyPortPattern.test(rest)
}

/** Drops what a URL parser ignores: control characters and spaces around, tabs and line ends within. */
export function trimUrl(text: string): string {
  // Without the look behind, each space of a long run would be tried as the first of the last run.
  return text.replace(/^[\x00-\x20]+|(?<![\x00-\x20])[\x00-\x20]+$|[\t\n\r]+/g, '')
}
