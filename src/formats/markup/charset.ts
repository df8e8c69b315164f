// Charset: from bytes to text, as the Encoding and HTML standards say: byte order mark, header, declaration within the
// document's first 1,024 bytes; without any of them UTF-8 where the bytes are that, else what a page declares later, for
// which browsers begin anew, else windows-1252.
//
// Decoding never fails: bytes that are none become U+FFFD. ASCII, which most pages are, costs next to nothing.

import { isAscii, isUtf8 } from 'node:buffer'
import { bufferView } from '../wire/buffer-view.ts'

interface DecodedText {
  readonly text: string
  /** The encoding's name in lower case. */
  readonly charset: string
}

/** Where a document may declare its charset itself. */
export type Declaration = 'html' | 'xml' | 'css' | 'none'

const declarationBytesMax = 1_024
/** Of a page that declares it too late. */
const lateDeclarationBytesMax = 64 * 1_024
/** In these, bytes below 128 are not ASCII. */
export const asciiIncompatible: ReadonlySet<string> = new Set(['utf-16le', 'utf-16be', 'iso-2022-jp'])

export function decodeText(
  bytes: Uint8Array,
  contentType: string | undefined,
  declaration: Declaration,
): DecodedText {
  const buffer = bufferView(bytes)
  const charset =
    statedCharset(buffer, contentType, declaration) ??
    (isUtf8(buffer) ? 'utf-8' : undefined) ??
    (declaration === 'html' ? declaredCharset(buffer, 'html', lateDeclarationBytesMax) : undefined) ??
    'windows-1252'
  return { text: decode(buffer, charset), charset }
}

/** The encoding that a label stands for, or undefined: `latin1` is windows-1252. */
export function charsetOfLabel(label: string): string | undefined {
  const known = commonLabels.get(label.trim().toLowerCase())
  if (known !== undefined) return known
  try {
    return new TextDecoder(label).encoding
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const commonLabels = new Map([
  ['utf-8', 'utf-8'],
  ['utf8', 'utf-8'],
  ['iso-8859-1', 'windows-1252'],
  ['windows-1252', 'windows-1252'],
])

/** What mark, header or document say; undefined where none of them says anything that is known. */
export function statedCharset(
  bytes: Buffer,
  contentType: string | undefined,
  declaration: Declaration,
): string | undefined {
  const marked = charsetOfMark(bytes)
  if (marked !== undefined) return marked
  const label = /;\s*charset\s*=\s*"?\s*([^\s;"]+)/i.exec(contentType?.slice(0, 1_000) ?? '')?.[1]
  const told = label === undefined ? undefined : charsetOfLabel(label)
  return told ?? declaredCharset(bytes, declaration)
}

function charsetOfMark(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return undefined
}

function declaredCharset(
  bytes: Buffer,
  declaration: Declaration,
  bytesMax = declarationBytesMax,
): string | undefined {
  if (declaration === 'none') return undefined
  const start = bytes.toString('latin1', 0, bytesMax)
  const label = labelIn(start, declaration)
  const charset = label === undefined ? undefined : charsetOfLabel(label)
  // What could be read as ASCII up to here is not UTF-16, whatever it says.
  return charset?.startsWith('utf-16') ? 'utf-8' : charset
}

function labelIn(start: string, declaration: Declaration): string | undefined {
  if (declaration === 'css') return /^@charset "([^"]*)";/.exec(start)?.[1]
  const inXml = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([^"'>]+)/.exec(start)?.[1]
  if (declaration === 'xml' || inXml !== undefined) return inXml
  return /<meta[\s/][^>]{0,1000}?charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(withoutComments(start))?.[1]
}

function withoutComments(text: string): string {
  return text.includes('<!--') ? text.replace(/<!--[\s\S]*?(?:-->|$)/g, '') : text
}

function decode(bytes: Buffer, charset: string): string {
  if (!asciiIncompatible.has(charset) && isAscii(bytes)) return bytes.toString('latin1')
  if (charset !== 'utf-8') return new TextDecoder(charset).decode(bytes)
  const text = bytes.toString('utf8')
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}
