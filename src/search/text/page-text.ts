// Page text: the text of a capture's payload, by its type. Types that have no text for readers have none here.

import { decodeContent } from '../../formats/content-coding/content-decoding.ts'
import { decodeText } from '../../formats/markup/charset.ts'
import { textOfHtml, tidiedLine, tidiedLines, titleCharsMax } from './html-text.ts'

export interface PageText {
  readonly title: string
  readonly description: string
  readonly headings: readonly string[]
  /** A line for each block. */
  readonly body: string
  /** As the page says; may be nothing, or nonsense. */
  readonly language: string
}

export const documentTypes = ['html', 'text', 'pdf'] as const
export type DocumentType = (typeof documentTypes)[number]

/** Of a payload; what is larger has its beginning searched, or nothing where that cannot be read alone. */
export const payloadBytesMax = 16 * 1024 * 1024
const decodedBytesMax = 8 * 1024 * 1024
const textCharsMax = 400_000

/** undefined for what has no text. */
export function documentTypeOf(mime: string): DocumentType | undefined {
  const type = mime.toLowerCase()
  if (type.startsWith('text/html') || type.startsWith('application/xhtml+xml')) return 'html'
  if (type.startsWith('text/plain') || type.startsWith('text/markdown')) return 'text'
  return type.startsWith('application/pdf') ? 'pdf' : undefined
}

export interface PayloadToRead {
  readonly type: DocumentType
  readonly bytes: Uint8Array
  readonly contentType: string | undefined
  readonly contentEncoding: string | undefined
  /** What a browser read of it when its scripts had run. */
  readonly rendered?: { readonly title: string; readonly text: string } | undefined
}

export async function textOfPayload(payload: PayloadToRead): Promise<PageText> {
  const { type, contentType, contentEncoding, rendered } = payload
  const bytesMax = type === 'pdf' ? payloadBytesMax : decodedBytesMax
  const { bytes } = await decodeContent(payload.bytes, contentEncoding, bytesMax)
  // It is large, and few pages need it.
  if (type === 'pdf') return (await import('./pdf-text.ts')).textOfPdf(bytes)
  const { text } = decodeText(bytes, contentType, type === 'html' ? 'html' : 'none')
  if (type !== 'html') return plainText(text)
  const sent = textOfHtml(text)
  return rendered === undefined ? sent : { ...sent, ...seen(rendered, sent) }
}

/** What stood in the window, in place of what was sent: scripts replace what they find as well as they add to it. */
function seen(
  { title, text }: NonNullable<PayloadToRead['rendered']>,
  sent: PageText,
): Pick<PageText, 'title' | 'body'> {
  return {
    title: tidiedLine(title).slice(0, titleCharsMax) || sent.title,
    body: tidiedLines(text.slice(0, textCharsMax)),
  }
}

/** What opens it serves as title. */
export function plainText(text: string): PageText {
  const body = tidiedLines(text.slice(0, textCharsMax))
  const title = body.slice(0, 200).split('\n')[0]!.slice(0, 100)
  return { title, description: '', headings: [], body, language: '' }
}
