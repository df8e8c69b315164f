// Text bytes: a text as one character per byte, so that what is not rewritten stays byte for byte, whatever its charset.
//
// All that rewriting looks for is ASCII, and in the charsets of the web ASCII bytes mean ASCII, but for UTF-16 and
// ISO-2022-JP: those are turned into UTF-8 first. The charset is said in the header of the answer, for what we insert may
// move a declaration out of sight.

import { isUtf8 } from 'node:buffer'
import { asciiIncompatible, type Declaration, statedCharset } from '../../formats/markup/charset.ts'
import { bufferView } from '../../formats/wire/buffer-view.ts'

interface TextBytes {
  /** A character per byte. */
  readonly text: string
  /** As the answer's header is to name it. */
  readonly charset: string
  /** Whether it was said; else it is our guess. Scripts and styles that say nothing have their page's. */
  readonly isDeclared: boolean
}

export function textBytesOf(
  bytes: Uint8Array,
  contentType: string | undefined,
  declaration: Declaration,
): TextBytes {
  const buffer = bufferView(bytes)
  const declared = statedCharset(buffer, contentType, declaration)
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

function guessOf(bytes: Buffer, declaration: Declaration): string {
  return declaration === 'xml' || isUtf8(bytes) ? 'utf-8' : 'windows-1252'
}
