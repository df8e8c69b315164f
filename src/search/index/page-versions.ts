// Page versions: of one page, which texts it had and when each was current. Texts are indexed once, however many captures show
// them, and captures that show a known content are not read again.
//
// Bounded: of a page with more captures than that, the newest.

import { hash } from 'node:crypto'
import { damaged, sealed, unsealed } from './sealed-bytes.ts'

/** A capture, as far as search cares. */
export interface IndexedCapture {
  readonly atMs: number
  /** The same for the same bytes; '' where the page was not there any more. */
  readonly content: string
}

/** While the page had the text of one document. */
export interface TextRun {
  readonly document: number
  readonly firstMs: number
  /** Of the last capture that showed it. */
  readonly lastMs: number
  /** When another text, or none, was seen; null as long as neither was. */
  readonly endMs: number | null
}

export interface PageVersions {
  readonly href: string
  /** Of the captures that this was made from. */
  readonly signature: string
  /** The document of each text, by the text's name. */
  readonly texts: Readonly<Record<string, number>>
  /** The document of each content; 0 where it has no text. */
  readonly contents: Readonly<Record<string, number>>
  readonly runs: readonly TextRun[]
  readonly captures: number
}

export const capturesMax = 400

export function signatureOf(captures: readonly IndexedCapture[]): string {
  const text = captures.map(({ atMs, content }) => `${atMs} ${content}`).join('\n')
  return hash('sha1', text, 'base64url')
}

export function runsOf(
  captures: readonly IndexedCapture[],
  contents: Readonly<Record<string, number>>,
): TextRun[] {
  const runs: { document: number; firstMs: number; lastMs: number; endMs: number | null }[] = []
  for (const { atMs, content } of captures) {
    const document = content === '' ? 0 : contents[content]
    // Not readable now: it says nothing.
    if (document === undefined) continue
    const last = runs.at(-1)
    if (last?.endMs === null && last.document === document) last.lastMs = atMs
    else {
      if (last !== undefined) last.endMs ??= atMs
      if (document !== 0) runs.push({ document, firstMs: atMs, lastMs: atMs, endMs: null })
    }
  }
  return runs
}

/** The text that was current at that time, as far as is known. */
export function runAt(runs: readonly TextRun[], atMs: number): TextRun | undefined {
  return runs.find(({ firstMs, endMs }) => firstMs <= atMs && (endMs === null || atMs < endMs))
}

export function encodeVersions(page: PageVersions): Buffer {
  const { href, signature, texts, contents, runs, captures } = page
  const rows = runs.map(({ document, firstMs, lastMs, endMs }) => [document, firstMs, lastMs, endMs])
  return sealed(Buffer.from(JSON.stringify([href, signature, texts, contents, rows, captures])))
}

export function decodeVersions(value: Uint8Array): PageVersions {
  const parsed = JSON.parse(unsealed(value).toString()) as unknown
  if (!Array.isArray(parsed) || parsed.length !== 6) throw damaged()
  const [href, signature, texts, contents, rows, captures] = parsed
  const runs = (rows as [number, number, number, number | null][]).map(
    ([document, firstMs, lastMs, endMs]) => ({
      document,
      firstMs,
      lastMs,
      endMs,
    }),
  )
  return { href, signature, texts, contents, runs, captures }
}
