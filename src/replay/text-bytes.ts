// Text bytes: a text as one character per byte, so that what is not rewritten stays byte for byte, whatever its charset.
//
// All that rewriting looks for is ASCII, and in the charsets of the web ASCII bytes mean ASCII, but for UTF-16 and
// ISO-2022-JP: those are turned into UTF-8 first. The charset is found as the Encoding and HTML standards say: byte order
// mark, header, declaration within the first 1,024 bytes; without any of them UTF-8 where the bytes are that, else
// windows-1252. It is said in the header of the answer, for what we insert may move a declaration out of sight.

import { isUtf8 } from 'node:buffer'
import { bufferView } from '../record/buffer-view.ts'

export interface TextBytes {
  /** A character per byte. */
  readonly text: string
  /** As the answer's header is to name it. */
  readonly charset: string
  /** Whether it was said; else it is our guess. Scripts and styles that say nothing have their page's. */
  readonly isDeclared: boolean
}

/** Where a document may declare its charset itself. */
export type Declaration = 'html' | 'xml' | 'css' | 'none'

const declarationBytesMax = 1_024
/** In these, bytes below 128 are not ASCII. */
const asciiIncompatible = new Set(['utf-16le', 'utf-16be', 'iso-2022-jp'])

export function textBytesOf(
  bytes: Uint8Array,
  contentType: string | undefined,
  declaration: Declaration,
): TextBytes {
  const buffer = bufferView(bytes)
  const declared = charsetOf(buffer, contentType, declaration)
  const charset = declared ?? guessOf(buffer, declaration)
  if (!asciiIncompatible.has(charset)) {
    return { text: buffer.toString('latin1'), charset, isDeclared: declared !== undefined }
  }
  const text = new TextDecoder(charset).decode(buffer)
  return { text: Buffer.from(text).toString('latin1'), charset: 'utf-8', isDeclared: true }
}

export function bytesOfText(text: string): Uint8Array {
  return Buffer.from(text, 'latin1')
}

function charsetOf(
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

function guessOf(bytes: Buffer, declaration: Declaration): string {
  return declaration === 'xml' || isUtf8(bytes) ? 'utf-8' : 'windows-1252'
}

function charsetOfMark(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return undefined
}

const commonLabels = new Map([
  ['utf-8', 'utf-8'],
  ['utf8', 'utf-8'],
  ['iso-8859-1', 'windows-1252'],
  ['windows-1252', 'windows-1252'],
])

/** The encoding that a label stands for, or undefined: `latin1` is windows-1252. */
function charsetOfLabel(label: string): string | undefined {
  const known = commonLabels.get(label.trim().toLowerCase())
  if (known !== undefined) return known
  try {
    return new TextDecoder(label).encoding
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function declaredCharset(bytes: Buffer, declaration: Declaration): string | undefined {
  if (declaration === 'none') return undefined
  const start = bytes.toString('latin1', 0, declarationBytesMax)
  const label = labelIn(start, declaration)
  const charset = label === undefined ? undefined : charsetOfLabel(label)
  // What could be read as ASCII up to here is not UTF-16, whatever it says.
  return charset?.startsWith('utf-16') ? 'utf-8' : charset
}

function labelIn(start: string, declaration: Declaration): string | undefined {
  if (declaration === 'css') return /^@charset "([^"]*)";/.exec(start)?.[1]
  const inXml = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([^"'>]+)/.exec(start)?.[1]
  if (declaration === 'xml' || inXml !== undefined) return inXml
  return /<meta[\s/][^>]*?charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(withoutComments(start))?.[1]
}

function withoutComments(text: string): string {
  return text.includes('<!--') ? text.replace(/<!--[\s\S]*?(?:-->|$)/g, '') : text
}
